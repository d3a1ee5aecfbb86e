"""Judges beside people, and people beside people: the ceiling of every judge.

People's ballots are those of benches of people: one per person and debate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from arena.records import Bench
from judges.studies.agreement.material import Material
from judges.studies.agreement.panel import alpha_of, matchups, run_counts
from judges.studies.agreement.statistics import (
    Array,
    Measured,
    by_cluster,
    cohen_kappa,
    lenient,
    measured,
    meetings,
    share,
    strict,
    value_counts,
)

#: Who is measured in the last row of each people's bench.
PEOPLE = "people with people"

#: Whether the people's score on a debate counts, or every vote of theirs.
By = Literal["debate", "vote"]

#: Where the outcomes that name a winner stand in `OUTCOMES`.
_SIDES = [0, 2]
_NOTHING = Measured(value=np.nan, lower=np.nan, upper=np.nan, count=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePeople:
    """One judge and a bench of people.

    Attributes:
        judge: a bench, or "people with people".
        people: the people's bench.
        by: `debate` (the people's score decides), or `vote` (every vote counts).
        debates: those that both have judged; of people with people, those with several votes.
        accuracy: share of equal winners where both name one; its count says how often they do.
        judge_ties, people_ties: shares of ties; NaN of no verdicts.
        strict, lenient: shares of agreement; in the second a tie agrees with everything.
        kappa: Cohen's; NaN of people with people, who are not two.
        alpha: Krippendorff's, a tie standing between the sides; by votes, of the judge as one more
            among the people.
    """

    judge: str
    people: str
    by: By
    debates: int
    accuracy: Measured
    judge_ties: float
    people_ties: float
    strict: Measured
    lenient: Measured
    kappa: Measured
    alpha: Measured


def beside_people(material: Material) -> Iterator[BesidePeople]:
    """Every judge that is no person beside every bench of people, then people with people."""
    voting = material.resolved.people_benches
    for people in material.benches:
        votes = run_counts(material, people.name)
        if people not in voting or votes.empty:
            continue
        for bench in material.benches:
            if bench not in voting:
                yield from _both_ways(material, bench, people, votes)
        yield _ceiling(material, people, votes)


def decided(votes: Array) -> Array:
    """What votes decide: the side with more of them, a tie where both have as many.

    >>> decided(np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0]])).tolist()
    [1.0, 0.5]

    Args:
        votes: (debates, 3) how many for Pro, for a tie and for Con.

    Returns:
        (debates,) Pro's outcome.
    """
    return np.asarray((np.sign(votes[:, 0] - votes[:, 2]) + 1) / 2)


def accuracy(tables: Array) -> Array:
    """The share of equal winners among those that both name, of tables (..., 3, 3)."""
    winners = tables[..., _SIDES, :][..., _SIDES]
    right = np.trace(winners, axis1=-2, axis2=-1)
    return share(np.stack([right, winners.sum(axis=(-2, -1))], axis=-1))


def _both_ways(
    material: Material, bench: Bench, people: Bench, votes: pd.DataFrame
) -> Iterator[BesidePeople]:
    """A judge beside people by debates, then by votes, on the debates that it has judged."""
    own = material.of(bench).set_index("debate_id")["outcome"]
    common = votes[votes.index.isin(own.index, level="debate_id")]
    if common.empty:
        return
    given = value_counts(own.reindex(common.index.get_level_values("debate_id")))
    counts = common.to_numpy(dtype=float)
    ways: tuple[tuple[By, Array], ...] = (
        ("debate", value_counts(decided(counts))),
        ("vote", counts),
    )
    for by, theirs in ways:
        yield _measure(
            material,
            (bench.name, people.name, by),
            given[:, :, None] * theirs[:, None, :],
            clusters=matchups(common),
            items=given + theirs,
        )


def _ceiling(material: Material, people: Bench, votes: pd.DataFrame) -> BesidePeople:
    """Every two votes on a debate."""
    several = votes[votes.sum(axis=1) > 1]
    counts = several.to_numpy(dtype=float)
    return _measure(
        material,
        (PEOPLE, people.name, "vote"),
        meetings(counts),
        clusters=matchups(several),
        items=counts,
    )


def _measure(
    material: Material,
    who: tuple[str, str, By],
    tables: Array,
    *,
    clusters: Array,
    items: Array,
) -> BesidePeople:
    """All figures of tables (debates, 3, 3): the judge's outcome by the people's."""
    judge, people, by = who
    summed, rng, debates = by_cluster(tables, clusters), material.rng(*who), len(tables)
    whole = tables.sum(axis=0)
    # Two people meet in both orders.
    winners = whole[_SIDES, :][:, _SIDES].sum() / (2 if judge == PEOPLE else 1)

    def of(statistic: Callable[[Array], Array], count: float = debates) -> Measured:
        return measured(summed, statistic, count=count, rng=rng)

    return BesidePeople(
        judge=judge,
        people=people,
        by=by,
        debates=debates,
        accuracy=of(accuracy, winners),
        judge_ties=_ties(whole.sum(axis=1)),
        people_ties=_ties(whole.sum(axis=0)),
        strict=of(strict),
        lenient=of(lenient),
        kappa=_NOTHING if judge == PEOPLE else of(cohen_kappa),
        alpha=alpha_of(items, clusters, "ordinal", rng),
    )


def _ties(margin: Array) -> float:
    return float(margin[1] / margin.sum()) if margin.sum() else float("nan")
