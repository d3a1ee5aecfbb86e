"""The distance of two answers' totals: how it evolves over rounds, and how two methods differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, nan
from statistics import fmean
from typing import Annotated

import numpy as np

from arena.debates.pairs import steps_by_order
from arena.output.interval_text import format_interval_method
from arena.output.tables import Table
from arena.read.heading import Heading
from arena.records import Bench, Step
from arena.text import counted
from judges.methods.criteria import Scored, read_scored
from judges.studies.labelled.accuracy import (
    PairVerdict,
    Totals,
    group_by_bench,
    match_verdicts,
)
from judges.studies.statistics.estimates import clustered_t
from judges.studies.tables import format_p, format_range, tabulate_fields
from ratings import GapModel, clustered_mean, clustered_test, gap_model, gaps, rounds_until

#: Gaps of which the probability to be exceeded is shown, and those whose first round is.
TAILS = (0.1, 0.25, 0.5)
REACHED = (0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class TailProbability:
    """P(G > threshold), exactly, and the paper's lower bound of it (NaN where there is none)."""

    threshold: float
    exact: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedGap:
    """How soon a gap is reached.

    Attributes:
        runs: number of runs that reach it.
        mean_round: the mean first round of these; NaN of none.
    """

    least: float
    runs: int
    mean_round: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """How the gap evolves in the runs of one bench.

    Attributes:
        by_round: mean gap of each round, 0 to 1.
    """

    bench: str
    model: GapModel
    by_round: tuple[float, ...]
    tails: tuple[TailProbability, ...]
    reached: tuple[ReachedGap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceComparison:
    """The distance |s1 - s2| of two answers' totals by two benches on the same pairs.

    Attributes:
        first_mean, second_mean: mean distance, 0 to 114.
        difference: the first's mean minus the second's.
        lower, upper: 95 % interval of it, by questions; NaN with a single one.
        t, p: paired t-test of it, clustered by question.
        larger: share of the pairs on which the first's distance is the larger.
    """

    first: Annotated[str, Heading("MORE")]
    second: Annotated[str, Heading("SAMRE")]
    scored: Annotated[Scored, Heading("scores")]
    pairs: Annotated[int, Heading("pairs")]
    first_mean: Annotated[float, Heading("|s1-s2| MORE", ".1f")]
    second_mean: Annotated[float, Heading("|s1-s2| SAMRE", ".1f")]
    difference: Annotated[float, Heading("difference", "+.1f")]
    lower: float
    upper: Annotated[
        float, Heading("95 % interval", read=lambda row: format_range(row.lower, row.upper, "+.1f"))
    ]
    questions: int
    t: Annotated[float, Heading("t", ".2f")]
    p: Annotated[float, Heading("p", format_p)]
    larger: Annotated[float, Heading("MORE larger", ".0%")]


def read_totals(trace: Sequence[Step]) -> Iterator[Totals]:
    """Yield the totals of each order of a ballot's trace, round by round; nothing without rounds.

    >>> list(read_totals([{"agent": "judge", "round": 1, "pro": 72.0, "con": 60.0}]))
    [((72.0, 60.0),)]
    """
    for _, steps in steps_by_order(trace):
        rounds = sorted(
            (step for step in steps if step.get("agent") == "judge" and "round" in step),
            key=lambda step: int(step["round"]),
        )
        if rounds:
            yield tuple((float(step["pro"]), float(step["con"])) for step in rounds)


def measure_gaps(bench: str, verdicts: Sequence[PairVerdict]) -> Gaps | None:
    """Measure how the gap evolves in the runs of a bench; `None` where it judges in no rounds.

    The bench plays all rounds: a run that stops early stops because of its gaps.
    """
    runs = [gaps(*zip(*run, strict=True)) for verdict in verdicts for run in verdict.rounds]
    if not runs:
        return None
    model = gap_model(runs)
    return Gaps(
        bench=bench,
        model=model,
        by_round=tuple(
            fmean(float(run[place]) for run in runs if len(run) > place)
            for place in range(max(map(len, runs)))
        ),
        tails=tuple(
            TailProbability(threshold=tail, exact=model.tail(tail), bound=model.bound(tail))
            for tail in TAILS
        ),
        reached=tuple(
            _measure_reach(least, [rounds_until(run, least) for run in runs]) for least in REACHED
        ),
    )


def _measure_reach(least: float, rounds: Sequence[int | None]) -> ReachedGap:
    """Summarise the first rounds, one per run, in which a gap was reached."""
    known = [number for number in rounds if number is not None]
    return ReachedGap(least=least, runs=len(known), mean_round=fmean(known) if known else nan)


def compare_distances(
    first: str,
    second: str,
    verdicts: Sequence[PairVerdict],
    rng: np.random.Generator,
    *,
    scored: Scored = "answers",
) -> DistanceComparison | None:
    """Compare the distances of totals by two benches; `None` where they share no pair."""
    grouped = group_by_bench(verdicts)
    both = match_verdicts(grouped[first], grouped[second])
    if not both:
        return None
    distances = np.array([[mine.gap, theirs.gap] for mine, theirs in both])
    differences = distances[:, 0] - distances[:, 1]
    questions = [verdict.question for verdict, _ in both]
    mean = clustered_mean(differences, questions, rng)
    t, p = clustered_t(differences, questions)
    return DistanceComparison(
        first=first,
        second=second,
        scored=scored,
        pairs=len(both),
        first_mean=float(distances[:, 0].mean()),
        second_mean=float(distances[:, 1].mean()),
        difference=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
        questions=mean.clusters,
        t=t,
        p=p,
        larger=float((differences > 0).mean()),
    )


def distances_table(comparisons: Sequence[DistanceComparison]) -> Table:
    """Lay out a row per comparison of MORE with SAMRE."""
    questions = [comparison.questions for comparison in comparisons]
    return tabulate_fields(
        comparisons,
        title="How far apart the two answers' totals are: MORE against SAMRE",
        labels=3,
        notes=(
            "Totals run from 6 to 120. Theorem 1 of the paper says that MORE separates the totals "
            "of the two answers more than a debate in rounds; the difference tests this on these "
            "pairs. The theorem is about the scores of `defences`; `answers` are scored in a "
            "variant of this project. The difference's interval: "
            f"{format_interval_method('question', questions)}. t, p: paired t-test, clustered by "
            "question.",
        ),
    )


def gaps_table(bench: Gaps) -> Table:
    """Lay out how the gap evolves in the runs of one bench."""
    model = bench.model
    rows = [(f"mean gap in round {n}", f"{gap:.3f}") for n, gap in enumerate(bench.by_round, 1)]
    rows += [
        ("steps in which the gap grew", f"{model.grew} of {model.steps}"),
        (f"mean of Beta({model.a:g}, {model.b:g})", f"{model.mean:.3f}"),
        ("its variance", f"{model.variance:.5f}"),
    ]
    for tail in bench.tails:
        bound = "does not hold" if isnan(tail.bound) else f"{tail.bound:.3f}"
        rows.append((f"P(G > {tail.threshold:g})", f"{tail.exact:.3f} (the paper's bound {bound})"))
    runs = counted(model.runs, "run")
    for reach in bench.reached:
        mean = "" if isnan(reach.mean_round) else f", first in round {reach.mean_round:.1f}"
        rows.append((f"a gap of {reach.least:g}", f"in {reach.runs} of {runs}{mean}"))
    return Table(
        title=f"How the gap evolves: {bench.bench}, {runs} without the stopping rule",
        head=("gap: |s1-s2| / 114", "value"),
        rows=tuple(rows),
        notes=(
            "The model counts how often the gap grew from one round to the next, not by how much.",
        ),
    )


#: The range of a gap |s1 - s2| between totals from 6 to 120.
_RANGE = 114


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationComparison:
    """The rounds until one gap, by MORE and by SAMRE, on the same pairs.

    Attributes:
        rounds: within how many both are compared.
        least: the gap, 0 to 1.
        more_reached, samre_reached: mean share of a pair's runs that reach it.
        more_mean, samre_mean: mean first round; a run that does not reach it counts rounds + 1.
        more_sooner, samre_sooner: number of pairs on which that one needs fewer rounds.
        p: two-sided sign test of these two, by `ratings.clustered_test` of questions.
    """

    more: Annotated[str, Heading("MORE")]
    samre: Annotated[str, Heading("SAMRE")]
    scored: Annotated[Scored, Heading("scores")]
    rounds: Annotated[int, Heading("rounds")]
    least: Annotated[float, Heading("gap", "g")]
    pairs: Annotated[int, Heading("pairs")]
    more_reached: Annotated[float, Heading("MORE reaches it", ".0%")]
    samre_reached: Annotated[float, Heading("SAMRE reaches it", ".0%")]
    more_mean: Annotated[float, Heading("mean round MORE", ".2f")]
    samre_mean: Annotated[float, Heading("mean round SAMRE", ".2f")]
    more_sooner: Annotated[int, Heading("MORE sooner")]
    samre_sooner: Annotated[int, Heading("SAMRE sooner")]
    p: Annotated[float, Heading("p", format_p)]


def compare_iterations(
    benches: Sequence[Bench], verdicts: Sequence[PairVerdict]
) -> Iterator[IterationComparison]:
    """Compare every MORE with every SAMRE of its model that scores the same, gap by gap.

    A SAMRE that stops early stops because of its gaps, so only those that play all rounds count.
    """
    by_bench = group_by_bench(verdicts)
    for more, samre in product(benches, repeat=2):
        are_compared = (
            (more.judge, samre.judge) == ("more", "samre")
            and not samre.options["early_stop"]
            and more.model == samre.model
            and read_scored(more.options) == read_scored(samre.options)
        )
        both = match_verdicts(by_bench[more.name], by_bench[samre.name]) if are_compared else []
        if both:
            runs = [[_read_runs(verdict) for verdict in own] for own in zip(*both, strict=True)]
            questions = [verdict.question for verdict, _ in both]
            for least in REACHED:
                yield _compare_rounds((more, samre), runs, questions, least)


def iterations_table(comparisons: Sequence[IterationComparison]) -> Table:
    """Lay out a row per comparison."""
    return tabulate_fields(
        comparisons,
        title="Rounds until a gap: MORE against SAMRE",
        labels=3,
        notes=(
            "Theorem 2 of the paper says that MORE needs fewer rounds than a debate with one "
            "advocate a side to set the totals apart by any gap (|s1-s2| / 114). Both are compared "
            "within as many rounds as both have held; MORE has one unless its option `rounds` says "
            "otherwise, and then only the share that reaches the gap at once tells them apart. "
            "mean round: a run that does not reach the gap counts as one more than there are. p: "
            "exact sign test of the pairs on which one of them is sooner, clustered by question.",
        ),
    )


def _read_runs(verdict: PairVerdict) -> list[list[float]]:
    """Return the gaps of each run and order, round by round; without rounds, the mean one."""
    if not verdict.rounds:
        return [[verdict.gap / _RANGE]]
    return [[float(gap) for gap in gaps(*zip(*run, strict=True))] for run in verdict.rounds]


def _compare_rounds(
    benches: tuple[Bench, Bench],
    runs: Sequence[Sequence[Sequence[Sequence[float]]]],
    questions: Sequence[str],
    least: float,
) -> IterationComparison:
    """Compare the rounds until a gap.

    Args:
        runs: by bench and pair: the gaps of each run and order, round by round.
    """
    more, samre = benches
    limit = min(max(len(run) for pair in own for run in pair) for own in runs)
    firsts = [
        # one more than the limit where no round reaches the gap
        [[rounds_until(run[:limit], least) or limit + 1 for run in pair] for pair in own]
        for own in runs
    ]
    means = [[fmean(pair) for pair in own] for own in firsts]
    reached = [fmean(fmean(first <= limit for first in pair) for pair in own) for own in firsts]
    signs = [(mine < theirs) - (mine > theirs) for mine, theirs in zip(*means, strict=True)]
    return IterationComparison(
        more=more.name,
        samre=samre.name,
        scored=read_scored(more.options),
        rounds=limit,
        least=least,
        pairs=len(questions),
        more_reached=reached[0],
        samre_reached=reached[1],
        more_mean=fmean(means[0]),
        samre_mean=fmean(means[1]),
        more_sooner=signs.count(1),
        samre_sooner=signs.count(-1),
        p=clustered_test(signs, questions, np.random.default_rng(0)).p,
    )
