"""A page: who wins against whom, observed, predicted by the stored ratings, and how often."""

from __future__ import annotations

import streamlit as st
from plotly.graph_objects import Figure

from arena import figures
from arena.comparisons import Selection
from arena.matrices import KINDS, Kind, Matrix
from dashboard import cached
from dashboard.boards import board_page, switch, theme
from dashboard.elements import empty, quiet
from dashboard.queries import Standings
from dashboard.settings import database

_SAID = {
    "observed": "The share of debates that the row won against the column, ties half",
    "predicted": "The chance of the row against the column, by their ratings",
    "counts": "How many debates the two have played",
}


def page() -> None:
    """Show a win-rate matrix, following a run."""
    board_page("Win rates", _show)


def _show(selection: Selection, found: Standings) -> None:
    kinds: dict[str, Kind] = {str(kind): kind for kind in KINDS}
    kind = kinds[switch(st.container(), "shown", list(kinds))]
    matrices = cached.win_rates(database(), selection)
    if not matrices:
        empty("No pairs yet.", "A matrix needs two rated participants or more.")
        return
    quiet(f"{_SAID[kind]}; {found.judged} debates judged. Blank: not known.", "said")
    st.plotly_chart(_figure(matrices[kind]), config={"displayModeBar": False}, key="matrix")


def _figure(shown: Matrix) -> Figure:
    draw = figures.counts if shown.kind == "counts" else figures.win_rates
    return draw(shown.frame(), theme=theme())
