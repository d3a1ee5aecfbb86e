"""What several pages show: untrusted text, the choice of a tournament, empty states, faults."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.errors import ArenaError
from arena.text import plain
from dashboard import cached
from dashboard.settings import PLAYING_SECONDS, database, preferred_tournament

_Given = ParamSpec("_Given")
_LOG = logging.getLogger(__name__)
_STYLE = Path(__file__).with_name("style.css")
_NO_LABEL = re.compile(r"[^\w ,()-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """The tournament that is shown.

    Attributes:
        simulated: True where a simulated model debates or judges.
    """

    name: str
    simulated: bool


def guarded(page: Callable[_Given, None]) -> Callable[_Given, None]:
    """Show a fault of the database in one sentence; its details go to the terminal."""

    @functools.wraps(page)
    def shown(*args: _Given.args, **kwargs: _Given.kwargs) -> None:
        try:
            page(*args, **kwargs)
        except ArenaError as error:
            _LOG.warning("%s", error)
            st.error("The database cannot be read now. The terminal of `arena serve` says why.")

    return shown


def style() -> None:
    """The pages' own style sheet."""
    st.html(_STYLE)


def text(body: str) -> None:
    """Untrusted text: it wraps, and nothing in it is read as Markdown, HTML or a control code."""
    st.text(plain(body))


def label(name: str) -> str:
    """An untrusted short name where Streamlit would read Markdown: without what could form any."""
    return _NO_LABEL.sub("", plain(name)).replace("_", " ").capitalize() or "?"


def quiet(body: str, key: str) -> None:
    """Untrusted text that stands back; the key is its own on the page."""
    with st.container(key=f"quiet-{key}", width="content"):
        text(body)


def opening(words: str, *, widths: Sequence[int]) -> tuple[Tournament | None, list[DeltaGenerator]]:
    """Begin a page: its heading, and the choice of a tournament, or how to play one.

    Args:
        words: the heading.
        widths: relative ones, of the row below it: the choice, then places for more.

    Returns:
        The tournament, `None` where the database holds none, and the places.
    """
    heading = st.container()
    first, *places = st.columns(widths)
    with first:
        tournament = _choose_tournament()
    with heading:
        _title(words, simulated=tournament is not None and tournament.simulated)
    if tournament is None:
        _no_tournament()
    return tournament, places


def no_debates() -> None:
    """Say how to schedule the debates of a tournament."""
    empty(
        "No debates yet.",
        "Nothing is scheduled in this tournament. Run its configuration to plan and play it.",
        f"arena run FILE --yes --db {database()}",
    )


def simulated_mark() -> None:
    """Say that a simulated model takes part."""
    st.badge(
        "simulated models",
        icon=":material/science:",
        color="orange",
        help="Results of the built-in simulator: they say nothing of any real model.",
    )


def empty(what: str, remedy: str, command: str = "") -> None:
    """Say what is not there yet, and what to do about it."""
    with st.container(border=True, key="empty"):
        st.subheader(what, anchor=False)
        st.text(remedy)
        if command:
            st.code(command, language=None, wrap_lines=True)


def _choose_tournament() -> Tournament | None:
    """Ask which tournament to show; `None` where the database holds none."""
    frame = cached.tournaments(database())
    names = [str(name) for name in frame["tournament"]]
    if not names:
        return None
    preferred = preferred_tournament()
    chosen = st.selectbox(
        "Tournament",
        names,
        index=names.index(preferred) if preferred in names else 0,
        key="tournament",
        bind="query-params",
    )
    return Tournament(name=chosen, simulated=bool(frame["simulated"][names.index(chosen)]))


def _title(words: str, *, simulated: bool = False) -> None:
    """A page's heading, with a mark where simulated models take part."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(words, anchor=False, width="content")
        if simulated:
            simulated_mark()


def _no_tournament() -> None:
    """Say how to play a tournament, and start the page anew as soon as there is one."""
    empty(
        "No tournament yet.",
        "Play one of simulated models, which needs no key; this page follows it.",
        f"arena run --yes --db {database()}",
    )
    _await_tournament()


@st.fragment(run_every=PLAYING_SECONDS)
@guarded
def _await_tournament() -> None:
    """Start the page anew as soon as there is a tournament."""
    if len(cached.tournaments(database())):
        st.rerun()
