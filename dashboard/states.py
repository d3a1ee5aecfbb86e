"""The state that a page shows: a stored board, and queries that count the same ballots.

While a run is on, results arrive all the time. A page picks one state (`BoardState`) when it is
drawn, and everything on it comes from functions that take this state: the rows of the board from
the state itself, all else from queries that are bound to the ballots which the board counts. No
page ever bootstraps a rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.boards.board import Row
from arena.boards.comparisons import ComparisonSet, compare
from arena.boards.matrix import SURE_KINDS, Kind, Matrix, matrix
from arena.boards.method import Method
from arena.boards.ranks import Correlation, correlations
from arena.boards.statements import interval_notes
from arena.boards.states import BoardState, Participation, read_states, stored_selections
from arena.report.bench_comparison import BenchComparison
from arena.report.matrix_report import MatrixReport
from arena.report.matrix_table import matrix_notes
from arena.store.database import Store
from ratings import Comparisons, confidence, cyclicity, score_difference


def bench_states(store: Store, state: BoardState) -> dict[str, BoardState]:
    """Return the states of all benches' boards of a state's dimension and category, by bench."""
    own = state.board.selection
    beside = _stored_with(store, state, dimension=own.dimension, category=own.category)
    by_bench = {bench: other for (bench, _, _), other in beside.items()}
    order = stored_selections(store, own.tournament)["bench"].unique()
    return {bench: by_bench[bench] for bench in order if bench in by_bench}


def states_of_bench(store: Store, state: BoardState) -> dict[tuple[str, str], BoardState]:
    """Return the states of a bench's boards beside a state's own, by dimension and category."""
    beside = _stored_with(store, state, bench=state.board.selection.bench)
    return {(dimension, category): other for (_, dimension, category), other in beside.items()}


def _stored_with(
    store: Store, state: BoardState, **kind: str
) -> dict[tuple[str, str, str], BoardState]:
    """Return the states of a kind that were stored together with a state.

    The boards of a tournament are stored together; a state of another moment has none beside it.
    """
    stored = read_states(store, state.board.selection.tournament, **kind)
    return {
        key: other
        for key, other in stored.items()
        if (other.entry, other.at) == (state.entry, state.at)
    }


def board_frame(state: BoardState) -> pd.DataFrame:
    """Return a board as a table: a row per participant, the best first.

    Columns: those of `arena.boards.board.Row`, then availability (a share), input_tokens and
    output_tokens (per debate) with usd_error and tokens_error, NaN where they are not known.
    """
    unknown = Participation()
    own = [state.participations.get(row.participant, unknown) for row in state.board.rows]
    names = [field.name for field in fields(Row)]
    frame = pd.DataFrame(
        {name: [getattr(row, name) for row in state.board.rows] for name in names}, columns=names
    )
    known = np.array([each.ended > 0 for each in own])
    columns = ("availability", "input_tokens", "output_tokens", "usd_error", "tokens_error")
    return frame.assign(
        **{
            name: np.where(known, [float(getattr(each, name)) for each in own], np.nan)
            for name in columns
        }
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRanks:
    """The boards of all benches of one state side by side.

    Attributes:
        frame: a row per participant in the order of the state's own bench: participant, then for
            each bench its name with " Elo" and " rank", and for the others " change": the ranks
            that the participant stands higher there than on the own bench, unknown for none.
    """

    frame: pd.DataFrame
    correlations: tuple[Correlation, ...]


def read_bench_ranks(store: Store, state: BoardState) -> BenchRanks | None:
    """Return the `bench_ranks` of the boards that were stored with a state's."""
    return bench_ranks(state, bench_states(store, state))


def bench_ranks(state: BoardState, beside: Mapping[str, BoardState]) -> BenchRanks | None:
    """Put the boards of other benches beside a state's own; `None` where there is no other."""
    own = state.board.selection.bench
    boards = {own: state, **{bench: other for bench, other in beside.items() if bench != own}}
    if len(boards) < 2:
        return None
    rows = {
        bench: {row.participant: row for row in other.board.rows} for bench, other in boards.items()
    }
    frame = pd.DataFrame({"participant": list(rows[own])})
    for bench, by_name in rows.items():
        ratings = {name: row.rating for name, row in by_name.items() if row.is_rated}
        ranks = {name: row.rank for name, row in by_name.items()}
        frame[f"{bench} Elo"] = frame["participant"].map(ratings)
        frame[f"{bench} rank"] = pd.array(
            [ranks.get(name) for name in frame["participant"]], dtype="Int64"
        )
        if bench != own:
            risen = frame[f"{own} rank"] - frame[f"{bench} rank"]
            frame[f"{bench} change"] = risen.mask(risen == 0)
    rated = {
        bench: {name: row.rating for name, row in by_name.items() if row.is_rated}
        for bench, by_name in rows.items()
    }
    return BenchRanks(frame=frame, correlations=tuple(correlations(rated)))


def compare_boards(beside: Mapping[str, BoardState]) -> BenchComparison:
    """Return the ratings of the boards of all benches, as `compare_benches` computes them."""
    boards = {bench: state.board for bench, state in beside.items() if state.board.comparisons}
    ratings = {
        bench: {row.participant: row.rating for row in board.rated}
        for bench, board in boards.items()
    }
    return BenchComparison(
        title="Elo by bench",
        rejudge="",  # the files of a page hold the figures alone
        ratings=ratings,
        correlations=tuple(correlations(ratings)),
    )


def state_comparisons(store: Store, state: BoardState) -> ComparisonSet:
    """Return the comparisons that a state counts."""
    return compare(store, state.selection, state.scope)


def win_rates(store: Store, state: BoardState, kind: Kind) -> Matrix | None:
    """Return a matrix of a state's comparisons; `None` for fewer than two participants."""
    if len(state.board.rated) < 2:
        return None
    compared = state_comparisons(store, state)
    rating = {row.participant: row.rating for row in state.board.rated}
    value = _cells(compared, kind, state.board.method) if len(compared.comparisons) else None
    return matrix(compared.comparisons, rating, kind=kind, value=value)


def matrix_report(store: Store, state: BoardState, shown: Matrix) -> MatrixReport:
    """Return a matrix of a state with what `arena matrix` says of it."""
    board = state.board
    comparisons = state_comparisons(store, state).comparisons
    return MatrixReport(
        matrix=shown,
        selection=board.selection,
        notes=(
            *board.selection.clustering,
            *(interval_notes(board) if shown.kind in SURE_KINDS else ()),
            *matrix_notes(comparisons),
        ),
        simulated=board.simulated,
        caveat=board.caveat,
        circles=cyclicity(comparisons, seed=board.seed) if shown.kind == "residual" else None,
        uncounted=board.uncounted,
    )


def _cells(compared: ComparisonSet, kind: Kind, method: Method) -> NDArray[np.float64] | None:
    """Return the cells of a kind that needs more than ratings and counts; else `None`."""
    comparisons: Comparisons = compared.comparisons
    if kind == "superiority":
        return confidence(method.weigh(comparisons), method.model).superiority
    if kind == "residual":
        return cyclicity(comparisons, rounds=1, seed=0).surplus  # the cells, without the test
    if kind == "difference":
        return score_difference(comparisons, compared.rows["difference"])
    return None
