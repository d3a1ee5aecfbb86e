"""Other rules of decision, applied to stored ballots, which takes no call.

Bandi and Harrasse 2024 (arXiv 2410.04663) set scoring against ranking (section 2.4) and report no
figures: jurors who give marks, and jurors who only say who is better. Where jurors give marks, both
rules are applied to the same ballots: the mean of their marks, and the majority of those they put
ahead. Where one bench of a model has its jurors vote and another, otherwise alike, has them score,
these two are compared as well.

In section 3.3 and appendix A.5 a softmax aggregates the scores of advocates. The judge has scored
them two by two, so that every temperature can be tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import nan
from statistics import fmean
from typing import Annotated, Literal

from arena.languages import SIDES
from arena.output.tables import Column, Table, tabulate
from arena.read.heading import Heading
from arena.read.trials import Trial
from arena.records import Bench, Step
from arena.text import counted
from judges.methods.more import PAIR_OF_ADVOCATES, log_sum_exp_total, weighted_total
from judges.studies.labelled.accuracy import PairVerdict, contrast, group_by_bench
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.labelled.verdicts import Recount, recount_verdicts
from judges.studies.tables import format_number, format_p, tabulate_fields
from ratings import TIE, outcome_of

#: The two marks of a juror of `samre` and of a member of a `jury`, in their steps.
_MARKS = (("pro_score", "con_score"), ("pro_mark", "con_mark"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingComparison:
    """Ranking against scoring on the same pairs.

    Attributes:
        ranking, scoring: the benches; the same where its ballots are counted in both ways.
        pairs: number of pairs with a winner by people that both have judged.
        ranking_right, scoring_right: share on which each names the same; NaN of no pairs.
        ranking_ties, scoring_ties: number of these on which each names none.
        different: number of these on which they differ.
        only_ranking, only_scoring: number that one alone is right about.
        p: two-sided test of these, as in `Contrast.mcnemar_p`.
    """

    ranking: Annotated[str, Heading("ranking")]
    scoring: Annotated[str, Heading("scoring")]
    pairs: Annotated[int, Heading("pairs")]
    ranking_right: Annotated[float, Heading("accuracy, ranking", ".3f")]
    scoring_right: Annotated[float, Heading("accuracy, scoring", ".3f")]
    ranking_ties: Annotated[int, Heading("ties, ranking")]
    scoring_ties: Annotated[int, Heading("ties, scoring")]
    different: Annotated[int, Heading("different")]
    only_ranking: Annotated[int, Heading("ranking alone")]
    only_scoring: Annotated[int, Heading("scoring alone")]
    p: Annotated[float, Heading("p of McNemar", format_p)]


def compare_rankings(
    benches: Sequence[Bench],
    evaluation: Evaluation,
    ballots: Mapping[str, Trial],
    verdicts: Sequence[PairVerdict],
) -> Iterator[RankingComparison]:
    """Yield a comparison for every bench whose jurors give marks, and for every two benches."""
    pairs = {pair.item: pair for pair in evaluation.pairs}
    for bench in benches:
        ranked, scored = (
            {
                verdict.pair.item: verdict.outcome
                for verdict in recount_verdicts(evaluation, ballots, bench.name, rule)
            }
            for rule in (rank_jurors, score_jurors)
        )
        if ranked:
            yield _compare((bench.name, bench.name), ranked, scored, pairs)
    outcomes = {
        bench: {item: verdict.outcome for item, verdict in own.items()}
        for bench, own in group_by_bench(verdicts).items()
    }
    for names in _find_counterparts(benches):
        voted, marked = (outcomes.get(name, {}) for name in names)
        if voted.keys() & marked.keys():
            yield _compare(names, voted, marked, pairs)


def rank_jurors(steps: Sequence[Step]) -> float | None:
    """Return by how many jurors Pro is ahead; `None` where they give no marks.

    >>> ahead = {"agent": "member", "pro_mark": 9.0, "con_mark": 3.0}
    >>> behind = {"agent": "member", "pro_mark": 4.0, "con_mark": 5.0}
    >>> rank_jurors([ahead, behind, behind]), rank_jurors([{"agent": "juror", "winner": "Pro"}])
    (-1.0, None)
    """
    leads = _read_leads(steps)
    return sum(2 * outcome_of(lead) - 1 for lead in leads) if leads else None


def score_jurors(steps: Sequence[Step]) -> float | None:
    """Return by how much Pro's mean mark is higher; `None` where jurors give none.

    >>> ahead = {"agent": "juror", "pro_score": 90.0, "con_score": 30.0}
    >>> score_jurors([ahead, {"agent": "juror", "pro_score": 40.0, "con_score": 50.0}])
    25.0
    """
    leads = _read_leads(steps)
    return fmean(leads) if leads else None


def rankings_table(comparisons: Sequence[RankingComparison]) -> Table:
    """Lay out a row per comparison."""
    return tabulate_fields(
        comparisons,
        title="Scoring against ranking",
        labels=2,
        notes=(
            "ranking: the majority of those whom jurors (of samre) or members (of a jury) put "
            "ahead; scoring: the higher mean of their marks. A bench beside itself: both rules on "
            "the same ballots, without a call. Two benches: jurors who were asked for a vote, and "
            "jurors who were asked for scores. pairs: those for which people named a winner; "
            "alone: pairs on which only that rule is right; p: McNemar's exact test, clustered by "
            "question. A jury that stops early has the marks of those that were asked.",
        ),
    )


def _read_leads(steps: Sequence[Step]) -> list[float]:
    """Return by how much each juror or member puts Pro ahead."""
    return [
        round(float(step[pro]) - float(step[con]), 9)
        for step in steps
        for pro, con in _MARKS
        if step.get("agent") in ("juror", "member") and pro in step
    ]


def _find_counterparts(benches: Sequence[Bench]) -> list[tuple[str, str]]:
    """Return the names of benches of `samre` that differ in the mode of their jurors alone."""

    def rest(bench: Bench) -> tuple[object, ...]:
        options = {name: value for name, value in bench.options.items() if name != "juror_mode"}
        return bench.model, options, bench.runs, bench.swap, bench.sampling

    with_jurors = [b for b in benches if b.judge == "samre" and b.options["jurors"]]
    return [
        (voting.name, scoring.name)
        for voting, scoring in product(with_jurors, repeat=2)
        if (voting.options["juror_mode"], scoring.options["juror_mode"]) == ("vote", "score")
        and rest(voting) == rest(scoring)
    ]


def _compare(
    names: tuple[str, str],
    ranked: Mapping[str, float],
    scored: Mapping[str, float],
    pairs: Mapping[str, LabelledPair],
) -> RankingComparison:
    items = [item for item in ranked if item in scored and pairs[item].outcome != TIE]
    right = [[float(by[item] == pairs[item].outcome) for item in items] for by in (ranked, scored)]
    test = contrast(names, right[0], right[1], [pairs[item].cluster for item in items])
    count = len(items) or nan
    return RankingComparison(
        ranking=names[0],
        scoring=names[1],
        pairs=len(items),
        ranking_right=sum(right[0]) / count,
        scoring_right=sum(right[1]) / count,
        ranking_ties=sum(ranked[item] == TIE for item in items),
        scoring_ties=sum(scored[item] == TIE for item in items),
        different=sum(ranked[item] != scored[item] for item in items),
        only_ranking=test.only_first,
        only_scoring=test.only_second,
        p=test.mcnemar_p,
    )


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
    bench: Bench, evaluation: Evaluation, ballots: Mapping[str, Trial]
) -> Sweep | None:
    """Sweep the temperature of a bench; `None` where it uses no softmax or has no ballots."""
    if bench.judge != "more" or bench.options.get("aggregate") != "softmax":
        return None
    tau = float(bench.options.get("tau", 0.05))
    recount = partial(_recount_totals, bench.name, evaluation, ballots)
    own = recount(partial(weighted_total, tau=tau))
    if not own:
        return None
    single = list(recount_verdicts(evaluation, ballots, bench.name, _single_distance))
    return Sweep(
        bench=bench.name,
        tau=tau,
        pairs=len(own),
        decided=sum(verdict.pair.outcome != TIE for verdict in own),
        single_gap=fmean(verdict.gap for verdict in single),
        rows=(
            _measure_aggregation("highest", nan, own, recount(max)),
            *(
                _measure_aggregation(
                    "softmax",
                    value,
                    own,
                    recount(partial(weighted_total, tau=value)),
                    recount(partial(log_sum_exp_total, tau=value)),
                )
                for value in sorted({*TAUS, tau})
            ),
            _measure_aggregation("mean", nan, own, recount(fmean)),
        ),
    )


def sweep_table(sweep: Sweep) -> Table:
    """Lay out a row per temperature."""

    def name(row: Aggregation) -> str:
        tau = f"{row.tau:g}" if row.aggregate == "softmax" else row.aggregate
        return f"{tau} *" if row.tau == sweep.tau else tau

    three, one = partial(format_number, form=".3f"), partial(format_number, form=".1f")
    columns: list[Column[Aggregation]] = [
        Column(head="tau", read=name, label=True),
        Column(head="accuracy", read=lambda row: row.right, style=three),
        Column(head="ties", read=lambda row: row.ties),
        Column(head="changed", read=lambda row: row.changed),
        Column(head="|s1-s2|", read=lambda row: row.gap, style=one),
        Column(head="accuracy, log-sum-exp", read=lambda row: row.log_sum_exp_right, style=three),
        Column(head="|s1-s2|, log-sum-exp", read=lambda row: row.log_sum_exp_gap, style=one),
    ]
    return tabulate(
        columns,
        sweep.rows,
        title=f"Aggregation of advocates by softmax: {sweep.bench}",
        notes=(
            f"{counted(sweep.pairs, 'pair')}, {sweep.decided} with a winner by people; from the "
            "stored ballots, without a call. tau: temperature, for scores from 0 to 1; near 0 the "
            "highest score of a side's advocates counts, at a high one their mean. changed: "
            "verdicts that differ from those of the bench's own tau (*). |s1-s2| by a single "
            f"advocate of each side: {sweep.single_gap:.1f}. The mean weighted by the softmax is "
            "never above the highest score; the log-sum-exp is never below it, as the paper's "
            "aggregation property asks.",
        ),
    )


def _recount_totals(
    bench: str, evaluation: Evaluation, ballots: Mapping[str, Trial], aggregate: _Aggregate
) -> list[Recount]:
    def rule(steps: Sequence[Step]) -> float | None:
        totals = read_totals_of_advocates(steps)
        if not all(totals.values()):
            return None
        return aggregate(totals["pro"]) - aggregate(totals["con"])

    return list(recount_verdicts(evaluation, ballots, bench, rule))


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


def _single_distance(steps: Sequence[Step]) -> float | None:
    """Return the mean distance of the totals of two advocates who were heard together."""
    pairs = [step for step in steps if step.get("agent") == PAIR_OF_ADVOCATES]
    return fmean(abs(step["pro"] - step["con"]) for step in pairs) if pairs else None


def _measure_aggregation(
    aggregate: Literal["highest", "softmax", "mean"],
    tau: float,
    own: Sequence[Recount],
    verdicts: Sequence[Recount],
    smooth: Sequence[Recount] = (),
) -> Aggregation:
    """Measure the verdicts by one aggregate, and those by the log-sum-exp where there are any."""
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
        log_sum_exp_gap=fmean(v.gap for v in smooth) if smooth else nan,
    )


def _share_right(verdicts: Sequence[Recount]) -> float:
    decided = [verdict for verdict in verdicts if verdict.pair.outcome != TIE]
    right = sum(verdict.outcome == verdict.pair.outcome for verdict in decided)
    return right / len(decided) if decided else nan
