"""What benches of people wait for, and what voters read: a debate's sides, never its participants.

Casting their votes is `arena.people.votes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.boards.selection import bench_of
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import SIDES, Language, language
from arena.languages.pairs import of_contest, task_of
from arena.records import Bench, Speech, digest
from arena.store.database import Store
from arena.store.rows import read_speeches
from ratings import CON_WINS, PRO_WINS, TIE

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
        votes: that it has by now.
        voted: whether the person who asks is among them.
    """

    debate_id: str
    motion_id: str
    language: Language
    votes: int
    voted: bool

    def waits(self, bench: Bench) -> bool:
        """Whether it lacks votes of its bench, and the person who asks can give one."""
        return self.votes < bench.runs and not self.voted


@dataclass(frozen=True, slots=True, kw_only=True)
class VotingSheet:
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


def people_bench(resolved: ResolvedConfig, name: str | None) -> Bench:
    """A bench of people by its name, the first where none is given.

    Raises:
        ConfigError: there is none, or the named one is not of people; or there is nothing to read.
    """
    resolved.require_speeches()
    found = resolved.people_benches
    if not found:
        raise ConfigError(
            f"tournament {resolved.name!r} has no bench of people. Add one: "
            f"arena rejudge {resolved.name!r} --judge human --runs 3"
        )
    if name is None:
        return found[0]
    chosen = bench_of(resolved, name)
    if chosen not in found:
        raise ConfigError(
            f"bench {name!r} is not one of people. Theirs: {', '.join(one.name for one in found)}."
        )
    return chosen


def polls(
    store: Store, resolved: ResolvedConfig, bench: Bench, *, voter: str = ""
) -> tuple[VotingTask, ...]:
    """What can be voted on, what has the fewest votes first, so that votes spread over all.

    Where they have the same number, every voter has an order of their own.
    """
    rows = store.rows(_OPEN, {"tournament": resolved.name, "bench": bench.name, "voter": voter})
    found = [
        VotingTask(
            debate_id=row["debate_id"],
            motion_id=row["motion_id"],
            language=_spoken(resolved, row["language"]),
            votes=int(row["votes"]),
            voted=bool(row["voted"]),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (one.votes, digest(voter, one.debate_id))))


def waiting_votes(store: Store, resolved: ResolvedConfig) -> dict[str, tuple[int, int]]:
    """Of each bench of people with votes missing: how many, and on how many debates."""
    found: dict[str, tuple[int, int]] = {}
    for bench in resolved.people_benches:
        missing = [bench.runs - one.votes for one in polls(store, resolved, bench)]
        short = [one for one in missing if one > 0]
        if short:
            found[bench.name] = sum(short), len(short)
    return found


def read_sheets(
    store: Store, resolved: ResolvedConfig, chosen: Sequence[VotingTask]
) -> list[VotingSheet]:
    """Debates as their voters read them."""
    motions = {one.motion_id: one for one in resolved.motions}
    said = read_speeches(store, [one.debate_id for one in chosen])
    contest = resolved.config.tournament.contest
    found = []
    for one in chosen:
        wording = motions[one.motion_id].wording(one.language.code)
        sheet = VotingSheet(
            debate_id=one.debate_id,
            task=task_of(one.language, contest, wording.text),
            info_slide=wording.info_slide,
            language=one.language,
            speeches=said.get(one.debate_id, ()),
        )
        found.append(sheet)
    return found


def choices(resolved: ResolvedConfig) -> dict[str, float]:
    """The words of a vote, with Pro's outcome for each."""
    first, second = ("a", "b") if resolved.config.tournament.contest == "essay" else SIDES
    return {first: PRO_WINS, "tie": TIE, second: CON_WINS}


def _spoken(resolved: ResolvedConfig, code: str) -> Language:
    return of_contest(language(code), resolved.config.tournament.contest)
