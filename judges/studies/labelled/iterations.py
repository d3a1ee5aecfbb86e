"""How many rounds MORE and SAMRE need until the totals of two answers are far enough apart.

Bandi and Harrasse 2024 (arXiv 2410.04663), Theorem 2, claims that MORE needs fewer. Both are
compared on the same pairs, within as many rounds as both have held; MORE as published has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from arena.console.tables import Table
from arena.records import Bench
from judges.methods.scored import Scored, read_scored
from judges.studies.cells import format_p
from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.score_gaps import REACHED
from ratings import clustered_test, gaps, rounds_until

#: The range of a gap |s1 - s2| between totals from 6 to 120.
_RANGE = 114


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationComparison:
    """The rounds until one gap, by MORE and by SAMRE, on the same pairs.

    Attributes:
        scored: what both score.
        rounds: within how many both are compared.
        least: the gap, 0 to 1.
        more_reached, samre_reached: mean share of a pair's runs that reach it.
        more_mean, samre_mean: mean first round; a run that does not reach it counts rounds + 1.
        more_sooner, samre_sooner: number of pairs on which that one needs fewer rounds.
        p: two-sided sign test of these two, by `ratings.clustered_test` of questions.
    """

    more: str
    samre: str
    scored: Scored
    rounds: int
    least: float
    pairs: int
    more_reached: float
    samre_reached: float
    more_mean: float
    samre_mean: float
    more_sooner: int
    samre_sooner: int
    p: float


def compare_iterations(
    benches: Sequence[Bench], verdicts: Sequence[PairVerdict]
) -> Iterator[IterationComparison]:
    """Compare every MORE with every SAMRE of its model that scores the same, gap by gap.

    A SAMRE that stops early stops because of its gaps, so only those that play all rounds count.
    """
    by_bench: dict[str, dict[str, PairVerdict]] = {}
    for verdict in verdicts:
        by_bench.setdefault(verdict.bench, {})[verdict.item] = verdict
    for more, samre in _find_opponents(benches):
        mine, theirs = by_bench.get(more.name, {}), by_bench.get(samre.name, {})
        both = [(mine[item], theirs[item]) for item in mine if item in theirs]
        if both:
            runs = [(_read_runs(first), _read_runs(second)) for first, second in both]
            questions = [verdict.question for verdict, _ in both]
            limit = min(max(len(run) for pair in runs for run in pair[side]) for side in (0, 1))
            for least in REACHED:
                yield _compare((more, samre), runs, questions, least=least, limit=limit)


def iterations_table(comparisons: Sequence[IterationComparison]) -> Table:
    """Lay out a row per comparison."""
    return Table(
        title="Rounds until a gap: MORE against SAMRE",
        head=("MORE", "SAMRE", "scores", "rounds", "gap", "pairs", "MORE reaches it",
              "SAMRE reaches it", "mean round MORE", "mean round SAMRE", "MORE sooner",
              "SAMRE sooner", "p"),
        rows=tuple(map(_format_row, comparisons)),
        labels=3,
        notes=(
            "Theorem 2 of the paper says that MORE needs fewer rounds than a debate with one "
            "advocate a side to set the totals apart by any gap (|s1-s2| / 114). Both are compared "
            "within as many rounds as both have held; MORE has one unless its option `rounds` says "
            "otherwise, and then only the share that reaches the gap at once tells them apart. "
            "mean round: a run that does not reach the gap counts as one more than there are. p: "
            "exact sign test of the pairs on which one of them is sooner, clustered by question.",
        ),
    )  # fmt: skip


def _find_opponents(benches: Sequence[Bench]) -> Iterator[tuple[Bench, Bench]]:
    for more in benches:
        for samre in benches:
            if (
                (more.judge, samre.judge) == ("more", "samre")
                and not samre.options["early_stop"]
                and more.model == samre.model
                and read_scored(more.options) == read_scored(samre.options)
            ):
                yield more, samre


def _read_runs(verdict: PairVerdict) -> list[list[float]]:
    """Return the gaps of each run and order, round by round; without rounds, the mean one."""
    if not verdict.rounds:
        return [[verdict.gap / _RANGE]]
    return [[float(gap) for gap in gaps(*zip(*run, strict=True))] for run in verdict.rounds]


def _compare(
    benches: tuple[Bench, Bench],
    both: Sequence[tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]]],
    questions: Sequence[str],
    *,
    least: float,
    limit: int,
) -> IterationComparison:
    more, samre = benches
    firsts: Mapping[str, list[list[int]]] = {
        bench.name: [[_first_round(run, least, limit) for run in pair[side]] for pair in both]
        for side, bench in enumerate((more, samre))
    }
    means = {name: [fmean(pair) for pair in pairs] for name, pairs in firsts.items()}
    reached = {
        name: fmean(fmean(first <= limit for first in pair) for pair in pairs)
        for name, pairs in firsts.items()
    }
    compared = list(zip(means[more.name], means[samre.name], strict=True))
    signs = [(mine < theirs) - (mine > theirs) for mine, theirs in compared]
    return IterationComparison(
        more=more.name,
        samre=samre.name,
        scored=read_scored(more.options),
        rounds=limit,
        least=least,
        pairs=len(both),
        more_reached=reached[more.name],
        samre_reached=reached[samre.name],
        more_mean=fmean(means[more.name]),
        samre_mean=fmean(means[samre.name]),
        more_sooner=signs.count(1),
        samre_sooner=signs.count(-1),
        p=clustered_test(signs, questions, np.random.default_rng(0)).p,
    )


def _first_round(run: Sequence[float], least: float, limit: int) -> int:
    """Return the first round within the limit that reaches a gap; one more than it of none."""
    return rounds_until(run[:limit], least) or limit + 1


def _format_row(row: IterationComparison) -> tuple[str, ...]:
    return (
        *(row.more, row.samre, row.scored, str(row.rounds), f"{row.least:g}", str(row.pairs)),
        *(f"{share:.0%}" for share in (row.more_reached, row.samre_reached)),
        *(f"{mean:.2f}" for mean in (row.more_mean, row.samre_mean)),
        *(str(row.more_sooner), str(row.samre_sooner), format_p(row.p)),
    )
