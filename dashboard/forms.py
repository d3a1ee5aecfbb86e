"""What the forms share: messages of errors, costs as a table, and the start of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pandas as pd
import streamlit as st

from arena.config.sections import Config
from arena.errors import ArenaError
from arena.output.settings_text import format_caps
from arena.text import plain
from arena.tournament.forecast import CostEstimate
from dashboard.addresses import go_to
from dashboard.admin import require_admin
from dashboard.background import begin_run
from dashboard.elements import quiet, text
from dashboard.settings import database, database_option

_STARTS = "starts"
#: Seconds in which a press that comes after a start is the second one of a double click.
_DOUBLE_CLICK_SECONDS = 5.0
#: Seconds after which a start that has not ended is not waited for any more.
_START_SECONDS = 60.0


@dataclass(slots=True, kw_only=True)
class Start:
    """A run that a form begins.

    Attributes:
        form: the key of the session's state under which its form keeps what was checked.
        has_ended: whether it has begun by now, or could not.
        moment: when that was known, by the monotonic clock.
    """

    tournament: str
    form: str
    has_ended: Event = field(default_factory=Event)
    moment: float = 0.0
    problem: str = ""


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


def show_estimate(cost: CostEstimate) -> None:
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


def open_form(words: str, *, checked: str) -> None:
    """Begin the page of a form, for the administrator alone.

    Args:
        checked: the key of the session's state under which it keeps what was checked.
    """
    require_admin()
    lead_to_run(checked)
    st.title(words, anchor=False)


def show_caps(config: Config) -> None:
    """Show what a tournament may spend."""
    for place, line in enumerate(format_caps(config, usd=config.limits.usd)):
        quiet(f"{line[:1].upper()}{line[1:]}.", f"cap-{place}")


def offer_writing(file: Path, tournament: str, write: Callable[[], None], *, checked: str) -> None:
    """Show the buttons that have a tournament's file written, and played on one of them.

    Args:
        checked: the key of the session's state under which what was checked stands.
    """
    with st.container(horizontal=True):
        is_started = st.button("Write and play now", type="primary", key="write-and-play")
        is_written = st.button("Only write the file", key="write-only")

    def carry_out() -> None:
        starts = known_starts()
        st.session_state.pop(checked, None)  # a second press finds nothing to do
        write()
        if is_started:
            start_and_show(file, Start(tournament=tournament, form=checked), starts)
        else:
            st.success("The file is written.")
            st.code(f"arena run {file.name} {database_option()}", language=None)

    if is_started or is_written:
        attempt(carry_out)


def known_starts() -> list[Start]:
    """Return where this session notes what its forms begin; called before anything is written."""
    starts: list[Start] = st.session_state.setdefault(_STARTS, [])
    return starts


def start_and_show(file: Path, start: Start, starts: list[Start]) -> None:
    """Begin a run in the background, and go to the page of its tournament.

    A second press during this makes Streamlit draw the form anew in another thread, and end the
    script here at its next use of Streamlit, the session's state included. So between the writing
    of the file and the end of the start nothing may use Streamlit, and the other thread learns of
    it by `starts`.

    Raises:
        ConfigError: somebody works on the database already, or the run ended at once.
    """
    starts.append(start)
    try:
        begin_run(file, database(), start.tournament)
    except (ArenaError, OSError) as error:
        start.problem = str(error)
        raise
    finally:
        start.moment = time.monotonic()
        start.has_ended.set()
    lead_to_run(start.form)


def lead_to_run(form: str) -> None:
    """Go to the tournament that a form has just begun; a double click returns to the form."""
    for start in list(st.session_state.get(_STARTS, ())):
        is_waited_for = not start.has_ended.is_set()
        if not start.has_ended.wait(_START_SECONDS):
            continue
        has_just_begun = time.monotonic() - start.moment < _DOUBLE_CLICK_SECONDS
        if start.problem and is_waited_for:
            show_problem(start.problem)
        elif not start.problem and start.form == form and has_just_begun:
            go_to("tournament", tournament=start.tournament)
