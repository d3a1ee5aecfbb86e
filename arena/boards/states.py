"""States of boards: whole boards as they were stored, with the ballots that they count.

While a tournament is played, its pages show boards that were stored up to half a minute ago.
Whatever stands beside a stored board has to count the same debates: so all boards of a tournament
are stored together, from one state of the database, with the number up to which ballots count
(`Selection.entry`). A page reads one such state, and binds every further query to its number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import TypeAdapter

from arena.boards.board import HALF_DIGITS, Board
from arena.boards.method import INTERVALS_DIFFER, IntervalKind
from arena.boards.rating import Rated
from arena.boards.selection import Scope, Selection
from arena.errors import StoreError
from arena.store.database import Store
from ratings import Comparisons
from ratings.intervals.comparison_widths import ComparisonWidths
from ratings.model.bradley_terry import hash_data

if TYPE_CHECKING:
    import pandas as pd

_STATES: Final = """
    SELECT bench, dimension, category, entry, content, created_at FROM board_states
    WHERE tournament = $tournament
"""
#: The benches of all tournaments, with their judges and options.
BENCHES: Final = """
    SELECT tournament, bench->>'name' AS bench, bench->>'judge' AS judge, bench->>'model' AS model,
           CAST(bench->>'runs' AS INTEGER) AS runs, CAST(bench->'options' AS TEXT) AS options,
           position
    FROM (SELECT tournament, unnest(config->'$.benches[*]') AS bench,
                 unnest(range(CAST(json_array_length(config->'$.benches') AS BIGINT))) AS position
          FROM tournaments)
"""
#: The stored boards of a tournament, the usual ones first.
_STORED: Final = f"""
    SELECT s.bench, s.dimension, s.category, b.position
    FROM board_states s LEFT JOIN ({BENCHES}) b ON b.tournament = s.tournament AND b.bench = s.bench
    WHERE s.tournament = $tournament
    ORDER BY s.bench <> 'all', b.position, s.bench, s.dimension <> 'overall', s.dimension,
             s.category <> 'all', s.category
"""
_LAST_VALID: Final = """
    SELECT coalesce(max(b.entry), 0) AS entry FROM ballots b JOIN debates d USING (debate_id)
    WHERE d.tournament = $tournament AND b.bench = $bench AND b.status = 'valid'
"""
#: The fields of a scope that are sets.
_SETS: Final = ("majority", "by_ballot", "partial")
#: The ends of the percentile interval of a participant who has none.
_UNKNOWN: Final = (float("nan"), float("nan"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """How a participant's debates went, whoever won them.

    Attributes:
        ended: debates that came to an end of any kind.
        forfeits, errors: by the participant's own fault, or in its own code.
        voids: debates that the provider failed, whichever side's it was.
        input_tokens, output_tokens: of its side of a finished debate, the mean.
        seconds: of the calls of its side of a finished debate, the mean.
        usd_error, tokens_error: standard errors of the mean cost in USD, and of the mean number of
            tokens, of its side of a finished debate; 0 with fewer than two.
    """

    ended: int = 0
    forfeits: int = 0
    voids: int = 0
    errors: int = 0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    seconds: float = 0.0
    usd_error: float = 0.0
    tokens_error: float = 0.0

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Participation:
        """Return the part of a row of `arena.boards.participation` that is kept."""
        return cls(**{field.name: row[field.name] for field in fields(cls)})

    @property
    def availability(self) -> float:
        """The share of its debates that neither it nor a provider lost; NaN without a debate."""
        lost = self.forfeits + self.voids + self.errors
        return 1 - lost / self.ended if self.ended else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardState:
    """A board with the state of the data that it shows.

    Attributes:
        board: as `arena leaderboard` prints it.
        entry: the number up to which ballots count.
        percentiles: the bootstrap's intervals by participant, Elo points; empty where none are
            kept.
        participations: by participant; empty where none are kept.
        scope: the benches and participants whose comparisons the board counts. The tournament may
            have others by now.
    """

    board: Board
    entry: int
    at: datetime
    percentiles: Mapping[str, tuple[float, float]]
    participations: Mapping[str, Participation]
    scope: Scope

    @property
    def selection(self) -> Selection:
        """What the board selects, bound to the ballots that it counts."""
        return replace(self.board.selection, entry=self.entry)

    @property
    def settled(self) -> int:
        """The number of pairs whose order is settled."""
        return len(self.board.separated)

    @property
    def pairs(self) -> int:
        """The number of pairs of participants."""
        return self.board.pairs

    def with_intervals(self, kind: IntervalKind) -> BoardState:
        """Return the state with a board that shows intervals of a kind, as the command's does."""
        if kind == "sandwich" or not self.percentiles:
            return self
        ends = ((row, *self.percentiles.get(row.participant, _UNKNOWN)) for row in self.board.rows)
        board = replace(
            self.board,
            rows=tuple(replace(row, lower=lower, upper=upper) for row, lower, upper in ends),
            method=replace(self.board.method, intervals=kind),
            notes=(INTERVALS_DIFFER, *self.board.notes),
        )
        return replace(self, board=board)


def state_text(state: BoardState) -> str:
    """Write the content of a state as JSON, always in the same way; without its number and time.

    Pairs whose order is settled are written by the places of their rows: there are thousands.
    """
    place = {row.participant: number for number, row in enumerate(state.board.rows)}
    board = asdict(replace(state.board, selection=replace(state.board.selection, entry=None)))
    board["separated"] = [[place[better], place[worse]] for better, worse in state.board.separated]
    content = {
        "board": board,
        "percentiles": state.percentiles,
        "participations": {name: asdict(own) for name, own in state.participations.items()},
        "scope": asdict(state.scope) | {name: sorted(getattr(state.scope, name)) for name in _SETS},
    }
    return json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)


def parse_state(text: str, *, entry: int, at: datetime) -> BoardState:
    """Parse what `state_text` wrote.

    Raises:
        StoreError: another version of the program wrote it, with other contents.
    """
    try:
        content = json.loads(text)
        board = content["board"]
        names = [row["participant"] for row in board["rows"]]
        board["separated"] = [(names[better], names[worse]) for better, worse in board["separated"]]
        return _adapter().validate_python(content | {"entry": entry, "at": at})
    except (LookupError, TypeError, ValueError):  # which the errors of a validation are, too
        raise StoreError(
            "a stored board is of another version of debate-arena, with other contents. "
            "Store the boards anew with: arena resume"
        ) from None


def read_state(store: Store, selection: Selection) -> BoardState | None:
    """Read the stored state of a board; `None` where none is stored.

    Args:
        selection: its tournament, bench, dimension and category; nothing else is stored.

    Raises:
        StoreError: it is of another version of the program.
    """
    states = read_states(
        store,
        selection.tournament,
        bench=selection.bench,
        dimension=selection.dimension,
        category=selection.category,
    )
    return next(iter(states.values()), None)


def read_states(
    store: Store, tournament: str, **wanted: str
) -> dict[tuple[str, str, str], BoardState]:
    """Read the stored states of a tournament's boards, by bench, dimension and category.

    Args:
        wanted: the bench, dimension or category; all by default.

    Raises:
        StoreError: one is of another version of the program.
    """
    conditions = "".join(f" AND {name} = ${name}" for name in wanted)
    rows = store.rows(_STATES + conditions, {"tournament": tournament, **wanted})
    return {
        (str(row["bench"]), str(row["dimension"]), str(row["category"])): parse_state(
            row["content"],
            entry=row["entry"],
            at=row["created_at"].to_pydatetime().astimezone(UTC),
        )
        for row in rows
    }


def rated_before(state: BoardState, selection: Selection, comparisons: Comparisons) -> Rated | None:
    """Return the ratings of a state, if they are of the same comparisons."""
    board, names = state.board, comparisons.names
    rows = {row.participant: row for row in board.rows}
    if board.selection.cluster != selection.cluster or board.first is None:
        return None  # an earlier version stored it
    if rows.keys() != set(names):
        return None
    if (board.pairing, board.plan) != (comparisons.pairing, comparisons.plan):
        return None
    if board.data_hash != hash_data(comparisons, board.method.model):
        return None
    place = {name: number for number, name in enumerate(names)}
    above = np.zeros((len(names), len(names)), dtype=bool)
    for better, worse in board.separated:
        above[place[better], place[worse]] = True
    percentiles = [state.percentiles.get(name, _UNKNOWN) for name in names]
    columns: dict[str, Any] = {
        column: np.array([getattr(rows[name], column) for name in names])
        for column in ("rating", "median", "lower", "upper")
    }
    return Rated(
        names=names,
        **columns,
        percentile_lower=np.array([low for low, _ in percentiles]),
        percentile_upper=np.array([high for _, high in percentiles]),
        comparison=ComparisonWidths(
            # the side that does not reach to the rating with forfeits as losses
            half=np.array(
                [
                    min(row.comparison_upper - row.rating, row.rating - row.comparison_lower)
                    for row in map(rows.__getitem__, names)
                ]
            ).round(HALF_DIGITS),
            error=board.comparison_error,
        ),
        above=above,
        matchups=np.array([rows[name].matchups for name in names], dtype=np.intp),
        effects=board.effects,
        motions=board.motions,
        penalty=np.inf if board.penalty is None else board.penalty,
        data_hash=board.data_hash,
        first=board.first,
        pairing=board.pairing,
        plan=board.plan,
        circles=board.circles,
        with_losses=np.array([rows[name].with_losses for name in names])
        if board.both_ways
        else None,
    )


@cache
def _adapter() -> TypeAdapter[BoardState]:
    return TypeAdapter(BoardState)


def stored_selections(store: Store, tournament: str) -> pd.DataFrame:
    """Return what boards of a tournament are stored, the usual ones first.

    Columns: bench, dimension, category.
    """
    return store.read(_STORED, {"tournament": tournament}).drop(columns="position")


def overall_state(store: Store, tournament: str, bench: str = "") -> BoardState | None:
    """Return the state of a bench's overall board; `None` before there is one.

    Args:
        bench: '' for the default one.
    """
    stored = stored_selections(store, tournament)
    if stored.empty:
        return None
    bench = bench or str(stored["bench"].iloc[0])
    return read_state(store, Selection(tournament=tournament, bench=bench))


def last_valid_entry(store: Store, selection: Selection) -> int:
    """Return the number of the last valid ballot of a bench; a board up to it counts all."""
    asked = {"tournament": selection.tournament, "bench": selection.bench}
    return int(store.plain_rows(_LAST_VALID, asked)[0]["entry"])
