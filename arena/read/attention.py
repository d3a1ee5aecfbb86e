"""What needs attention in a stored tournament: one line per matter, the worst first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from arena.boards.participation import PRESENT
from arena.boards.selection import Selection
from arena.boards.statements import describe_circles
from arena.boards.weighted_vote import describe_vote
from arena.plugins import UNSEEN, families_of, model_families, sees_calls
from arena.records import OFFLINE
from arena.store.command_lines import command_line
from arena.text import counted, first_sentence, format_percent, plain
from arena.tournament.event_lines import Causes, one_line, own_reason
from arena.tournament.run_record import find_file

if TYPE_CHECKING:
    from arena.boards.board import Board
    from arena.config.resolved import ResolvedConfig
    from arena.llm.budget import Purse
    from arena.store.database import Store
    from arena.tournament.run_record import LastRun

Kind = Literal[
    "model",
    "silent",
    "judge",
    "cap",
    "work",
    "forfeits",
    "side",
    "vote",
    "motions",
    "family",
    "unseen",
    "circles",
]

#: The shares from which a participant forfeits much, and a bench's ballots fail much.
_MUCH_FORFEITED, _MUCH_FAILED = 0.2, 0.05
#: The share of a cap from which it is nearly used up.
_NEARLY = 0.9
#: A first-named side that wins this share of at least so many decided debates.
_ONE_SIDED, _LEAST_DECIDED = 0.9, 20
#: Fewer motions than this are few, once so many debates are finished.
_FEW_MOTIONS, _LEAST_DEBATES = 5, 20
#: The share of at least so many ballots on which the dimensions' vote contradicts the verdict.
_CONTRADICTED, _LEAST_BALLOTS = 0.2, 20

_SEATS: Final = f"""
    WITH seats AS (
        SELECT d.*, 'pro' AS side, pro AS participant_id FROM debates d
        WHERE tournament = $name AND {PRESENT}
        UNION ALL
        SELECT d.*, 'con', con FROM debates d WHERE tournament = $name AND {PRESENT}
    )
    SELECT p.name AS participant, side, debate_id, reason,
           status = 'forfeit' AND forfeited IN ('both', side) AS forfeited
    FROM seats JOIN participants p USING (tournament, participant_id)
    WHERE status IN ('finished', 'forfeit')
    ORDER BY p.name, debate_id, side
"""
_FAILED: Final = f"""
    SELECT bench, b.reason, debate_id, b.status = 'failed' AS failed
    FROM ballots b JOIN debates d USING (debate_id)
    WHERE tournament = $name AND {PRESENT} AND b.status IN ('valid', 'failed')
    ORDER BY bench, debate_id, run
"""
_SIDES: Final = f"""
    WITH scores AS (
        SELECT debate_id, avg(outcome) AS score
        FROM ballots b JOIN debates d USING (debate_id) JOIN ballot_scores USING (ballot_id)
        WHERE tournament = $name AND {PRESENT} AND bench = $bench AND dimension = 'overall'
        GROUP BY debate_id
    )
    SELECT count(*) FILTER (score > 0.5) AS first, count(*) FILTER (score <> 0.5) AS decided
    FROM scores
"""
_MOTIONS: Final = f"""
    SELECT count(DISTINCT motion_id) AS motions, count(*) AS debates
    FROM debates d WHERE tournament = $name AND {PRESENT} AND status = 'finished'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """One thing that a person should look at.

    Attributes:
        name: of the participant, model, bench, cap or tournament that it is about.
        count: of how many debates, ballots and so on it is true; 0 where nothing is counted.
        what: what happens, with its numbers.
        cause: why; '' where that is not known.
        command: the command that helps, to be copied.
        asks: whether it asks before it spends, so that a script adds `--yes`.
        debate: the beginning of the id of a debate that shows it; '' for none.
    """

    kind: Kind
    name: str
    count: int
    what: str
    cause: str = ""
    command: str
    asks: bool = False
    debate: str = ""

    @property
    def sentence(self) -> str:
        """The matter in words, without its command."""
        cause = one_line(self.cause).rstrip(".")
        return plain(f"{self.name}: {self.what}{f' ({cause})' if cause else ''}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How far a tournament is, as far as it decides what needs attention.

    Attributes:
        is_running: whether somebody works on it.
        is_over: whether nothing is left that a run could do.
        debates, ballots: their numbers by state, as in `WorkCounts`.
        purses: all caps, with what is spent or reserved of each.
        target: how far the target is reached, where the schedule ended before; else ''.
        way_on: what to change then in the file.
    """

    is_running: bool
    is_over: bool
    last_run: LastRun
    debates: Mapping[str, int]
    ballots: Mapping[str, int]
    purses: tuple[Purse, ...]
    target: str = ""
    way_on: str = ""


def find_matters(store: Store, resolved: ResolvedConfig, work: Work) -> tuple[Matter, ...]:
    """Return what needs attention, the worst first; nothing where nothing is wrong."""
    ids = [participant.participant_id for participant in resolved.participants]
    read = partial(_read, store, {"name": resolved.name, "ids": ids})
    matters = [
        *_find_models(work, _file_of(resolved, store)),
        *_find_forfeits(read(_SEATS), store),
        *_find_failures(read(_FAILED), store),
        *_find_caps(work, resolved, store),
        *_find_work(work, resolved, store),
        *_find_families(resolved, store),
        *_find_unseen(resolved, store),
    ]
    if not resolved.imported:  # a note of an imported log's board says what its order decides
        matters += _find_sides(read(_SIDES, bench=resolved.board_benches[0]), resolved, store)
        matters += _find_vote(resolved, store)
        matters += _find_motions(read(_MOTIONS), resolved, store)
    order = get_args(Kind)
    return tuple(sorted(matters, key=lambda matter: (order.index(matter.kind), -matter.count)))


def find_circles(board: Board, db: Path) -> Iterator[Matter]:
    """Yield that the results of a board run in circles, as its notes say; after all the others."""
    if sentence := describe_circles(board.circles):
        selection = board.selection
        yield Matter(
            kind="circles",
            name=selection.tournament,
            count=0,
            what=sentence,
            command=command_line("matrix", "--residual", db=db, tournament=selection.tournament),
        )


def _read(
    store: Store, parameters: Mapping[str, Any], query: str, **more: object
) -> list[dict[str, Any]]:
    wanted = {**parameters, **more}
    return list(store.plain_rows(query, wanted))


def _find_models(work: Work, file: str) -> Iterator[Matter]:
    state = work.last_run.state
    if state is None or work.is_over:
        return
    for model in state.models:
        if model.get("halt") in ("stopped", "away"):
            yield Matter(
                kind="model",
                name=str(model["model"]),
                count=int(model["failed"]),
                what=f"{model['trouble']}; {counted(int(model['failed']), 'attempt')} failed",
                command=shlex.join(["arena", "check", file, "--call"]),
            )


def _find_forfeits(rows: Iterable[Mapping[str, Any]], store: Store) -> Iterator[Matter]:
    debates: dict[str, set[str]] = {}
    forfeits: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        debates.setdefault(row["participant"], set()).add(row["debate_id"])
        if row["forfeited"]:
            reason = own_reason(str(row["reason"]), row["side"])
            forfeits.setdefault(row["participant"], []).append((row["debate_id"][:8], reason))
    for participant, events in forfeits.items():
        number, of, most = len(events), len(debates[participant]), next(iter(Causes(events)))
        if number < of and (number == 1 or number < _MUCH_FORFEITED * of):
            continue
        yield Matter(
            kind="silent" if number == of else "forfeits",
            name=participant,
            count=number,
            what=f"forfeited {number} of {counted(of, 'debate')}",
            cause=most.reason,
            command=command_line("show", most.example, db=store.path),
            debate=most.example,
        )


def _find_failures(rows: Iterable[Mapping[str, Any]], store: Store) -> Iterator[Matter]:
    ballots: dict[str, int] = {}
    failed: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        ballots[row["bench"]] = ballots.get(row["bench"], 0) + 1
        if row["failed"]:
            failed.setdefault(row["bench"], []).append((row["debate_id"][:8], str(row["reason"])))
    for bench, events in failed.items():
        number, of, most = len(events), ballots[bench], next(iter(Causes(events)))
        if number < _MUCH_FAILED * of:
            continue
        yield Matter(
            kind="judge",
            name=f"bench {bench}",
            count=number,
            what=f"{number} of {counted(of, 'ballot')} failed, {format_percent(number / of)}",
            cause=most.reason,
            command=command_line("show", most.example, "--ballots", db=store.path),
            debate=most.example,
        )


def _find_caps(work: Work, resolved: ResolvedConfig, store: Store) -> Iterator[Matter]:
    if work.is_over:
        return
    for purse in work.purses:
        if purse.spent < _NEARLY * purse.limit:
            continue
        is_whole = purse.measure == "usd" and not purse.is_daily and not purse.participant
        higher = command_line("resume", resolved.name, "--usd", "AMOUNT", db=store.path)
        yield Matter(
            kind="cap",
            name=purse.participant or resolved.name,
            count=0,
            what=f"{format_percent(purse.spent / purse.limit)} of {purse.title} is spent or "
            "reserved",
            command=higher
            if is_whole
            else command_line("run", _file_of(resolved, store), db=store.path),
            asks=is_whole,
        )


def _find_work(work: Work, resolved: ResolvedConfig, store: Store) -> Iterator[Matter]:
    if work.is_running:
        return
    resume = command_line("resume", resolved.name, db=store.path)
    debates = sum(
        work.debates[state] for state in ("planned", "playing", "waiting", "void", "error")
    )
    ballots = sum(work.ballots[state] for state in ("open", "failed", "error"))
    parts = [counted(debates, "debate")] * bool(debates) + [counted(ballots, "ballot")] * bool(
        ballots
    )
    waiting = work.debates["waiting"]
    for_people = bool(waiting) and debates == waiting and not ballots
    if for_people:
        resume = command_line("speak", db=store.path)
    if not work.is_over:
        verb = "is" if debates + ballots == 1 else "are"
        what = f"{' and '.join(parts)} {verb} left" if parts else "its next wave is left"
        state = work.last_run.state
        is_told = state is not None and state.phase == "ended" and not state.ending
        cause = first_sentence(state.reason) if state is not None and is_told else ""
        yield Matter(
            kind="work",
            name=resolved.name,
            count=debates + ballots,
            what=what,
            cause=cause,
            command=resume,
            asks=not for_people,
        )
    elif work.target:
        yield Matter(
            kind="work",
            name=resolved.name,
            count=0,
            what=f"the target is not reached: {work.target.rstrip('.')}",
            cause=work.way_on,
            command=command_line("run", _file_of(resolved, store), db=store.path),
        )


def _file_of(resolved: ResolvedConfig, store: Store) -> str:
    return find_file(store.path, resolved.name, resolved.where)


def _find_families(resolved: ResolvedConfig, store: Store) -> Iterator[Matter]:
    for bench in resolved.model_benches:
        if not bench.model or bench.model.startswith(OFFLINE) or resolved.imported:
            continue
        families = families_of(bench)
        related = [
            participant.name
            for participant in resolved.participants
            if families & model_families([participant])
        ]
        if related:
            yield Matter(
                kind="family",
                name=f"bench {bench.name}",
                count=len(related),
                what=f"its model is of the same family as {counted(len(related), 'participant')}",
                cause=", ".join(related),
                command=command_line("judges", db=store.path, tournament=resolved.name),
            )


def _find_unseen(resolved: ResolvedConfig, store: Store) -> Iterator[Matter]:
    """Yield the participants whose calls are in no cost."""
    for participant in resolved.participants:
        if not sees_calls(participant.debater):
            yield Matter(
                kind="unseen",
                name=participant.name,
                count=0,
                what=UNSEEN,
                cause=f"the debater {participant.debater} uses a client of its own",
                command=command_line(
                    "debates",
                    "--participant",
                    participant.name,
                    db=store.path,
                    tournament=resolved.name,
                ),
            )


def _find_sides(
    rows: Iterable[Mapping[str, Any]], resolved: ResolvedConfig, store: Store
) -> Iterator[Matter]:
    for row in rows:
        most = max(row["first"], row["decided"] - row["first"])
        if row["decided"] < _LEAST_DECIDED or most < _ONE_SIDED * row["decided"]:
            continue
        side = "first" if most == row["first"] else "second"
        yield Matter(
            kind="side",
            name=f"bench {resolved.board_benches[0]}",
            count=most,
            what=f"the {side} side won {most} of {counted(row['decided'], 'decided debate')}",
            command=command_line("leaderboard", "--side", db=store.path, tournament=resolved.name),
        )


def _find_vote(resolved: ResolvedConfig, store: Store) -> Iterator[Matter]:
    """Yield that the first bench's dimensions often contradict its overall verdicts."""
    selection = Selection(tournament=resolved.name, bench=resolved.board_benches[0])
    counts, sentence = describe_vote(store, resolved, selection)
    if counts.ballots >= _LEAST_BALLOTS and counts.differing >= _CONTRADICTED * counts.ballots:
        yield Matter(
            kind="vote",
            name=f"bench {selection.bench}",
            count=counts.differing,
            what=sentence,
            command=command_line("show", counts.example[:8], "--ballots", db=store.path),
            debate=counts.example[:8],
        )


def _find_motions(
    rows: Iterable[Mapping[str, Any]], resolved: ResolvedConfig, store: Store
) -> Iterator[Matter]:
    for row in rows:
        # Of a single motion, a note of the board says what its intervals hold for.
        if row["debates"] >= _LEAST_DEBATES and 1 < row["motions"] < _FEW_MOTIONS:
            yield Matter(
                kind="motions",
                name=resolved.name,
                count=row["motions"],
                what=f"its {counted(row['debates'], 'finished debate')} are on only "
                f"{counted(row['motions'], 'motion')}",
                cause="add motions to the file",
                command=command_line("run", _file_of(resolved, store), db=store.path),
            )
