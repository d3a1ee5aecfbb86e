"""Agreement of judges with each vote on a pair, and of people with each other.

As in Zheng et al. 2023 (arXiv 2306.05685), section 4.2: a judge is compared with every single vote,
once with ties and once where both name a winner; two people are compared on every pair that both
have voted on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

from arena.console.tables import Table
from judges.studies.cells import UNDEFINED, format_number
from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.pairs import LabelledPair
from ratings import TIE, clustered_share

#: The row of people among those of the judges.
PEOPLE = "people with each other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its 95 % interval, clustered by question; NaN of nothing."""

    count: int
    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteAgreement:
    """How often a judge, or another person, says the same as a vote.

    Attributes:
        name: of the bench, or `PEOPLE`.
        same: share of all comparisons with the same outcome, a tie being one.
        decided: the same, of those in which both name a winner.
    """

    name: str
    same: Share
    decided: Share


def measure_votes(
    benches: Sequence[str], verdicts: Sequence[PairVerdict], pairs: Sequence[LabelledPair]
) -> tuple[VoteAgreement, ...]:
    """Measure every bench against each vote, and people against each other, who come last.

    Returns:
        Nothing where no pair has several votes.
    """
    if all(len(pair.votes) < 2 for pair in pairs):
        return ()
    by_bench = [
        _compare(name, [v for verdict in verdicts if verdict.bench == name for v in _own(verdict)])
        for name in benches
    ]
    return (*by_bench, _compare(PEOPLE, list(_people(pairs))))


def votes_table(agreements: Sequence[VoteAgreement]) -> Table:
    """Lay out a row per judge, and one for people."""
    return Table(
        title="Agreement with each vote",
        head=("judge", "votes", "same", "95 % interval", "both name a winner", "same winner",
              "95 % interval"),
        rows=tuple(
            (row.name, *_format_share(row.same), *_format_share(row.decided))
            for row in agreements
        ),
        notes=(
            "Every vote counts by itself, where accuracy is measured by the majority of a pair's "
            "votes (a tie where no outcome has the most). same: with the same outcome, a tie "
            f"being one. {PEOPLE}: every two votes on the same pair, which is what a judge as good "
            "as one person would reach. Intervals: Wilson's, clustered by question.",
        ),
    )  # fmt: skip


def _own(verdict: PairVerdict) -> Iterator[tuple[float, float, str]]:
    """Yield a judge's outcome, a vote and the question, for every vote on a pair."""
    return ((verdict.outcome, vote, verdict.question) for vote in verdict.votes)


def _people(pairs: Iterable[LabelledPair]) -> Iterator[tuple[float, float, str]]:
    for pair in pairs:
        for first, second in combinations(pair.votes, 2):
            yield first, second, pair.cluster


def _compare(name: str, compared: Sequence[tuple[float, float, str]]) -> VoteAgreement:
    decided = [row for row in compared if TIE not in row[:2]]
    return VoteAgreement(name=name, same=_share(compared), decided=_share(decided))


def _share(compared: Sequence[tuple[float, float, str]]) -> Share:
    share = clustered_share(
        [mine == theirs for mine, theirs, _ in compared], [question for *_, question in compared]
    )
    return Share(count=len(compared), mean=share.mean, lower=share.lower, upper=share.upper)


def _format_share(share: Share) -> tuple[str, str, str]:
    interval = UNDEFINED if isnan(share.lower) else f"{share.lower:.3f} to {share.upper:.3f}"
    return (str(share.count), format_number(share.mean, ".3f"), interval)
