"""The script that Streamlit runs for every viewer: it shows the page that the address names."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from arena.output import board_html
from dashboard.access import read_access
from dashboard.addresses import begin_address
from dashboard.admin import is_admin
from dashboard.elements import guarded, quiet
from dashboard.navigation import served_pages
from dashboard.settings import only

_STYLES = [Path(__file__).with_name(name) for name in ("style.css", "attention.css")]


def show_signed_in() -> None:
    """Show who is signed in, where people have to be, and a button to sign out."""
    if not read_access().allow or not st.user.is_logged_in:
        return
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center", key="signed-in"):
        quiet(f"Signed in as {st.user.email}.", "signed-in-as")
        if st.button("Sign out", type="tertiary", icon=":material/logout:"):
            st.logout()


_PAGES = {
    entry.path: st.Page(
        guarded(entry.show),
        title=entry.title,
        url_path=entry.path,
        default=place == 0,
        visibility="visible" if entry.listed else "hidden",
    )
    for place, entry in enumerate(served_pages(only(), admin=is_admin()))
}

st.set_page_config(layout="wide", page_icon="⚖️")
for style in (*_STYLES, board_html.STYLE):
    st.html(style)
_page = st.navigation(list(_PAGES.values()), position="top")
begin_address(_PAGES)
_page.run()
show_signed_in()
