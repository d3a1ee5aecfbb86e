"""The page that lists the debates of a tournament, with filters."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.text import plain
from dashboard import cached
from dashboard.elements import open_page, show_no_debates
from dashboard.queries import LISTED, filtered
from dashboard.settings import database

_ALL = "All"
_COLUMNS = {
    "motion": st.column_config.TextColumn("Motion", width=430),
    "category": st.column_config.TextColumn("Category", width=80),
    "language": st.column_config.TextColumn("Language", width=80),
    "pro": st.column_config.TextColumn("Pro", width=170),
    "con": st.column_config.TextColumn("Con", width=170),
    "status": st.column_config.TextColumn("Status", width=80),
    "score": st.column_config.TextColumn(
        "Pro : Con",
        width=80,
        help="Overall outcomes by the tournament's first bench, over all its runs.",
    ),
}


def page(transcript: StreamlitPage) -> None:
    """List debates.

    Args:
        transcript: the page that a click on a debate opens.
    """
    tournament, places = open_page("Debates", widths=(4, 4, 8, 3))
    if tournament is None:
        return
    frame = cached.debates(database(), tournament.name)
    if frame.empty:
        show_no_debates()
        return
    names = sorted({*frame["pro"], *frame["con"]})
    with places[0]:
        participant = _filter("Participant", names)
    with places[1]:
        motion = _filter("Motion", list(frame["motion"].unique()))
    with places[2]:
        status = _filter("Status", list(frame["status"].unique()))
    listed = filtered(frame, participant=participant, motion=motion, status=status)
    st.caption(f"{len(listed)} of {len(frame)} debates. Click a row to read its transcript.")
    if len(frame) == LISTED:
        st.caption(
            f"Only the first {LISTED:,} debates are listed here; use `arena debates` to find "
            "others."
        )
    if debate_id := _list(listed):
        st.switch_page(transcript, query_params={"debate": debate_id})


def _filter(name: str, options: list[str]) -> str:
    """Ask for one of the options, and return it; '' for all."""
    key = name.lower()
    choice = st.selectbox(name, [_ALL, *options], key=key, bind="query-params")
    return "" if choice == _ALL else choice


def _list(listed: pd.DataFrame) -> str:
    """Show debates, and return the id of the one that was clicked, or ''."""
    event = st.dataframe(
        _table(listed),
        hide_index=True,
        column_config=_COLUMNS,
        height=min(35 * (len(listed) + 1) + 2, 640),
        on_select="rerun",
        selection_mode="single-cell",
        key="debates",
    )
    cells = event.selection.cells
    return str(listed["debate_id"][int(cells[0][0])]) if cells else ""


def _table(listed: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            **{name: listed[name].map(plain) for name in ("motion", "category", "language")},
            **{name: listed[name].map(plain) for name in ("pro", "con", "status")},
            "score": [
                "" if pd.isna(pro) else f"{pro:g} : {con:g}"
                for pro, con in zip(listed["pro_score"], listed["con_score"], strict=True)
            ],
        }
    )
