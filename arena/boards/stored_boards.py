"""The storing of boards for the pages: ratings in a table, and whole boards in one state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from arena.boards.board import Surroundings, make_board, read_surroundings
from arena.boards.comparisons import ComparisonSet, compare_by_category
from arena.boards.rating import Rated, rate
from arena.boards.selecting import (
    participant_names,
    read_last_entry,
    scope,
    select_comparisons,
)
from arena.boards.selection import Selection
from arena.boards.states import BoardState, Participation, rated_before, read_states, state_text
from arena.config.resolved import ResolvedConfig, bench_dimensions
from arena.config.stored import stored_config
from arena.errors import ArenaError, StoreError
from arena.records import digest
from arena.store.database import Store, insert
from arena.store.seals import seal_groups, seal_rows

#: The name of the rating method, as the database stores it.
METHOD: Final = "weighted-bradley-terry"

#: Stored ratings of participants who are not in the tournament any more.
_GONE: Final = (
    "FROM ratings WHERE tournament = $name AND NOT list_contains(CAST($present AS TEXT[]), "
    "participant)"
)
#: The columns of `ratings` that are figures of a participant, as `Rated` has them.
_FIGURES: Final = (
    *("rating", "median", "lower", "upper", "percentile_lower", "percentile_upper"),
    *("rank_low", "rank_high"),
)
#: The number of rows of an answer that is not kept for the next board.
_LONG: Final = 1_000
_STORED: Final = "SELECT DISTINCT tournament FROM board_states ORDER BY tournament"
_OLDER: Final = """
    SELECT DISTINCT tournament FROM ratings
    WHERE tournament NOT IN (SELECT tournament FROM board_states) ORDER BY tournament
"""


class _OneState(Store):
    """A database in one state: queries that several boards ask alike are asked once.

    Args:
        store: the database; it waits as long as this, and others go on reading with it.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store.path)
        self.patience = store.patience
        self._answers: dict[tuple[str, str], pd.DataFrame] = {}

    def read(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Run a query, or return what it has returned before; long answers are not kept."""
        asked = query, repr(sorted((parameters or {}).items()))
        if asked not in self._answers:
            answer = super().read(query, parameters)
            if len(answer) > _LONG:
                return answer
            self._answers[asked] = answer
        return self._answers[asked].copy()


def store_boards(store: Store, resolved: ResolvedConfig) -> None:
    """Rate every bench, dimension and category, and store the boards for the pages to read.

    All boards show one state of the database. Those whose comparisons have not changed keep their
    ratings; where nothing has changed, nothing is written.
    """
    moment = datetime.now(UTC)
    with (own := _OneState(store)).one_state():
        try:
            before = read_states(own, resolved.name)
        except StoreError:  # another version stored them
            before = {}
        counted = _read_counted(own, resolved)
    states, fresh = [], []
    for selection, surroundings in counted:
        earlier = before.get((selection.bench, selection.dimension, selection.category))
        state, rated = _make_state(resolved, selection, surroundings, earlier, moment)
        states.append(state)
        if earlier is None or earlier.board.data_hash != rated.data_hash:
            fresh.append((state, rated))
    if sorted(map(state_text, states)) != sorted(map(state_text, before.values())):
        _write(store, resolved, states, fresh)


def store_missing_boards(store: Store) -> tuple[str, ...]:
    """Store the boards of tournaments that another version stored, as the pages need them.

    Returns:
        The names of these tournaments; none while somebody works on the database.
    """
    if store.empty():
        return ()
    names = [str(row["tournament"]) for row in store.rows(_OLDER)]
    names += [str(row["tournament"]) for row in store.rows(_STORED) if not _is_readable(store, row)]
    done: list[str] = []
    if names:
        with suppress(ArenaError), store.runner_lock():
            for name in names:
                store_boards(store, stored_config(store, name))
                done.append(name)
    return tuple(done)


def _is_readable(store: Store, row: Mapping[str, Any]) -> bool:
    """Return whether this version can read the stored boards of a tournament."""
    try:
        read_states(store, row["tournament"])
    except StoreError:
        return False
    return True


def _read_counted(store: Store, resolved: ResolvedConfig) -> list[tuple[Selection, Surroundings]]:
    """Read what every board counts; of selections without a debate there is none."""
    entry = read_last_entry(store, resolved)
    return [
        (selection, read_surroundings(store, resolved, selection, selected=selected))
        for selection, selected in rated_selections(store, resolved, entry=entry)
        if len(selected.comparisons)
    ]


def _make_state(
    resolved: ResolvedConfig,
    selection: Selection,
    surroundings: Surroundings,
    before: BoardState | None,
    at: datetime,
) -> tuple[BoardState, Rated]:
    """Make a board's state, with ratings of before where its comparisons have not changed."""
    comparisons = surroundings.selected.comparisons
    rated = rated_before(before, selection, comparisons) if before else None
    if rated is None:
        rated = rate(comparisons, seed=resolved.config.tournament.seed)
    assert selection.entry is not None
    ends = zip(rated.percentile_lower.tolist(), rated.percentile_upper.tolist(), strict=True)
    return BoardState(
        board=make_board(resolved, selection, rated=rated, surroundings=surroundings),
        entry=selection.entry,
        at=at,
        percentiles=dict(zip(rated.names, ends, strict=True)),
        participations={
            name: Participation.of(own) for name, own in surroundings.participations.items()
        },
        scope=scope(resolved),
    ), rated


def _write(
    store: Store,
    resolved: ResolvedConfig,
    states: Collection[BoardState],
    fresh: Iterable[tuple[BoardState, Rated]],
) -> None:
    """Write the states of all boards of a tournament, and the ratings of those with new ones."""
    ratings = [row for state, rated in fresh for row in _rating_rows(state, rated)]
    rows = [_state_row(state) for state in states]

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        gone = {"name": resolved.name, "present": participant_names(resolved)}
        changed = connection.execute(f"SELECT DISTINCT board_id {_GONE}", gone).fetchall()
        connection.execute(f"DELETE {_GONE}", gone)
        insert(connection, "ratings", ratings, replace=True)
        written = {row["board_id"] for row in ratings}
        seal_groups(connection, "ratings", written.union(board_id for (board_id,) in changed))
        connection.execute("DELETE FROM board_states WHERE tournament = $1", [resolved.name])
        insert(connection, "board_states", rows)
        seal_rows(connection, "board_states")

    store.write(batch)


def _key(selection: Selection) -> dict[str, str]:
    """Return the columns of a row that say which board it is of."""
    names = ("tournament", "bench", "dimension", "category")
    place = {name: str(getattr(selection, name)) for name in names}
    return {"board_id": digest(*place.values(), METHOD), **place}


def _state_row(state: BoardState) -> dict[str, Any]:
    """Return the row of the table `board_states`."""
    return {
        **_key(state.board.selection),
        "entry": state.entry,
        "debates": state.board.comparisons,
        "content": state_text(state),
        "created_at": pd.Timestamp(state.at),
    }


def _rating_rows(state: BoardState, rated: Rated) -> list[dict[str, Any]]:
    """Return the rows of the table `ratings`."""
    key, group = _key(state.board.selection), rated.group_numbers
    debates = {row.participant: row.debates for row in state.board.rows}
    figures = {name: getattr(rated, name).tolist() for name in _FIGURES}
    return [
        {
            **key,
            "method": METHOD,
            "participant": name,
            **{figure: values[k] for figure, values in figures.items()},
            "tie_group": group.get(name, 0),
            "comparisons": debates[name],
            "data_hash": rated.data_hash,
            "seed": state.board.seed,
            "created_at": pd.Timestamp(state.at),
        }
        for k, name in enumerate(rated.names)
    ]


def rated_selections(
    store: Store, resolved: ResolvedConfig, *, entry: int | None = None
) -> Iterator[tuple[Selection, ComparisonSet]]:
    """Yield every bench, dimension and category that has debates, with its comparisons.

    Args:
        entry: the number up to which ballots count; all by default.
    """
    categories = ("all", *resolved.categories)
    for bench in resolved.board_benches:
        for dimension in bench_dimensions(resolved, bench):
            selection = Selection(
                tournament=resolved.name, bench=bench, dimension=dimension, entry=entry
            )
            selections = {name: replace(selection, category=name) for name in categories}
            if resolved.is_battle_log:
                for selected in selections.values():
                    yield selected, select_comparisons(store, resolved, selected)
                continue
            by_category = compare_by_category(store, selection, scope(resolved))
            for name, selected in selections.items():
                if name in by_category:
                    yield selected, by_category[name]
