"""The page of win rates between every two participants: observed, predicted, and how certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
from plotly.graph_objects import Figure

from arena.boards.matrix import Kind, Matrix
from arena.boards.states import BoardState
from arena.output import matrix_charts as charts
from arena.output.formats import as_json
from arena.output.tables import as_csv
from arena.report.matrix_table import matrix_table
from arena.store.database import Store
from dashboard import cached
from dashboard.addresses import go_to, show_notices
from dashboard.boards import MOST_DRAWN, board_choices, board_page, summary_text, switch
from dashboard.elements import quiet, show_empty_state, text
from dashboard.letters import fit_box
from dashboard.settings import database
from dashboard.show_charts import picture_files, save_chart, theme
from dashboard.states import matrix_report
from dashboard.tables import named_files, show_downloads

_CAPTIONS: Mapping[Kind, str] = {
    "observed": "Share of debates won by the row against the column; a tie counts as half",
    "predicted": "Win probability of the row against the column, predicted from their ratings",
    "superiority": "Probability that the row is better than the column, each pair taken alone and "
    "at a single look",
    "residual": "Share won by the row minus the share predicted (weighted); a tie counts as half",
    "difference": "Mean score of the row minus that of the column, points out of three",
    "counts": "Number of debates of the two",
}
_CHARTS: Mapping[Kind, Callable[..., Figure]] = {
    "observed": charts.draw_win_rates,
    "predicted": charts.draw_win_rates,
    "superiority": charts.draw_win_rates,
    "counts": charts.draw_counts,
    "residual": charts.draw_residuals,
    "difference": charts.draw_differences,
}


def page() -> None:
    """Show a win-rate matrix, and follow a run."""
    board_page("Win rates", _show)


def _show(state: BoardState) -> None:
    with st.container(key="summary"):
        text(summary_text(state.board))
    kinds: dict[str, Kind] = {str(kind): kind for kind in _CAPTIONS}
    kind = kinds[switch(st.container(), "shown", list(kinds))]
    show_notices()
    matrix = cached.win_rates(state, kind)
    if matrix is None:
        show_empty_state("No pairs yet.", "A matrix needs two rated participants or more.")
        return
    quiet(f"{_CAPTIONS[kind]}; {state.board.size} judged. Blank cells: unknown.", "said")
    if len(matrix.names) > MOST_DRAWN:
        quiet(f"Only the best {MOST_DRAWN} are drawn; the file below holds all.", "most")
    name = (state.board.selection.tournament, state.board.selection.bench, kind)
    pair = _show_matrix(best_of(matrix, MOST_DRAWN), name)
    # The files equal what `arena matrix` prints.
    files = named_files(
        *name,
        CSV=lambda: as_csv(matrix_table(matrix)),
        JSON=lambda: matrix_json(state, matrix),
    )
    pictures = picture_files(lambda colours: _CHARTS[kind](matrix.frame(), theme=colours), name)
    show_downloads({**files, **pictures}, key="matrix")
    pair = pair or _choose_pair(matrix)
    if pair:
        go_to("head-to-head", **board_choices(state), first=pair[0], second=pair[1])


def best_of(matrix: Matrix, number: int) -> Matrix:
    """Return the part of a matrix that is about its first participants."""
    part = np.s_[:number, :number]
    return replace(
        matrix,
        names=matrix.names[:number],
        value=matrix.value[part],
        count=matrix.count[part],
        margin=None if matrix.margin is None else matrix.margin[part],
    )


def _show_matrix(matrix: Matrix, name: Sequence[str]) -> tuple[str, str] | None:
    """Show a matrix, and return the pair of the cell that was clicked.

    Args:
        name: the parts of the names of files.
    """
    frame = matrix.frame()
    figure = charts.with_targets(_CHARTS[matrix.kind](frame, theme=theme()), frame)
    with st.container(key="matrix-scroll"):
        event = st.plotly_chart(
            figure,
            width=charts.grid_pixels(len(matrix.names)),
            config=save_chart(name),
            key="matrix",
            on_select="rerun",
            selection_mode="points",
            alt=f"{_CAPTIONS[matrix.kind]}. The file below holds the same figures.",
        )
    for point in event.selection.points:
        first, second = point["customdata"][:2]
        return str(first), str(second)
    return None


def _choose_pair(matrix: Matrix) -> tuple[str, str] | None:
    """Ask for a pair by its names, for those who cannot click on a cell."""
    quiet("Click on a cell for the two head to head, or name them:", "pair")
    one, other, button = st.columns((5, 5, 3), vertical_alignment="bottom")
    words = fit_box(matrix.names)
    first = one.selectbox("Row", matrix.names, key="row", format_func=words)
    names = [name for name in matrix.names if name != first]
    second = other.selectbox("Column", names, key="column", format_func=words)
    return (first, second) if button.button("Head to head", key="open-pair") else None


def matrix_json(state: BoardState, matrix: Matrix) -> str:
    """Return a matrix of a state as `arena matrix --format json` prints it."""
    report = matrix_report(Store(database()), state, matrix)
    return as_json(report.content()) + "\n"
