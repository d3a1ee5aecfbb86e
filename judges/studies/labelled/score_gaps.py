"""The distance of two answers' totals: how it evolves over rounds, and how two methods differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import fmean

import numpy as np

from arena.console.tables import Table
from arena.debates.pairs import steps_by_order
from arena.records import Step
from arena.report.interval_text import format_interval_method
from arena.text import counted
from judges.methods.scored import Scored
from judges.studies.cells import UNDEFINED, format_number, format_p
from judges.studies.labelled.accuracy import PairVerdict, Totals
from judges.studies.statistics.paired import clustered_t
from ratings import GapModel, clustered_mean, gap_model, gaps, rounds_until

#: Gaps of which the probability to be exceeded is shown, and those whose first round is.
TAILS = (0.1, 0.25, 0.5)
REACHED = (0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """P(G > threshold), exactly, and the paper's lower bound of it (NaN where there is none)."""

    threshold: float
    exact: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How soon a gap is reached.

    Attributes:
        least: the gap.
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
        model: fitted to all of them.
        by_round: mean gap of each round, 0 to 1.
    """

    bench: str
    model: GapModel
    by_round: tuple[float, ...]
    tails: tuple[Tail, ...]
    reached: tuple[Reach, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceComparison:
    """The distance |s1 - s2| of two answers' totals by two benches on the same pairs.

    Attributes:
        scored: what both score.
        first_mean, second_mean: mean distance, 0 to 114.
        difference: the first's mean minus the second's.
        lower, upper: 95 % interval of it, by questions; NaN with a single one.
        questions: number of questions.
        t, p: paired t-test of it, clustered by question.
        larger: share of the pairs on which the first's distance is the larger.
    """

    first: str
    second: str
    scored: Scored
    pairs: int
    first_mean: float
    second_mean: float
    difference: float
    lower: float
    upper: float
    questions: int
    t: float
    p: float
    larger: float


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

    Args:
        bench: its name; a bench that plays all rounds, because a run that stops early stops
            because of its gaps.
        verdicts: all of its verdicts.
    """
    runs = [gaps(*zip(*run, strict=True)) for verdict in verdicts for run in verdict.rounds]
    if not runs:
        return None
    model = gap_model(runs)
    most = max(map(len, runs))
    reached = {least: [rounds_until(run, least) for run in runs] for least in REACHED}
    return Gaps(
        bench=bench,
        model=model,
        by_round=tuple(
            fmean(float(run[place]) for run in runs if len(run) > place) for place in range(most)
        ),
        tails=tuple(
            Tail(threshold=tail, exact=model.tail(tail), bound=model.bound(tail)) for tail in TAILS
        ),
        reached=tuple(_measure_reach(least, rounds) for least, rounds in reached.items()),
    )


def compare_distances(
    first: str,
    second: str,
    verdicts: Sequence[PairVerdict],
    rng: np.random.Generator,
    *,
    scored: Scored = "answers",
) -> DistanceComparison | None:
    """Compare the distances of totals by two benches; `None` where they share no pair.

    Args:
        first: the name of the first bench.
        second: the name of the second.
        verdicts: of both, and possibly of other benches.
        rng: draws the questions.
        scored: what both score.
    """
    by_item = {v.item: v for v in verdicts if v.bench == second}
    both = [(v, by_item[v.item]) for v in verdicts if v.bench == first and v.item in by_item]
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
    head = ("MORE", "SAMRE", "scores", "pairs", "|s1-s2| MORE", "|s1-s2| SAMRE", "difference",
            "95 % interval", "t", "p", "MORE larger")  # fmt: skip
    questions = [comparison.questions for comparison in comparisons]
    return Table(
        title="How far apart the two answers' totals are: MORE against SAMRE",
        head=head,
        rows=tuple(map(_distance_row, comparisons)),
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


def _distance_row(comparison: DistanceComparison) -> tuple[str, ...]:
    lower, upper = comparison.lower, comparison.upper
    return (
        *(comparison.first, comparison.second, comparison.scored, str(comparison.pairs)),
        *(f"{mean:.1f}" for mean in (comparison.first_mean, comparison.second_mean)),
        f"{comparison.difference:+.1f}",
        UNDEFINED if isnan(lower) else f"{lower:+.1f} to {upper:+.1f}",
        format_number(comparison.t, ".2f"),
        format_p(comparison.p),
        f"{comparison.larger:.0%}",
    )


def _measure_reach(least: float, rounds: Sequence[int | None]) -> Reach:
    """Summarise the first rounds, one per run, in which a gap was reached."""
    known = [number for number in rounds if number is not None]
    mean = fmean(known) if known else float("nan")
    return Reach(least=least, runs=len(known), mean_round=mean)
