"""What people are asked to vote on, and what they read of it: a debate's sides, never its names.

Casting the votes is in `arena.people.votes`, counting them in `arena.people.vote_counts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import Language, language
from arena.languages.pair_words import contest_language, task_text
from arena.people.sessions import VotingSession
from arena.records import Speech, digest
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_speeches

_OPEN = """
    SELECT d.debate_id, d.motion_id, d.language, count(b.ballot_id) AS votes,
           count(*) FILTER (b.voter = $voter) > 0 AS voted
    FROM debates d LEFT JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench
    WHERE d.tournament = $tournament AND d.status = 'finished'
    GROUP BY ALL ORDER BY d.debate_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingTask:
    """A finished debate (or a pair of essays) that people of a bench may vote on.

    Attributes:
        votes: the number that it has.
        needed: the number that its bench asks for.
        voted: whether the person of the session has voted on it.
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
    """Return all that can be voted on, the fewest votes first, so that votes spread evenly.

    Among debates with the same number of votes, every voter has an order of their own.
    """
    resolved, voter = session.resolved, session.person
    rows = session.store.rows(
        _OPEN, {"tournament": resolved.name, "bench": session.bench.name, "voter": voter}
    )
    contest = resolved.config.tournament.contest
    tasks = [
        VotingTask(
            debate_id=row["debate_id"],
            motion_id=row["motion_id"],
            language=contest_language(language(row["language"]), contest),
            votes=int(row["votes"]),
            needed=session.bench.runs,
            voted=bool(row["voted"]),
        )
        for row in rows
    ]
    return tuple(sorted(tasks, key=lambda task: (task.votes, digest(voter, task.debate_id))))


def open_tasks(session: VotingSession) -> tuple[VotingTask, ...]:
    """Return what waits for a vote of the person of a session, in the order of `voting_tasks`."""
    return tuple(task for task in voting_tasks(session) if task.waits)


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
    sheets = []
    for task in tasks:
        wording = motions[task.motion_id].wording(task.language.code)
        sheet = VotingSheet(
            debate_id=task.debate_id,
            task=task_text(task.language, contest, wording.text),
            info_slide=wording.info_slide,
            language=task.language,
            speeches=speeches.get(task.debate_id, ()),
        )
        sheets.append(sheet)
    return sheets
