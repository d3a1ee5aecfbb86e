"""The line of who is signed in, with the way out."""

from __future__ import annotations

import streamlit as st

from dashboard.access import read_access
from dashboard.elements import quiet


def show_signed_in() -> None:
    """Show who is signed in, where people have to be, and a button to sign out."""
    if not read_access().allow or not st.user.is_logged_in:
        return
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center", key="signed-in"):
        quiet(f"Signed in as {st.user.email}.", "signed-in-as")
        if st.button("Sign out", type="tertiary", icon=":material/logout:"):
            st.logout()
