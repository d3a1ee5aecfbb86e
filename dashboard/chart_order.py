"""The order of a page's first table and its charts: the table is drawn first.

The script of the charts is ten times as large as that of tables. While a browser loads and runs it,
no table is drawn and no click is answered, for seconds on a slow machine.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.elements import guarded

_HAS_CHARTS = "has-charts"


def show_charts_later(draw: Callable[[], None]) -> None:
    """Draw charts; the first ones of a viewer's session once the table above them is drawn.

    Until then a button stands there. `chart_order.js`, which is part of the HTML page, presses it.

    Args:
        draw: draws them.
    """
    st.fragment(guarded(_show))(draw)


def _show(draw: Callable[[], None]) -> None:
    if st.session_state.get(_HAS_CHARTS):
        draw()
    else:
        st.button("Show the charts", key="charts-later", on_click=_remember)


def _remember() -> None:
    st.session_state[_HAS_CHARTS] = True
