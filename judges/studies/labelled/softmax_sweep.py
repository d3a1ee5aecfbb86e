"""The temperature of the softmax that aggregates advocates' scores: a sweep over stored ballots.

Bandi and Harrasse 2024 (arXiv 2410.04663), section 3.3 and appendix A.5. The judge has scored the
advocates two by two, so that every temperature can be tried without another call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Literal

from arena.console.tables import Table
from arena.languages import SIDES
from arena.records import Bench, Step
from arena.text import counted
from judges.methods.more import PAIR_OF_ADVOCATES
from judges.methods.softmax import log_sum_exp_total, weighted_total
from judges.studies.ballots import Taken
from judges.studies.cells import format_number
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.verdicts import Recount, recount_verdicts
from ratings import TIE

#: The temperatures that are tried beside a bench's own; 0 is the highest score alone.
TAUS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)

_Aggregate = Callable[[Sequence[float]], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """What one aggregate of the advocates' scores says about the pairs.

    Attributes:
        aggregate: the `highest` score, the mean weighted by the `softmax`, or the plain `mean`.
        tau: temperature of the softmax; NaN of the others, which are its limits.
        right: share of the pairs with a winner by people on which it names the same; NaN of none.
        ties: number of these on which it names none.
        changed: number of all pairs whose verdict is not that of the bench's own temperature.
        gap: mean distance of the two answers' totals, 0 to 114.
        log_sum_exp_right, log_sum_exp_gap: the same by the log-sum-exp; NaN where there is none.
    """

    aggregate: Literal["highest", "softmax", "mean"]
    tau: float
    right: float
    ties: int
    changed: int
    gap: float
    log_sum_exp_right: float
    log_sum_exp_gap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The sweep of one bench.

    Attributes:
        tau: the bench's own.
        pairs: number of pairs with all ballots.
        decided: of these, number with a winner by people.
        single_gap: mean distance of the totals by a single advocate of each side.
    """

    bench: str
    tau: float
    pairs: int
    decided: int
    single_gap: float
    rows: tuple[Aggregation, ...]


def measure_sweep(
    bench: Bench, evaluation: Evaluation, ballots: Mapping[str, Taken]
) -> Sweep | None:
    """Sweep the temperature of a bench; `None` where it uses no softmax or has no ballots."""
    if bench.judge != "more" or bench.options.get("aggregate") != "softmax":
        return None
    tau = float(bench.options.get("tau", 0.05))
    recount = partial(_recount, bench.name, evaluation, ballots)
    own = recount(partial(weighted_total, tau=tau))
    if not own:
        return None
    means = [partial(_measure, "softmax", tau=value) for value in sorted({*TAUS, tau})]
    rows = (partial(_measure, "highest"), *means, partial(_measure, "mean"))
    single = list(recount_verdicts(evaluation, ballots, bench.name, _single_distance))
    return Sweep(
        bench=bench.name,
        tau=tau,
        pairs=len(own),
        decided=sum(verdict.pair.outcome != TIE for verdict in own),
        single_gap=fmean(verdict.gap for verdict in single),
        rows=tuple(row(own, recount) for row in rows),
    )


def sweep_table(sweep: Sweep) -> Table:
    """Lay out a row per temperature."""
    return Table(
        title=f"Aggregation of advocates by softmax: {sweep.bench}",
        head=("tau", "accuracy", "ties", "changed", "|s1-s2|", "accuracy, log-sum-exp",
              "|s1-s2|, log-sum-exp"),
        rows=tuple(_format_row(row, sweep.tau) for row in sweep.rows),
        notes=(
            f"{counted(sweep.pairs, 'pair')}, {sweep.decided} with a winner by people; from the "
            "stored ballots, without a call. tau: temperature, for scores from 0 to 1; near 0 the "
            "highest score of a side's advocates counts, at a high one their mean. changed: "
            "verdicts that differ from those of the bench's own tau (*). |s1-s2| by a single "
            f"advocate of each side: {sweep.single_gap:.1f}. The mean weighted by the softmax is "
            "never above the highest score; the log-sum-exp is never below it, as the paper's "
            "aggregation property asks.",
        ),
    )  # fmt: skip


def read_totals_of_advocates(steps: Sequence[Step]) -> dict[str, list[float]]:
    """Return each side's totals, one per advocate who was heard for the first time.

    >>> step = {"agent": "advocates", "pro": 72.0, "con": 60.0, "pro_weight": 1, "con_weight": 1}
    >>> read_totals_of_advocates([step, {"agent": "missing"}])
    {'pro': [72.0], 'con': [60.0]}
    """
    pairs = [step for step in steps if step.get("agent") == PAIR_OF_ADVOCATES]
    return {
        side: [float(step[side]) for step in pairs if f"{side}_weight" in step] for side in SIDES
    }


def _recount(
    bench: str, evaluation: Evaluation, ballots: Mapping[str, Taken], aggregate: _Aggregate
) -> list[Recount]:
    def rule(steps: Sequence[Step]) -> float | None:
        totals = read_totals_of_advocates(steps)
        if not all(totals.values()):
            return None
        pro, con = (aggregate(totals[side]) for side in SIDES)
        return pro - con

    return list(recount_verdicts(evaluation, ballots, bench, rule))


def _single_distance(steps: Sequence[Step]) -> float | None:
    """Return the mean distance of the totals of two advocates who were heard together."""
    pairs = [step for step in steps if step.get("agent") == PAIR_OF_ADVOCATES]
    return fmean(abs(step["pro"] - step["con"]) for step in pairs) if pairs else None


def _measure(
    aggregate: Literal["highest", "softmax", "mean"],
    own: Sequence[Recount],
    recount: Callable[[_Aggregate], list[Recount]],
    *,
    tau: float = float("nan"),
) -> Aggregation:
    rules: Mapping[str, _Aggregate] = {"highest": max, "mean": fmean}
    verdicts = recount(rules.get(aggregate, partial(weighted_total, tau=tau)))
    smooth = recount(partial(log_sum_exp_total, tau=tau)) if aggregate == "softmax" else []
    return Aggregation(
        aggregate=aggregate,
        tau=tau,
        right=_share_right(verdicts),
        ties=sum(v.outcome == TIE for v in verdicts if v.pair.outcome != TIE),
        changed=sum(
            verdict.outcome != usual.outcome for verdict, usual in zip(verdicts, own, strict=True)
        ),
        gap=fmean(verdict.gap for verdict in verdicts),
        log_sum_exp_right=_share_right(smooth),
        log_sum_exp_gap=fmean(v.gap for v in smooth) if smooth else float("nan"),
    )


def _share_right(verdicts: Sequence[Recount]) -> float:
    decided = [verdict for verdict in verdicts if verdict.pair.outcome != TIE]
    right = sum(verdict.outcome == verdict.pair.outcome for verdict in decided)
    return right / len(decided) if decided else float("nan")


def _format_row(row: Aggregation, own: float) -> tuple[str, ...]:
    name = f"{row.tau:g}" if row.aggregate == "softmax" else row.aggregate
    return (
        f"{name} *" if row.tau == own else name,
        format_number(row.right, ".3f"),
        str(row.ties),
        str(row.changed),
        f"{row.gap:.1f}",
        format_number(row.log_sum_exp_right, ".3f"),
        format_number(row.log_sum_exp_gap, ".1f"),
    )


def read_sweeps(
    benches: Sequence[Bench], evaluation: Evaluation, ballots: Mapping[str, Taken]
) -> Iterator[Sweep]:
    """Yield the sweeps of the benches that use a softmax."""
    for bench in benches:
        sweep = measure_sweep(bench, evaluation, ballots)
        if sweep is not None:
            yield sweep
