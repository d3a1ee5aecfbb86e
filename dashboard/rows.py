"""Tables and tiles of the pages that follow a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from arena.text import plain
from dashboard.letters import HOW_TO_READ, fit_columns, shorten_display

ROW_PIXELS = 35
_TILE_PIXELS = 168
#: A table with more rows scrolls within itself.
_MOST_ROWS = 25


def show_rows(frame: pd.DataFrame, columns: Mapping[str, Any], *, key: str) -> None:
    """Show the columns of a table that no row of which opens anything.

    Args:
        frame: untrusted texts and numbers.
        columns: the configuration of each column that is shown, in their order.
        key: unique on the page.
    """
    cells = plain_frame(frame[list(columns)])
    fitted = fit_columns(cells, columns)
    shown = shorten_display(cells, fitted)
    st.dataframe(
        shown,
        hide_index=True,
        column_config=fitted,
        placeholder="-",
        row_height=ROW_PIXELS,
        height=table_height(frame),
        key=f"table-{key}",
    )
    if isinstance(shown, Styler):
        st.caption(HOW_TO_READ)


def show_tiles(tiles: Iterable[tuple[str, str, str]]) -> None:
    """Show main numbers side by side, two of them on a phone.

    Args:
        tiles: name, value and explanation of each; '' for no explanation.
    """
    with st.container(horizontal=True, gap="small", key="tiles"):
        for name, value, more in tiles:
            st.metric(literal(name), value, help=more or None, border=True, width=_TILE_PIXELS)


def table_height(frame: pd.DataFrame) -> int:
    """Return the height of a table in pixels: all rows, as far as they fit."""
    return ROW_PIXELS * (min(len(frame), _MOST_ROWS) + 1) + 2


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose texts have no control characters."""
    return frame.map(lambda value: plain(value) if isinstance(value, str) else value)


def literal(name: str) -> str:
    r"""Return untrusted words so that nothing in them is read as Markdown.

    Screen readers hear the backslashes of some elements, so a colon before a space has none.

    >>> literal("Ballots: of all :red[debates]")
    'Ballots: of all \\:red\\[debates\\]'
    """
    return re.sub(r"[\\`*_{}\[\]()#+\-.!|~$<>]|:(?=\S)", r"\\\g<0>", plain(name))
