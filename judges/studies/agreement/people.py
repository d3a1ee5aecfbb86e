"""Judges compared with people, and people with each other: the ceiling of every judge.

People's ballots are those of benches of people: one per person and debate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import numpy as np
import pandas as pd

from arena.boards.vote_rules import majority_benches, vote_rules
from arena.output.tables import Table
from arena.read.heading import Heading
from arena.records import Bench
from judges.studies.agreement.bench_agreement import few_matchups_notes
from judges.studies.agreement.material import Material, matchup_codes
from judges.studies.statistics.agreement import (
    cohen_kappa,
    count_meetings,
    count_values,
    estimate_alpha,
    lenient_agreement,
    strict_agreement,
)
from judges.studies.statistics.estimates import (
    Array,
    Estimate,
    estimate_agreement,
    sum_by_cluster,
)
from judges.studies.tables import format_number, tabulate_fields

#: The judge in the last row of each people's bench: people are compared with each other.
PEOPLE = "people with people"

#: What a judge is compared with: the people's score on a debate, or each of their votes.
By = Literal["debate", "vote"]

#: The places of the outcomes that name a winner in `OUTCOMES`.
_WINNERS = [0, 2]
_UNDEFINED = Estimate(value=np.nan, lower=np.nan, upper=np.nan, count=0)


def _format_share(share: float) -> str:
    return format_number(100 * share, ".0f")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleComparison:
    """A judge compared with a bench of people.

    Attributes:
        judge: a bench, or `PEOPLE`.
        people: the people's bench.
        by: `debate` (the people's score decides), or `vote` (every vote counts).
        debates: number of those that both have judged; for `PEOPLE`, of those with several votes.
        accuracy: share of equal winners where both name one; its count says how often they do.
        judge_ties, people_ties: shares of ties; NaN of no verdicts.
        strict, lenient: shares of agreement; in the second a tie agrees with everything.
        kappa: Cohen's; NaN for `PEOPLE`, who are more than two.
        alpha: Krippendorff's, ordinal; by votes, the judge counts as one more person.
    """

    judge: Annotated[str, Heading("judge")]
    people: Annotated[str, Heading("people")]
    by: Annotated[By, Heading("by")]
    debates: Annotated[int, Heading("debates", ",")]
    accuracy: Annotated[
        Estimate, Heading("accuracy"), Heading("winners", ",", read=lambda row: row.accuracy.count)
    ]
    judge_ties: Annotated[float, Heading("ties", _format_share)]
    people_ties: Annotated[float, Heading("people's", _format_share)]
    strict: Annotated[Estimate, Heading("equal")]
    lenient: Annotated[Estimate, Heading("ties agree")]
    kappa: Annotated[Estimate, Heading("Cohen's kappa")]
    alpha: Annotated[Estimate, Heading("Krippendorff's alpha")]


def compare_with_people(material: Material) -> Iterator[PeopleComparison]:
    """Compare every judge that is no person with every bench of people, then people with people."""
    people_benches = material.resolved.people_benches
    for people in material.benches:
        votes = material.ballot_counts(people.name)
        if people not in people_benches or votes.empty:
            continue
        for bench in material.benches:
            if bench not in people_benches:
                yield from _compare_judge(material, bench, people, votes)
        several = votes[votes.sum(axis=1) > 1]
        counts = several.to_numpy(dtype=float)
        yield _measure(
            (PEOPLE, people.name, "vote"),
            count_meetings(counts),
            clusters=matchup_codes(several),
            counts=counts,
        )


def decide_by_votes(votes: Array, *, majority: bool = False) -> Array:
    """Return Pro's outcome by votes: the side with more wins; a tie where both have as many.

    >>> decide_by_votes(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]])).tolist()
    [1.0, 1.0]
    >>> decide_by_votes(np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]]), majority=True).tolist()
    [1.0, 0.5]

    Args:
        votes: (debates, 3) how many for Pro, for a tie and for Con.
        majority: whether a side needs more than half of all votes; otherwise it is a tie.
    """
    if majority:
        votes = (2 * votes > votes.sum(axis=1, keepdims=True)).astype(float)
    return np.asarray((np.sign(votes[:, 0] - votes[:, 2]) + 1) / 2)


def people_table(comparisons: Sequence[PeopleComparison]) -> Table:
    """Lay out a row per comparison."""
    return tabulate_fields(
        comparisons,
        title="Judges compared with people",
        labels=3,
        notes=(
            "`accuracy`: how often the judge names the people's winner, of the cases in which both "
            "name one (`winners`: their number); `ties`: shares of ties, %. With `debate` the "
            f"people's total score decides, with `vote` each vote counts. `{PEOPLE}` is the "
            "ceiling: the agreement of every two votes on a debate. Krippendorff's alpha treats "
            "the judge as one more voter.",
            "Published, where a tie agrees with anything: people with people 0.74 on debates "
            "between models and 0.73 on all, Debatrix with people 0.66 and 0.56.",
            *few_matchups_notes(each.alpha for each in comparisons),
        ),
    )


def _compare_judge(
    material: Material, bench: Bench, people: Bench, votes: pd.DataFrame
) -> Iterator[PeopleComparison]:
    """Compare a judge with people by debates, then by votes, on the debates that it has judged."""
    outcomes = material.verdicts_of(bench).set_index("debate_id")["outcome"]
    common = votes[votes.index.isin(outcomes.index, level="debate_id")]
    if common.empty:
        return
    judge_counts = count_values(outcomes.reindex(common.index.get_level_values("debate_id")))
    vote_counts = common.to_numpy(dtype=float)
    majority = people.name in majority_benches(vote_rules([people]))
    ways: tuple[tuple[By, Array], ...] = (
        ("debate", count_values(decide_by_votes(vote_counts, majority=majority))),
        ("vote", vote_counts),
    )
    for by, people_counts in ways:
        yield _measure(
            (bench.name, people.name, by),
            judge_counts[:, :, None] * people_counts[:, None, :],
            clusters=matchup_codes(common),
            counts=judge_counts + people_counts,
        )


def _measure(
    names: tuple[str, str, By], tables: Array, *, clusters: Array, counts: Array
) -> PeopleComparison:
    """Return all figures of a comparison.

    Args:
        names: the judge, the people's bench, and what the judge is compared with.
        tables: (debates, 3, 3), the judge's outcome by the people's.
        clusters: (debates,) the matchups.
        counts: (debates, 3) how often each outcome was given, by the judge and the people.
    """
    judge, people, by = names
    summed, whole = sum_by_cluster(tables, clusters), tables.sum(axis=0)
    winners = summed[:, _WINNERS, :][:, :, _WINNERS]
    estimate = partial(estimate_agreement, summed, count=len(tables), comparisons=whole.sum())
    return PeopleComparison(
        judge=judge,
        people=people,
        by=by,
        debates=len(tables),
        accuracy=estimate_agreement(winners, strict_agreement, count=winners.sum()),
        judge_ties=_share_of_ties(whole.sum(axis=1)),
        people_ties=_share_of_ties(whole.sum(axis=0)),
        strict=estimate(strict_agreement),
        lenient=estimate(lenient_agreement),
        kappa=_UNDEFINED if judge == PEOPLE else estimate(cohen_kappa),
        alpha=estimate_alpha(counts, clusters, "ordinal"),
    )


def _share_of_ties(counts: Array) -> float:
    """Return the share of ties in counts of the three outcomes."""
    return float(counts[1] / counts.sum()) if counts.sum() else float("nan")
