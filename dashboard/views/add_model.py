"""The page with the form: Add a model."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.admin import require_admin


def page(links: Mapping[str, StreamlitPage]) -> None:
    """Show the form."""
    require_admin()
    st.title("Add a model", anchor=False)
    st.button("Check and plan")
