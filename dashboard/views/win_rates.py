"""A page: who wins against whom, observed and predicted by the stored ratings, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from plotly.graph_objects import Figure

from arena.boards.comparisons import Selection
from arena.boards.matrix import Kind, Matrix
from arena.report import charts as figures
from dashboard import cached
from dashboard.boards import board_page, switch, theme
from dashboard.elements import empty, quiet
from dashboard.queries import Standings
from dashboard.settings import database

_SAID = {
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
_DRAWN: Mapping[Kind, Callable[..., Figure]] = {
    "observed": figures.win_rates,
    "predicted": figures.win_rates,
    "superiority": figures.win_rates,
    "counts": figures.counts,
    "residual": figures.residuals,
    "difference": figures.differences,
}


def page() -> None:
    """Show a win-rate matrix, following a run."""
    board_page("Win rates", _show)


def _show(selection: Selection, found: Standings) -> None:
    kinds: dict[str, Kind] = {str(kind): kind for kind in _ORDER}
    kind = kinds[switch(st.container(), "shown", list(kinds))]
    matrix = cached.win_rates(database(), selection, kind)
    if matrix is None:
        empty("No pairs yet.", "A matrix needs two rated participants or more.")
        return
    quiet(f"{_SAID[kind]}; {found.judged} debates judged. Blank: not known.", "said")
    st.plotly_chart(_figure(matrix), config={"displayModeBar": False}, key="matrix")


def _figure(shown: Matrix) -> Figure:
    return _DRAWN[shown.kind](shown.frame(), theme=theme())
