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
    "observed": "The share of debates that the row won against the column, ties half",
    "predicted": "The chance of the row against the column, by their ratings",
    "superiority": "How likely it is that the row is better than the column",
    "residual": "The share that the row won less the share that their ratings predict (weighted), "
    "ties half",
    "difference": "The mean score of the row less that of the column, points of three",
    "counts": "How many debates the two have played",
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
    quiet(f"{_CAPTIONS[kind]}; {standings.judged} debates judged. Blank: not known.", "said")
    st.plotly_chart(_figure(matrix), config={"displayModeBar": False}, key="matrix")


def _figure(matrix: Matrix) -> Figure:
    return _CHARTS[matrix.kind](matrix.frame(), theme=theme())
