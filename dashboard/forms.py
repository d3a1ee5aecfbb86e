"""What the forms share: messages of errors, costs as a table, and the start of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.errors import ArenaError
from arena.text import plain
from arena.tournament.forecast import Estimate
from dashboard.admin import require_admin
from dashboard.background import begin_run
from dashboard.elements import text
from dashboard.settings import database

_BEGUN = "begun"
#: Seconds in which a press that comes after a start is the second one of a double click.
_DOUBLE_CLICK_SECONDS = 5.0


def attempt(action: Callable[[], None]) -> bool:
    """Do what a form asks for, for the administrator alone; an error becomes a message.

    Returns:
        Whether it was done.
    """
    try:
        require_admin()
        action()
    except (ArenaError, OSError) as error:
        show_problem(str(error))
        return False
    return True


def show_problem(words: str) -> None:
    """Show why something was not done; nothing in the words is read as markup."""
    with st.container(border=True, key="problem"):
        st.badge("Not done", icon=":material/error:", color="red")
        text(plain(words))


def show_estimate(cost: Estimate) -> None:
    """Show calls, tokens and USD: low, expected and high."""
    frame = pd.DataFrame(
        {
            "to do": ["calls", "tokens", "USD"],
            **{
                name: [
                    f"{cost.calls[place]:,.0f}",
                    f"{cost.tokens[place]:,.0f}",
                    f"{cost.usd[place]:,.2f}",
                ]
                for place, name in enumerate(("low", "expected", "high"))
            },
        }
    )
    st.dataframe(frame, hide_index=True, key="estimate", width="content")


def start_and_show(file: Path, tournament: str, page: StreamlitPage) -> None:
    """Begin a run in the background, and go to the page of its tournament.

    Nothing may be drawn between the press of a button and this: a second press would end the
    script there, before the run has begun.

    Raises:
        ConfigError: somebody works on the database already, or the run ended at once.
    """
    begin_run(file, Path(database()), tournament)
    st.session_state[_BEGUN] = (tournament, time.monotonic())
    lead_to_run(page)


def lead_to_run(page: StreamlitPage) -> None:
    """Go to the tournament that this form has just begun, if it has; a double click returns here.

    Args:
        page: of tournaments.
    """
    tournament, moment = st.session_state.get(_BEGUN, ("", 0.0))
    if tournament and time.monotonic() - moment < _DOUBLE_CLICK_SECONDS:
        st.switch_page(page, query_params={"tournament": tournament})
