"""The storing of boards for the pages: ratings in a table, and whole boards in one state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from arena.boards.board import Surroundings, make_board, read_surroundings
from arena.boards.comparisons import ComparisonSet, compare_by_category
from arena.boards.method import STORED, Rated, rate
from arena.boards.selecting import bench_dimensions, participant_names, scope, select_comparisons
from arena.boards.selection import Selection
from arena.boards.states import BoardState, Participation, rated_before, read_states, state_text
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import ArenaError, StoreError
from arena.records import digest
from arena.store.database import Store, insert
from arena.store.seals import seal_groups, seal_rows
from ratings.model.bradley_terry import hash_data

#: The name of the rating method, as the database stores it.
METHOD: Final = "weighted-bradley-terry"

#: The number up to which ballots count now; of imported battles, how many there are.
LAST_ENTRY: Final = "SELECT coalesce(max(entry), 0) AS entry FROM ballots"
LAST_BATTLE: Final = "SELECT coalesce(max(rowid) + 1, 0) AS entry FROM battles"

#: Stored ratings of participants who are not in the tournament any more.
_GONE: Final = (
    "FROM ratings WHERE tournament = $name AND NOT list_contains(CAST($present AS TEXT[]), "
    "participant)"
)
#: The number of rows of an answer that is not kept for the next board.
_LONG: Final = 1_000
_OLDER: Final = """
    SELECT DISTINCT tournament FROM ratings
    WHERE tournament NOT IN (SELECT tournament FROM board_states) ORDER BY tournament
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted:
    """What one board counts, read from the database, and the state that was stored before."""

    selection: Selection
    surroundings: Surroundings
    before: BoardState | None


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
        before = _read_before(own, resolved.name)
        counted = _read_counted(own, resolved, before)
    states = [_make_state(resolved, each, moment) for each in counted]
    fresh = [
        (state, rated)
        for (state, rated), each in zip(states, counted, strict=True)
        if each.before is None or each.before.board.data_hash != rated.data_hash
    ]
    is_same = len(before) == len(counted) and all(
        each.before is not None and state_text(each.before) == state_text(state)
        for (state, _), each in zip(states, counted, strict=True)
    )
    if not is_same:
        _write(store, resolved, [state for state, _ in states], fresh)


def store_missing_boards(store: Store) -> tuple[str, ...]:
    """Store the boards of tournaments that another version stored, as the pages need them.

    Returns:
        The names of these tournaments; none while somebody works on the database.
    """
    if store.empty():
        return ()
    names = [str(row["tournament"]) for row in store.rows(_OLDER)]
    names += [name for name in _stored_tournaments(store) if not _is_readable(store, name)]
    if not names:
        return ()
    done = []
    try:
        with store.runner_lock():
            for name in names:
                store_boards(store, stored_config(store, name))
                done.append(name)
    except ArenaError:
        return tuple(done)
    return tuple(done)


def _stored_tournaments(store: Store) -> list[str]:
    rows = store.rows("SELECT DISTINCT tournament FROM board_states ORDER BY tournament")
    return [str(row["tournament"]) for row in rows]


def _is_readable(store: Store, tournament: str) -> bool:
    """Return whether this version can read the stored boards of a tournament."""
    try:
        read_states(store, tournament)
    except StoreError:
        return False
    return True


def _read_counted(
    store: Store, resolved: ResolvedConfig, before: Mapping[tuple[str, str, str], BoardState]
) -> list[_Counted]:
    """Read what every board counts; of selections without a debate there is none."""
    query = LAST_BATTLE if resolved.is_battle_log else LAST_ENTRY
    entry = int(store.rows(query)[0]["entry"])
    counted = []
    for selection, selected in rated_selections(store, resolved, entry=entry):
        if len(selected.comparisons):
            surroundings = read_surroundings(store, resolved, selection, selected=selected)
            place = selection.bench, selection.dimension, selection.category
            counted.append(
                _Counted(selection=selection, surroundings=surroundings, before=before.get(place))
            )
    return counted


def _read_before(store: Store, tournament: str) -> dict[tuple[str, str, str], BoardState]:
    """Read the states that were stored before; none where another version stored them."""
    try:
        return read_states(store, tournament)
    except StoreError:
        return {}


def _make_state(
    resolved: ResolvedConfig, counted: _Counted, at: datetime
) -> tuple[BoardState, Rated]:
    """Make a board's state, with ratings of before where its comparisons have not changed."""
    comparisons = counted.surroundings.selected.comparisons
    rated = None
    if counted.before is not None:
        data_hash = hash_data(comparisons, STORED.model)
        rated = rated_before(counted.before, counted.selection, comparisons, data_hash)
    if rated is None:
        rated = rate(comparisons, seed=resolved.config.tournament.seed)
    entry = counted.selection.entry
    assert entry is not None
    return BoardState(
        board=make_board(
            resolved, counted.selection, rated=rated, surroundings=counted.surroundings
        ),
        entry=entry,
        at=at,
        percentiles={
            name: (float(rated.percentile_lower[k]), float(rated.percentile_upper[k]))
            for k, name in enumerate(rated.names)
        },
        participations={
            name: _participation(own) for name, own in counted.surroundings.participations.items()
        },
        scope=scope(resolved),
    ), rated


def _participation(row: Mapping[str, Any]) -> Participation:
    return Participation(
        ended=int(row["ended"]),
        forfeits=int(row["forfeits"]),
        voids=int(row["voids"]),
        errors=int(row["errors"]),
        input_tokens=float(row["input_tokens"]),
        output_tokens=float(row["output_tokens"]),
        seconds=float(row["seconds"]),
    )


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


def _board_id(selection: Selection) -> str:
    return digest(
        selection.tournament, selection.bench, selection.dimension, selection.category, METHOD
    )


def _state_row(state: BoardState) -> dict[str, Any]:
    """Return the row of the table `board_states`."""
    selection = state.board.selection
    return {
        "board_id": _board_id(selection),
        "tournament": selection.tournament,
        "bench": selection.bench,
        "dimension": selection.dimension,
        "category": selection.category,
        "entry": state.entry,
        "debates": state.board.comparisons,
        "content": state_text(state),
        "created_at": pd.Timestamp(state.at),
    }


def _rating_rows(state: BoardState, rated: Rated) -> list[dict[str, Any]]:
    """Return the rows of the table `ratings`."""
    selection, group = state.board.selection, rated.group_numbers
    debates = {row.participant: row.debates for row in state.board.rows}
    return [
        {
            "board_id": _board_id(selection),
            "tournament": selection.tournament,
            "bench": selection.bench,
            "dimension": selection.dimension,
            "category": selection.category,
            "method": METHOD,
            "participant": name,
            "rating": float(rated.rating[k]),
            "median": float(rated.median[k]),
            "lower": float(rated.lower[k]),
            "upper": float(rated.upper[k]),
            "percentile_lower": float(rated.percentile_lower[k]),
            "percentile_upper": float(rated.percentile_upper[k]),
            "rank_low": int(rated.rank_low[k]),
            "rank_high": int(rated.rank_high[k]),
            "tie_group": group[name],
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
    for bench in resolved.board_benches:
        for dimension in bench_dimensions(resolved, bench):
            selection = Selection(
                tournament=resolved.name, bench=bench, dimension=dimension, entry=entry
            )
            by_category = _compare_by_category(store, resolved, selection)
            for category in ("all", *resolved.categories):
                if category in by_category:
                    yield replace(selection, category=category), by_category[category]


def _compare_by_category(
    store: Store, resolved: ResolvedConfig, selection: Selection
) -> dict[str, ComparisonSet]:
    if not resolved.is_battle_log:
        return compare_by_category(store, selection, scope(resolved))
    return {
        category: select_comparisons(store, resolved, replace(selection, category=category))
        for category in ("all", *resolved.categories)
    }
