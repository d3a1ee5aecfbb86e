"""The script that Streamlit runs for every viewer: it shows the page that the address names."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.access import read_access
from dashboard.addresses import begin_address
from dashboard.admin import is_admin
from dashboard.elements import guarded, quiet, style
from dashboard.navigation import PageEntry, served_pages
from dashboard.settings import only


def show_signed_in() -> None:
    """Show who is signed in, where people have to be, and a button to sign out."""
    if not read_access().allow or not st.user.is_logged_in:
        return
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center", key="signed-in"):
        quiet(f"Signed in as {st.user.email}.", "signed-in-as")
        if st.button("Sign out", type="tertiary", icon=":material/logout:"):
            st.logout()


def _drawing(entry: PageEntry, links: dict[str, StreamlitPage]) -> Callable[[], None]:
    """Return a function that draws a page, or says in one sentence that it cannot be read."""

    @guarded
    def draw() -> None:
        entry.show(links)

    return draw


_LINKS: dict[str, StreamlitPage] = {}
for _place, _entry in enumerate(served_pages(only(), admin=is_admin())):
    _LINKS[_entry.path] = st.Page(
        _drawing(_entry, _LINKS),
        title=_entry.title,
        url_path=_entry.path,
        default=_place == 0,
        visibility="visible" if _entry.listed else "hidden",
    )

st.set_page_config(layout="wide", page_icon="⚖️")
style()
_page = st.navigation(list(_LINKS.values()), position="top")
begin_address(_page.url_path)
_page.run()
show_signed_in()
