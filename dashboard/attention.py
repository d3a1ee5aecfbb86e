"""What needs attention in a tournament, above the controls of a page."""

from __future__ import annotations

import streamlit as st

from dashboard import cached
from dashboard.elements import guarded, quiet, read_or_explain
from dashboard.settings import IDLE_SECONDS


def show_attention(tournament: str) -> None:
    """Show one line per matter, the worst first, and its command; nothing without a matter."""
    st.fragment(guarded(_show), run_every=IDLE_SECONDS)(tournament)


def _show(tournament: str) -> None:
    state = read_or_explain(cached.live_state, tournament, "")
    for place, matter in enumerate(state.status.matters if state else ()):
        if not place:
            st.markdown("**Needs attention**")
        quiet(f"{matter.sentence}\n{matter.command}", f"attention-{place}")
