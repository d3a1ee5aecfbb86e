"""What people are asked to vote on and read of it, and casting their votes.

Voters read a debate's sides, never its names. A vote is a ballot like any other, with its person's
pseudonym as its voter; it is stored for good. All votes of a batch are stored, or none.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.boards.votes import CONFIDENCE, VoteProgress
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError, VotesRefused
from arena.languages import Language, language
from arena.languages.language import contest_language, task_text
from arena.people.sessions import VotingSession
from arena.records import Bench, Speech, digest
from arena.store.command_lines import command_line
from arena.store.database import Store, insert
from arena.store.people import read_votable, read_voters
from arena.store.rows import read_speeches
from arena.store.seals import seal_units


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingTask:
    """A finished debate (or a pair of essays) that people of a bench may vote on.

    Attributes:
        needed: the number that its bench asks for.
    """

    debate_id: str
    motion_id: str
    language: Language
    votes: int
    needed: int
    voted: bool

    @property
    def missing(self) -> int:
        """The number of votes that it lacks."""
        return max(0, self.needed - self.votes)

    @property
    def waits(self) -> bool:
        """Whether it lacks votes, and the person of the session can cast one."""
        return self.missing > 0 and not self.voted


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingSheet:
    """A debate as voters read it: without the names of its participants.

    Attributes:
        task: the motion; of a pair of essays, what both were asked to do.
        language: with the words for the sides: Pro and Con, or Answer A and Answer B.
    """

    debate_id: str
    task: str
    info_slide: str
    language: Language
    speeches: tuple[Speech, ...]


def voting_tasks(session: VotingSession) -> tuple[VotingTask, ...]:
    """Return all that can be voted on, what others have begun first, what is complete last.

    Spread evenly, the votes of three voters with ten each would complete none of thirty debates.
    Among debates with the same number of votes all voters of a bench have one order, drawn by lot:
    so do those meet who begin together, or read sheets that were written before any vote.
    """
    resolved, bench = session.resolved, session.bench.name
    debates = read_votable(session.store, resolved.name, bench=bench, voter=session.person)
    contest = resolved.config.tournament.contest
    tasks = [
        VotingTask(
            debate_id=debate.debate_id,
            motion_id=debate.motion_id,
            language=contest_language(language(debate.language), contest),
            votes=debate.votes,
            needed=session.bench.runs,
            voted=debate.voted,
        )
        for debate in debates
    ]
    return tuple(
        sorted(
            tasks,
            key=lambda task: (not task.waits, -task.votes, digest(bench, task.debate_id)),
        )
    )


def open_tasks(session: VotingSession) -> tuple[VotingTask, ...]:
    """Return what waits for a vote of the person of a session, in the order of `voting_tasks`."""
    return tuple(task for task in voting_tasks(session) if task.waits)


def vote_progress(bench: Bench, tasks: Sequence[VotingTask]) -> VoteProgress:
    """Return how far the votes of a bench are, from all of its tasks."""
    return VoteProgress.of(bench.name, bench.runs, [task.votes for task in tasks])


def find_task(session: VotingSession, prefix: str) -> VotingTask:
    """Return the debate that can be voted on whose id begins with a prefix.

    Raises:
        ConfigError: no such debate is finished, or more than one.
    """
    tasks = [task for task in voting_tasks(session) if prefix and task.debate_id.startswith(prefix)]
    if not tasks:
        name = session.resolved.name
        listing = command_line("vote", "list", db=session.store.path, tournament=name)
        raise ConfigError(
            f"no finished debate {prefix!r} in tournament {name!r}. Those that wait for votes are "
            f"listed by: {listing}"
        )
    if len(tasks) > 1:
        listed = ", ".join(task.debate_id for task in tasks[:3])
        raise ConfigError(
            f"{prefix!r} is the start of more than one id: {listed}. Give more digits."
        )
    return tasks[0]


def waiting_votes(store: Store, resolved: ResolvedConfig) -> dict[str, tuple[int, int]]:
    """Return the missing votes of each bench of people that lacks any.

    Returns:
        By the name of the bench: the number of votes, and of the debates that lack them.
    """
    waiting: dict[str, tuple[int, int]] = {}
    for bench in resolved.people_benches:
        session = VotingSession(store=store, resolved=resolved, bench=bench)
        missing = [task.missing for task in voting_tasks(session) if task.missing]
        if missing:
            waiting[bench.name] = sum(missing), len(missing)
    return waiting


def read_sheets(session: VotingSession, tasks: Sequence[VotingTask]) -> list[VotingSheet]:
    """Return debates as voters read them."""
    motions = {motion.motion_id: motion for motion in session.resolved.motions}
    speeches = read_speeches(session.store, [task.debate_id for task in tasks])
    contest = session.resolved.config.tournament.contest
    wordings = [motions[task.motion_id].wording(task.language.code) for task in tasks]
    return [
        VotingSheet(
            debate_id=task.debate_id,
            task=task_text(task.language, contest, wording.text),
            info_slide=wording.info_slide,
            language=task.language,
            speeches=speeches.get(task.debate_id, ()),
        )
        for task, wording in zip(tasks, wordings, strict=True)
    ]


_PSEUDONYM = re.compile(r"\w[\w .@+-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedVote:
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


def cast_votes(session: VotingSession, votes: Sequence[SubmittedVote]) -> None:
    """Store votes for the bench of a session: all of them, or none.

    Raises:
        VotesRefused: a debate is unknown or not finished, somebody votes twice on one, or a vote
            is incomplete; every fault is listed.
    """
    bench, tournament = session.bench, session.resolved.name

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        ids = [vote.debate_id for vote in votes]
        known = read_voters(link, tournament, bench=bench.name, debate_ids=ids)
        if faults := list(_find_faults(tournament, votes, known, set(session.dimensions))):
            raise VotesRefused(faults)
        keys = [digest(vote.debate_id, bench.name, "voter", vote.voter) for vote in votes]
        # The votes on a debate are its runs, in the order of arrival.
        runs = {debate: itertools.count(len(voters)) for debate, (_, voters) in known.items()}
        ballots = [
            {
                "ballot_id": key,
                "debate_id": vote.debate_id,
                "bench": bench.name,
                "run": next(runs[vote.debate_id]),
                "status": "valid",
                "rationale": vote.comment,
                "confidence": vote.confidence,
                "seconds": vote.seconds,
                "voter": vote.voter,
            }
            for key, vote in zip(keys, votes, strict=True)
        ]
        verdicts = [
            {
                "ballot_id": key,
                "dimension": dimension,
                "outcome": outcome,
                "comment": vote.comment if dimension == "overall" else "",
                **dict(zip(("pro_mark", "con_mark"), vote.marks.get(dimension, ()), strict=False)),
            }
            for key, vote in zip(keys, votes, strict=True)
            for dimension, outcome in vote.outcomes.items()
        ]
        insert(link, "ballots", ballots)
        insert(link, "ballot_scores", verdicts)
        seal_units(link, "ballots", keys)

    session.store.write(batch)


def _find_faults(
    tournament: str,
    votes: Sequence[SubmittedVote],
    known: Mapping[str, tuple[str, Sequence[str]]],
    dimensions: set[str],
) -> Iterator[str]:
    """Yield what is wrong with votes, in their order."""
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
        other = f" (the other: {vote.where.rstrip(', ')})" if vote.where else ""
        seen.setdefault((vote.debate_id, vote.voter), other)
        yield from _find_own_faults(vote, dimensions)


def _find_own_faults(vote: SubmittedVote, dimensions: set[str]) -> Iterator[str]:
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
