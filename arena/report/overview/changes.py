"""What has changed since the last report, or since a date, and the memory of what reports said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection, format_moment
from arena.read.work_counts import Totals, totals
from arena.store.whole_files import one_after_the_other, write_whole
from arena.text import counted
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
    usd: float
    ratings: dict[str, float]
    ranks: dict[str, int]

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


def state_of(board: Board, total: Totals, *, at: datetime) -> State:
    """Return what a report on a board says."""
    return State(
        at=at,
        bench=board.selection.bench,
        data_hash=board.data_hash,
        finished=total.count("finished"),
        ballots=total.ballots.get("valid", 0),
        usd=total.usd,
        ratings={row.participant: round(row.rating, 4) for row in board.rated if row.rank},
        ranks={row.participant: row.rank for row in board.rated if row.rank},
    )


def state_at(store: Store, resolved: ResolvedConfig, selection: Selection, at: datetime) -> State:
    """Return what the debates that had finished by a date come to, by all their ballots of today.

    Ballots have no time, so those that were taken later count, too.
    """
    total = totals(store, resolved, until=at)
    comparisons = select_comparisons(store, resolved, replace(selection, until=at)).comparisons
    ratings: dict[str, float] = {}
    if len(comparisons):
        ratings = {name: round(elo, 4) for name, elo in rate_placed(comparisons).items()}
    return State(
        at=at,
        bench=selection.bench,
        finished=total.count("finished"),
        ballots=total.ballots.get("valid", 0),
        usd=total.usd,
        ratings=ratings,
        ranks={name: place for place, name in enumerate(ratings, start=1)},
    )


def last_state(db: Path, tournament: str, current: State) -> State | None:
    """Return the last remembered state with other results than now; `None` where there is none."""
    different = [
        state
        for state in _read(db).tournaments.get(tournament, [])
        if not state.has_same_results(current)
    ]
    return different[-1] if different else None


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
    by_participant = {name: _change(name, state, current) for name in current.ratings}
    return Changes(
        title=title,
        sentences=(_format_work(state, current), *_format_places(state, current)),
        by_participant=by_participant if state.ratings else {},
    )


def _change(name: str, before: State, now: State) -> PlaceChange:
    if name not in before.ratings:
        return PlaceChange(places=None, elo=None)
    return PlaceChange(
        places=before.ranks.get(name, 0) - now.ranks[name],
        elo=now.ratings[name] - before.ratings[name],
    )


def _format_work(before: State, now: State) -> str:
    debates = counted(max(0, now.finished - before.finished), "more debate")
    ballots = counted(max(0, now.ballots - before.ballots), "more ballot")
    usd = max(0.0, now.usd - before.usd)
    return f"{debates} finished and {ballots} taken, for {usd:.4f} USD at most."


def _format_places(before: State, now: State) -> list[str]:
    if not before.ratings:
        return ["Nobody was rated then."]
    new = sorted(now.ratings.keys() - before.ratings.keys())
    gone = sorted(before.ratings.keys() - now.ratings.keys())
    then = {name: before.ranks.get(name, place) for name, place in now.ranks.items()}
    moved = [name for name, place in now.ranks.items() if then[name] != place]
    most = sorted(moved, key=lambda name: -abs(then[name] - now.ranks[name]))[:_MOST_MOVED]
    words = [
        f"{name} {'rose' if then[name] > now.ranks[name] else 'fell'} from place {then[name]} to "
        f"{now.ranks[name]}"
        for name in moved
        if name in most
    ]
    if more := len(moved) - len(most):
        words.append(f"{more} more changed places")
    lines = [f"{'; '.join(words)}."] if moved else ["Nobody changed places."]
    lines += [f"New on the board: {', '.join(new)}."] if new else []
    return lines + ([f"No longer on the board: {', '.join(gone)}."] if gone else [])


def _read(db: Path) -> _Memory:
    """Read what is remembered; a file that cannot be read counts as none."""
    try:
        return _Memory.model_validate_json(read_file(memory_file(db)))
    except (OSError, ValidationError):
        return _Memory()
