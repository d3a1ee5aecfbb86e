"""What has changed since the last report, or since a date, and the memory of what reports said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection, format_moment
from arena.read.departures import (
    Replacements,
    count_moves,
    count_pairs,
    find_replacements,
    read_participants_at,
    systems,
)
from arena.read.work_counts import Totals, add_up, totals
from arena.store.whole_files import one_after_the_other, write_whole
from arena.text import as_sentence, counted
from motions.text_files import read_file
from ratings import rate_placed

if TYPE_CHECKING:
    from arena.boards.board import Board
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Participants of a sentence on who changed places: those who moved most.
_MOST_MOVED = 8


#: The states of a tournament that are remembered: with the last one alone, a second report on the
#: same results would have nothing left to compare with.
_REMEMBERED = 2


class State(BaseModel):
    """What a report said, as far as the next one compares with it.

    Attributes:
        at: when it was written, or the date that was asked for.
        data_hash: identifies the comparisons of its board.
        finished, ballots: the debates of its participants that had finished, and their ballots.
        played, taken: likewise, of everybody who ever took part.
        systems: the identity of each participant's system, by name; none where an earlier version
            remembered the state.
        ids: of its participants.
        pairs: the finished debates of each two there ever were, by ids (`count_pairs`); empty where
            an earlier version remembered the state.
        usd: at most what all stored debates and ballots had cost.
        ratings: by participant, in Elo points; those without a comparison are left out.
        ranks: by participant that has one, its place on the board; 1 is the top.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    at: datetime
    bench: str
    data_hash: str = ""
    finished: int
    ballots: int
    played: int
    taken: int
    systems: dict[str, str] = {}
    ids: list[str] = []
    pairs: dict[str, int] = {}
    usd: float
    ratings: dict[str, float]
    ranks: dict[str, int]

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Take the participants of a state of an earlier version as all there ever were."""
        return {"played": values.get("finished"), "taken": values.get("ballots"), **values}

    def has_same_results(self, other: State) -> bool:
        """Return whether both report the same results."""
        same = ("bench", "data_hash", "finished", "ballots", "ratings")
        return all(getattr(self, name) == getattr(other, name) for name in same)


class _Memory(BaseModel):
    """The remembered states, by tournament, the oldest first."""

    tournaments: dict[str, list[State]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceChange:
    """How a participant's place has changed.

    Attributes:
        places: that it has risen; negative where it has fallen; `None` where it is new.
        elo: that its rating has grown; `None` where it is new.
    """

    places: int | None
    elo: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What has changed since a state.

    Attributes:
        title: since when.
        by_participant: for the rows of the board; empty where there is nothing to compare with.
    """

    title: str
    sentences: tuple[str, ...]
    by_participant: Mapping[str, PlaceChange]


def memory_file(db: Path) -> Path:
    """Return the file beside a database that remembers what its reports said."""
    return db.with_name(f"{db.name}.reports.json")


def state_of(
    store: Store, resolved: ResolvedConfig, board: Board, total: Totals, *, at: datetime
) -> State:
    """Return what a report on a board says."""
    ranks = {row.participant: row.rank for row in board.rated if row.rank}
    return _state(
        store,
        resolved,
        total,
        at=at,
        bench=board.selection.bench,
        data_hash=board.data_hash,
        ratings={row.participant: row.rating for row in board.rated if row.rank},
        ranks=ranks,
    )


def state_at(store: Store, resolved: ResolvedConfig, selection: Selection, at: datetime) -> State:
    """Return what the debates that had finished by a date come to, by all their ballots of today.

    Ballots have no time, so those that were taken later count, too. The participants are those of
    the last board that was kept before, and whoever of those of today had played.
    """
    then = replace(resolved, participants=read_participants_at(store, resolved, at))
    comparisons = select_comparisons(store, then, replace(selection, until=at)).comparisons
    ratings = dict(rate_placed(comparisons)) if len(comparisons) else {}
    return _state(
        store,
        then,
        totals(store, then, until=at),
        at=at,
        until=at,
        bench=selection.bench,
        ratings=ratings,
        ranks={name: place for place, name in enumerate(ratings, start=1)},
    )


def _state(
    store: Store,
    resolved: ResolvedConfig,
    total: Totals,
    *,
    ratings: Mapping[str, float],
    until: datetime | None = None,
    **content: Any,  # noqa: ANN401 - fields of a state
) -> State:
    ever = add_up(store, resolved.name, None, until=until)
    return State(
        finished=total.count("finished"),
        ballots=total.ballots.get("valid", 0),
        played=ever.count("finished"),
        taken=ever.ballots.get("valid", 0),
        systems=systems(resolved),
        ids=sorted(resolved.names),
        pairs=count_pairs(store, resolved.name, until),
        usd=total.usd,
        ratings={name: round(elo, 4) for name, elo in ratings.items()},
        **content,
    )


def last_state(db: Path, tournament: str, current: State) -> State | None:
    """Return the last remembered state with other results than now; `None` where there is none."""
    different = [
        state
        for state in _read(db).tournaments.get(tournament, [])
        if not state.has_same_results(current)
    ]
    return different[-1] if different else None


def complete(store: Store, tournament: str, state: State) -> State:
    """Return a state with what earlier versions did not remember, as far as the database tells.

    Debates have a time, ballots have none: those that were taken later on the same debates count.
    """
    if state.systems:
        return state
    ever = add_up(store, tournament, None, until=state.at)
    played, taken = ever.count("finished"), ever.ballots.get("valid", 0)
    return state.model_copy(update={"played": played, "taken": taken})


def remember(db: Path, tournament: str, current: State) -> None:
    """Remember what a report said; a report on the same results replaces the one before.

    Raises:
        OSError: the folder cannot be written.
    """
    with one_after_the_other(memory_file(db)):
        memory = _read(db)
        states = memory.tournaments.get(tournament, [])
        if states and states[-1].has_same_results(current):
            states = states[:-1]
        kept = [*states, current][-_REMEMBERED:]
        content = _Memory(tournaments=memory.tournaments | {tournament: kept})
        write_whole(memory_file(db), json.dumps(content.model_dump(mode="json"), indent=1))


def changes_since(state: State | None, current: State, *, is_date: bool) -> Changes:
    """Return what has changed between two states.

    Args:
        state: the earlier one; `None` where there was no report before.
        is_date: whether the earlier one is that of a date, not that of a report.
    """
    if state is None:
        first = "This is the first report on these results, so there is nothing to compare with."
        return Changes(title="What changed", sentences=(first,), by_participant={})
    since = "" if is_date else "the last report, "
    title = f"What changed since {since}{format_moment(state.at.astimezone(UTC))} UTC"
    if state.bench != current.bench:
        other = f"That report was on bench {state.bench}, this one is on bench {current.bench}."
        return Changes(title=title, sentences=(other,), by_participant={})
    replaced = find_replacements(state.systems, current.systems)
    return Changes(
        title=title,
        sentences=(
            *_format_work(state, current, replaced),
            *_format_places(state, current, replaced),
        ),
        by_participant=_find_moves(state, current, replaced) if state.ratings else {},
    )


def _find_moves(before: State, now: State, replaced: Replacements) -> dict[str, PlaceChange]:
    """Return how the place of each rated participant has changed, under its name of today."""
    earlier = {new: old for old, new in replaced.renamed.items()}
    moves = {}
    for name in now.ratings:
        old = earlier.get(name, name)
        if old not in before.ratings or name in replaced.changed:
            moves[name] = PlaceChange(places=None, elo=None)
            continue
        moves[name] = PlaceChange(
            places=before.ranks.get(old, 0) - now.ranks[name],
            elo=now.ratings[name] - before.ratings[old],
        )
    return moves


def _format_work(before: State, now: State, replaced: Replacements) -> Iterator[str]:
    """Yield what was played and taken, and which debates count no longer."""
    played, taken = now.played - before.played, now.taken - before.taken
    if played < 0 or taken < 0:
        yield "The database holds less than it did then: it is another one, or an earlier copy."
        return
    usd = max(0.0, now.usd - before.usd)
    debates, ballots = counted(played, "more debate"), counted(taken, "more ballot")
    yield f"{debates} finished and {ballots} taken, for {usd:.4f} USD at most."
    if before.pairs:
        left, back = count_moves(before.pairs, {*before.ids}, {*now.ids})
    else:
        net = before.finished + played - now.finished
        left, back = max(net, 0), max(-net, 0)
    moves = [f"{counted(left, 'debate')} left the board"] if left else []
    moves += [f"{counted(back, 'debate')} of earlier participants came back"] if back else []
    if moves:
        why = replaced.sentence or "who took part has changed since."
        yield f"{' and '.join(moves)}: {why}"
    elif replaced.sentence:
        yield as_sentence(replaced.sentence)


def _format_places(before: State, now: State, replaced: Replacements) -> list[str]:
    if not before.ratings:
        return ["Nobody was rated then."]
    moves = _find_moves(before, now, replaced)
    known = {*replaced.renamed.values(), *replaced.changed}
    new = sorted(now.ratings.keys() - before.ratings.keys() - known)
    told = {*replaced.renamed, *replaced.removed}
    gone = sorted(before.ratings.keys() - now.ratings.keys() - told)
    moved = [name for name in now.ranks if moves[name].places]
    most = sorted(moved, key=lambda name: -abs(moves[name].places or 0))[:_MOST_MOVED]
    words = []
    for name in (name for name in moved if name in most):
        places, place = moves[name].places or 0, now.ranks[name]
        verb = "rose" if places > 0 else "fell"
        words.append(f"{name} {verb} from place {place + places} to {place}")
    if more := len(moved) - len(most):
        words.append(f"{more} more changed places")
    compared = any(move.elo is not None for move in moves.values())
    lines = [f"{'; '.join(words)}."] if moved else ["Nobody changed places."] * compared
    lines += [f"New on the board: {', '.join(new)}."] if new else []
    return lines + ([f"No longer on the board: {', '.join(gone)}."] if gone else [])


def _read(db: Path) -> _Memory:
    """Read what is remembered; a file that cannot be read counts as none."""
    try:
        return _Memory.model_validate_json(read_file(memory_file(db)))
    except (OSError, ValidationError):
        return _Memory()


def format_changes(
    store: Store, resolved: ResolvedConfig, leaderboard: Board, since: datetime
) -> str:
    """Say what has changed on a board since a date."""
    now = state_of(store, resolved, leaderboard, totals(store, resolved), at=datetime.now(UTC))
    then = state_at(store, resolved, leaderboard.selection, since)
    changes = changes_since(then, now, is_date=True)
    return f"{changes.title}: {' '.join(changes.sentences)}"
