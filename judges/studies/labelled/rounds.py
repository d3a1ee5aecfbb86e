"""How far the totals of two answers are apart: over the rounds, and between two methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from arena.debates.pairs import orders
from arena.records import Step
from judges.studies.labelled.accuracy import Judged, Totals, paired_t
from ratings import GapModel, clustered_mean, gap_model, gaps, rounds_until

#: Gaps of which the probability to be exceeded is shown, and those whose first round is.
TAILS = (0.1, 0.25, 0.5)
REACHED = (0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """P(G > threshold), exactly, and the paper's lower bound of it (NaN where it holds none)."""

    threshold: float
    exact: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How soon a gap comes about.

    Attributes:
        least: the gap.
        runs: in how many runs it came about.
        mean_round: the mean first round of these; NaN of none.
    """

    least: float
    runs: int
    mean_round: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """How the gap evolves in the runs of one bench.

    Attributes:
        model: fitted on all of them.
        by_round: mean gap of each round, 0 to 1.
    """

    bench: str
    model: GapModel
    by_round: tuple[float, ...]
    tails: tuple[Tail, ...]
    reached: tuple[Reach, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """The distance |s1 - s2| of two answers' totals by two benches on the same pairs.

    Attributes:
        first_mean, second_mean: mean distance, 0 to 114.
        difference: the first's mean minus the second's.
        lower, upper: 95 % interval of it, by questions; NaN with a single one.
        questions: how many these are.
        t, p: paired t-test of it.
        larger: share of the pairs on which the first's distance is the larger.
    """

    first: str
    second: str
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


def totals(trace: Sequence[Step]) -> Iterator[Totals]:
    """The totals of each order of a ballot's trace, round by round; nothing without rounds.

    >>> list(totals([{"agent": "judge", "round": 1, "pro": 72.0, "con": 60.0}]))
    [((72.0, 60.0),)]
    """
    for _, steps in orders(trace):
        held = sorted(
            (one for one in steps if one.get("agent") == "judge" and "round" in one),
            key=lambda one: int(one["round"]),
        )
        if held:
            yield tuple((float(one["pro"]), float(one["con"])) for one in held)


def gaps_of(bench: str, found: Sequence[Judged]) -> Gaps | None:
    """How the gap evolves in the runs of a bench; `None` where it has none.

    Args:
        bench: its name; one that plays all rounds, because a run that stops early stops because
            of its gaps.
        found: its verdicts.
    """
    runs = [gaps(*zip(*run, strict=True)) for one in found for run in one.rounds]
    if not runs:
        return None
    model = gap_model(runs)
    length = max(map(len, runs))
    reached = {least: [rounds_until(run, least) for run in runs] for least in REACHED}
    return Gaps(
        bench=bench,
        model=model,
        by_round=tuple(
            fmean(float(run[place]) for run in runs if len(run) > place) for place in range(length)
        ),
        tails=tuple(
            Tail(threshold=one, exact=model.tail(one), bound=model.bound(one)) for one in TAILS
        ),
        reached=tuple(_reach(least, some) for least, some in reached.items()),
    )


def apart(
    first: str, second: str, found: Sequence[Judged], rng: np.random.Generator
) -> Apart | None:
    """The distance of totals by two benches on the pairs that both have; `None` of no pairs.

    Args:
        first: the name of one.
        second: that of the other.
        found: verdicts of both, and perhaps of others.
        rng: draws the questions.
    """
    by = {name: {one.item: one for one in found if one.bench == name} for name in (first, second)}
    both = [(one, by[second][item]) for item, one in by[first].items() if item in by[second]]
    if not both:
        return None
    distances = np.array([[one.gap, other.gap] for one, other in both])
    differences = distances[:, 0] - distances[:, 1]
    mean = clustered_mean(differences, [one.question for one, _ in both], rng)
    statistic, p = paired_t(differences)
    return Apart(
        first=first,
        second=second,
        pairs=len(both),
        first_mean=float(distances[:, 0].mean()),
        second_mean=float(distances[:, 1].mean()),
        difference=mean.mean,
        lower=mean.lower,
        upper=mean.upper,
        questions=mean.clusters,
        t=statistic,
        p=p,
        larger=float((differences > 0).mean()),
    )


def _reach(least: float, rounds: Sequence[int | None]) -> Reach:
    found = [one for one in rounds if one is not None]
    mean = fmean(found) if found else float("nan")
    return Reach(least=least, runs=len(found), mean_round=mean)
