"""The page of win rates between every two participants: observed, predicted, and how certain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from plotly.graph_objects import Figure

from arena.boards.comparisons import Selection
from arena.boards.matrix import Kind, Matrix
from arena.report import charts
from dashboard import cached
from dashboard.boards import board_page, switch, theme
from dashboard.elements import quiet, show_empty_state
from dashboard.queries import Standings
from dashboard.settings import database

_CAPTIONS = {
    "observed": "Share of debates won by the row against the column; a tie counts as half",
    "predicted": "Win probability of the row against the column, predicted from their ratings",
    "superiority": "Probability that the row is better than the column",
    "residual": "Share won by the row minus the share predicted (weighted); a tie counts as half",
    "difference": "Mean score of the row minus that of the column, points out of three",
    "counts": "Number of debates of the two",
}
_ORDER: tuple[Kind, ...] = (
    "observed", "predicted", "superiority", "residual", "difference", "counts",
)  # fmt: skip
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


def _show(selection: Selection, standings: Standings) -> None:
    kinds: dict[str, Kind] = {str(kind): kind for kind in _ORDER}
    kind = kinds[switch(st.container(), "shown", list(kinds))]
    matrix = cached.win_rates(database(), selection, kind)
    if matrix is None:
        show_empty_state("No pairs yet.", "A matrix needs two rated participants or more.")
        return
    quiet(f"{_CAPTIONS[kind]}; {standings.judged} debates judged. Blank cells: unknown.", "said")
    st.plotly_chart(_figure(matrix), config={"displayModeBar": False}, key="matrix")


def _figure(matrix: Matrix) -> Figure:
    return _CHARTS[matrix.kind](matrix.frame(), theme=theme())
