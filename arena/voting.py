"""People's votes: what a bench of people waits for, what they read, and casting votes.

The seam of `arena vote`, of files that are imported, and of the page. A vote is a ballot like any
other, with its person's pseudonym as its voter; it is stored for good. People read a debate blind:
its sides, never its participants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.archive import read_speeches
from arena.entry import Entry
from arena.errors import ConfigError, VotesRefused
from arena.languages import SIDES, Language, language
from arena.pair_words import of_contest
from arena.plugins import judge_class
from arena.records import IMPORTED, Bench, Speech, digest
from arena.selection import bench_of, dimensions
from arena.store import Store, insert
from ratings import CON_WINS, PRO_WINS, TIE

#: How sure a person is: 1 (a guess) to 5 (certain).
CONFIDENCE = (1, 5)
_PSEUDONYM = re.compile(r"\w[\w .@+-]{0,39}")

_OPEN = """
    SELECT d.debate_id, d.motion_id, d.language, count(b.ballot_id) AS votes,
           count(*) FILTER (b.voter = $voter) > 0 AS voted
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $tournament AND d.status = 'finished'
    GROUP BY ALL ORDER BY d.debate_id
"""
_KNOWN = """
    SELECT d.debate_id, d.status, list(b.voter) FILTER (b.voter IS NOT NULL)
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $tournament AND d.debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
    GROUP BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """A finished debate (or a pair of essays) that people of a bench may vote on.

    Attributes:
        votes: that it has by now.
        voted: whether the person who asks is among them.
    """

    debate_id: str
    motion_id: str
    language: Language
    votes: int
    voted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a voter reads: a debate, blind.

    Attributes:
        task: the motion; of a pair of essays, what both were asked to do.
        language: with the words for the sides: Pro and Con, or Answer A and Answer B.
    """

    debate_id: str
    task: str
    info_slide: str
    language: Language
    speeches: tuple[Speech, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One person's choice on one debate.

    Attributes:
        outcomes: Pro's (or Answer A's) by dimension, `overall` among them.
        confidence: 1 (a guess) to 5 (certain); `None` where it was not said.
        seconds: spent on it.
        where: it stands, for messages: `votes.csv: row 3, `.
    """

    debate_id: str
    voter: str
    outcomes: Mapping[str, float]
    confidence: float | None = None
    comment: str = ""
    seconds: float = 0.0
    where: str = ""


def people_benches(entry: Entry) -> tuple[Bench, ...]:
    """The benches of a tournament whose ballots are people's votes."""
    played = (one for one in entry.benches if one.judge != IMPORTED)
    return tuple(one for one in played if judge_class(one.judge).by_people)


def people_bench(entry: Entry, name: str | None) -> Bench:
    """A bench of people by its name, the first where none is given.

    Raises:
        ConfigError: there is none, or the named one is not of people; or there is nothing to read.
    """
    entry.require_speeches()
    found = people_benches(entry)
    if not found:
        raise ConfigError(
            f"tournament {entry.name!r} has no bench of people. Add one: "
            f"arena rejudge {entry.name!r} --judge human --runs 3"
        )
    if name is None:
        return found[0]
    chosen = bench_of(entry, name)
    if chosen not in found:
        raise ConfigError(
            f"bench {name!r} is not one of people. Theirs: {', '.join(one.name for one in found)}."
        )
    return chosen


def polls(store: Store, entry: Entry, bench: Bench, *, voter: str = "") -> tuple[Poll, ...]:
    """What can be voted on, what has the fewest votes first, so that votes spread over all.

    Where they have the same number, every voter has an order of their own.
    """
    rows = store.rows(_OPEN, {"tournament": entry.name, "bench": bench.name, "voter": voter})
    found = [
        Poll(
            debate_id=row["debate_id"],
            motion_id=row["motion_id"],
            language=_spoken(entry, row["language"]),
            votes=int(row["votes"]),
            voted=bool(row["voted"]),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (one.votes, digest(voter, one.debate_id))))


def waiting_votes(store: Store, entry: Entry) -> dict[str, tuple[int, int]]:
    """Of each bench of people with votes missing: how many, and on how many debates."""
    found: dict[str, tuple[int, int]] = {}
    for bench in people_benches(entry):
        missing = [bench.runs - one.votes for one in polls(store, entry, bench)]
        short = [one for one in missing if one > 0]
        if short:
            found[bench.name] = sum(short), len(short)
    return found


def read_sheets(store: Store, entry: Entry, chosen: Sequence[Poll]) -> list[Sheet]:
    """Debates as their voters read them."""
    motions = {one.motion_id: one for one in entry.motions}
    said = read_speeches(store, [one.debate_id for one in chosen])
    essay = entry.config.tournament.contest == "essay"
    found = []
    for one in chosen:
        wording = motions[one.motion_id].wording(one.language.code)
        refute = one.language.terms["refute"].format if essay else str
        sheet = Sheet(
            debate_id=one.debate_id,
            task=refute(wording.text),
            info_slide=wording.info_slide,
            language=one.language,
            speeches=said.get(one.debate_id, ()),
        )
        found.append(sheet)
    return found


def choices(entry: Entry) -> dict[str, float]:
    """The words of a vote, with Pro's outcome for each."""
    first, second = ("a", "b") if entry.config.tournament.contest == "essay" else SIDES
    return {first: PRO_WINS, "tie": TIE, second: CON_WINS}


def cast(store: Store, entry: Entry, bench: Bench, votes: Sequence[Vote]) -> None:
    """Store votes: all of them, or none.

    Raises:
        VotesRefused: a debate is unknown or not finished, somebody votes twice on one, or a vote
            is not complete; every fault is listed.
        StoreError: the database cannot be written.
    """
    asked = set(dimensions(bench))

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        parameters = {
            "tournament": entry.name,
            "bench": bench.name,
            "ids": [one.debate_id for one in votes],
        }
        rows = link.execute(_KNOWN, parameters).fetchall()
        known = {debate: (status, voters or []) for debate, status, voters in rows}
        if faults := list(_faults(entry, votes, known, asked)):
            raise VotesRefused(faults)
        counts = {debate: len(voters) for debate, (_, voters) in known.items()}
        insert(link, "ballots", _ballot_rows(bench, votes, counts))
        insert(link, "ballot_scores", _score_rows(bench, votes))

    store.write(batch)


def _faults(
    entry: Entry,
    votes: Sequence[Vote],
    known: Mapping[str, tuple[str, Sequence[str]]],
    asked: set[str],
) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for vote in votes:
        status, voters = known.get(vote.debate_id, ("", ()))
        debate = f"debate {vote.debate_id!r}"
        if not status:
            yield f"{vote.where}debate: no {debate} in tournament {entry.name!r}"
        elif status != "finished":
            yield f"{vote.where}debate: {debate} is {status}, not finished"
        if not _PSEUDONYM.fullmatch(vote.voter):
            yield (
                f"{vote.where}voter: {vote.voter!r} is no pseudonym: 1 to 40 letters, digits, "
                "spaces and . @ + - _, beginning with a letter or a digit"
            )
        elif vote.voter in voters:
            yield f"{vote.where}voter: {vote.voter!r} has voted on {debate} already"
        elif (vote.debate_id, vote.voter) in seen:
            first = seen[vote.debate_id, vote.voter]
            yield f"{vote.where}voter: {vote.voter!r} votes twice on {debate}{first}"
        seen.setdefault((vote.debate_id, vote.voter), _beside(vote.where))
        yield from _flaws(vote, asked)


def _flaws(vote: Vote, asked: set[str]) -> Iterator[str]:
    """What is wrong with a vote by itself."""
    if set(vote.outcomes) != asked:
        lacking = ", ".join(sorted(asked - set(vote.outcomes)))
        beyond = ", ".join(sorted(set(vote.outcomes) - asked))
        yield (
            f"{vote.where}a vote decides {', '.join(sorted(asked))}"
            + (f"; missing: {lacking}" if lacking else "")
            + (f"; unknown: {beyond}" if beyond else "")
        )
    low, high = CONFIDENCE
    if vote.confidence is not None and not low <= vote.confidence <= high:
        yield f"{vote.where}confidence: {vote.confidence:g} is not from {low} to {high}"
    if not 0 <= vote.seconds < float("inf"):
        yield f"{vote.where}seconds: {vote.seconds:g} is not a time"


def _beside(where: str) -> str:
    """The other place of a double vote, in words."""
    return f" (the other: {where.rstrip(', ')})" if where else ""


def _spoken(entry: Entry, code: str) -> Language:
    return of_contest(language(code), entry.config.tournament.contest)


def _ballot_id(bench: Bench, vote: Vote) -> str:
    return digest(vote.debate_id, bench.name, "voter", vote.voter)


def _ballot_rows(
    bench: Bench, votes: Sequence[Vote], counts: dict[str, int]
) -> list[dict[str, Any]]:
    """Rows of `ballots`; a debate's votes are its runs, in the order in which they came."""
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
        }
        for vote in votes
        for dimension, outcome in vote.outcomes.items()
    ]
