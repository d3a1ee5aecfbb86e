"""The votes that people cast: all of a batch are stored, or none.

A vote is a ballot like any other, with its person's pseudonym as its voter; it is stored for good.
What people are asked to vote on, and what they read of it, is in `arena.people.voting`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import VotesRefused
from arena.people.sessions import VotingSession
from arena.records import Bench, digest
from arena.store.database import insert
from arena.store.seals import seal_units

#: The range of a voter's confidence: 1 (a guess) to 5 (certain).
CONFIDENCE = (1, 5)
_PSEUDONYM = re.compile(r"\w[\w .@+-]{0,39}")

_KNOWN = """
    SELECT d.debate_id, d.status, list(b.voter) FILTER (b.voter IS NOT NULL)
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $tournament AND d.debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
    GROUP BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """The choice of one person on one debate.

    Attributes:
        outcomes: Pro's (or Answer A's) by dimension, `overall` among them.
        marks: of both sides, 1 to 10, by dimension; empty where people give none.
        confidence: 1 (a guess) to 5 (certain); `None` where none is stated.
        seconds: time spent on it.
        where: file and row that it comes from, the head of messages: `votes.csv: row 3, `.
    """

    debate_id: str
    voter: str
    outcomes: Mapping[str, float]
    confidence: float | None = None
    comment: str = ""
    seconds: float = 0.0
    where: str = ""
    marks: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def cast_votes(session: VotingSession, votes: Sequence[Vote]) -> None:
    """Store votes for the bench of a session: all of them, or none.

    Raises:
        VotesRefused: a debate is unknown or not finished, somebody votes twice on one, or a vote
            is incomplete; every fault is listed.
        StoreError: the database cannot be written.
    """
    bench, tournament = session.bench, session.resolved.name

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        parameters = {
            "tournament": tournament,
            "bench": bench.name,
            "ids": [vote.debate_id for vote in votes],
        }
        rows = link.execute(_KNOWN, parameters).fetchall()
        known = {debate: (status, voters or []) for debate, status, voters in rows}
        if faults := list(_find_faults(tournament, votes, known, set(session.dimensions))):
            raise VotesRefused(faults)
        counts = {debate: len(voters) for debate, (_, voters) in known.items()}
        insert(link, "ballots", _ballot_rows(bench, votes, counts))
        insert(link, "ballot_scores", _score_rows(bench, votes))
        seal_units(link, "ballots", [_ballot_id(bench, vote) for vote in votes])

    session.store.write(batch)


def _find_faults(
    tournament: str,
    votes: Sequence[Vote],
    known: Mapping[str, tuple[str, Sequence[str]]],
    dimensions: set[str],
) -> Iterator[str]:
    """Yield what is wrong with votes, in their order.

    Args:
        tournament: its name, for messages.
        votes: those of one batch.
        known: the status of each debate that is stored, and who has voted on it.
        dimensions: those that a vote decides.
    """
    seen: dict[tuple[str, str], str] = {}
    for vote in votes:
        status, voters = known.get(vote.debate_id, ("", ()))
        debate = f"debate {vote.debate_id!r}"
        if not status:
            yield f"{vote.where}debate: no {debate} in tournament {tournament!r}"
        elif status != "finished":
            yield f"{vote.where}debate: {debate} is {status}, not finished"
        if not _PSEUDONYM.fullmatch(vote.voter):
            yield (
                f"{vote.where}voter: {vote.voter!r} is not a valid pseudonym: it must begin with a "
                "letter or digit, followed by letters, digits, spaces and . @ + - _, at most 40 "
                "characters"
            )
        elif vote.voter in voters:
            yield f"{vote.where}voter: {vote.voter!r} has already voted on {debate}"
        elif (vote.debate_id, vote.voter) in seen:
            first = seen[vote.debate_id, vote.voter]
            yield f"{vote.where}voter: {vote.voter!r} votes twice on {debate}{first}"
        seen.setdefault((vote.debate_id, vote.voter), _format_other_place(vote.where))
        yield from _find_own_faults(vote, dimensions)


def _find_own_faults(vote: Vote, dimensions: set[str]) -> Iterator[str]:
    """Yield what is wrong with a vote whatever else is stored."""
    if set(vote.outcomes) != dimensions:
        missing = ", ".join(sorted(dimensions - set(vote.outcomes)))
        unknown = ", ".join(sorted(set(vote.outcomes) - dimensions))
        yield (
            f"{vote.where}a vote needs a choice for {', '.join(sorted(dimensions))}"
            + (f"; missing: {missing}" if missing else "")
            + (f"; unknown: {unknown}" if unknown else "")
        )
    low, high = CONFIDENCE
    if vote.confidence is not None and not low <= vote.confidence <= high:
        yield f"{vote.where}confidence: {vote.confidence:g} must be from {low} to {high}"
    if not 0 <= vote.seconds < float("inf"):
        yield f"{vote.where}seconds: {vote.seconds:g} must be 0 or more"


def _format_other_place(where: str) -> str:
    """Return a remark on where the first of two votes of one person stands; '' if unknown."""
    return f" (the other: {where.rstrip(', ')})" if where else ""


def _ballot_id(bench: Bench, vote: Vote) -> str:
    return digest(vote.debate_id, bench.name, "voter", vote.voter)


def _ballot_rows(
    bench: Bench, votes: Sequence[Vote], counts: dict[str, int]
) -> list[dict[str, Any]]:
    """Return rows of `ballots`; the votes on a debate are its runs, in the order of arrival."""
    rows = []
    for vote in votes:
        rows.append(
            {
                "ballot_id": _ballot_id(bench, vote),
                "debate_id": vote.debate_id,
                "bench": bench.name,
                "run": counts[vote.debate_id],
                "status": "valid",
                "rationale": vote.comment,
                "confidence": vote.confidence,
                "seconds": vote.seconds,
                "voter": vote.voter,
            }
        )
        counts[vote.debate_id] += 1
    return rows


def _score_rows(bench: Bench, votes: Sequence[Vote]) -> list[dict[str, Any]]:
    return [
        {
            "ballot_id": _ballot_id(bench, vote),
            "dimension": dimension,
            "outcome": outcome,
            "comment": vote.comment if dimension == "overall" else "",
            **dict(zip(("pro_mark", "con_mark"), vote.marks.get(dimension, ()), strict=False)),
        }
        for vote in votes
        for dimension, outcome in vote.outcomes.items()
    ]
