"""What the pages share on which people vote, rank or speak: who they are, and what comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.boards.stored_boards import store_boards
from arena.config.stored import stored_config
from arena.errors import VotesRefused
from arena.people.sessions import PersonSession, VotingSession
from arena.store.database import Store
from arena.text import plain
from dashboard.elements import show_empty_state
from dashboard.settings import database

_Option = TypeVar("_Option")
_Task = TypeVar("_Task")
_THANKS = "thanks"


def open_session(tournament: str, person: str = "") -> PersonSession:
    """Open the session of a person in a stored tournament; '' for everybody."""
    store = Store(database())
    return PersonSession(store=store, resolved=stored_config(store, tournament), person=person)


def ask_pseudonym(place: DeltaGenerator, verb: str) -> str:
    """Ask a person for a pseudonym; '' where there is none yet."""
    voter = place.text_input("Your pseudonym", key="voter", max_chars=40).strip()
    if not voter:
        st.info(f"Choose a pseudonym, and use the same one whenever you {verb}.")
    return voter


def ask_choice(words: str, options: Sequence[_Option], key: str) -> _Option | None:
    """Ask for one of a few options side by side; `None` until one is chosen."""
    return st.radio(words, options, index=None, horizontal=True, key=key)


def find_next(
    session: VotingSession,
    waiting: Sequence[_Task],
    name: Callable[[_Task], str],
    *,
    nothing: tuple[str, str],
) -> _Task | None:
    """Return what a person has begun to read, else the first that waits, and remember it.

    Args:
        name: of a task: its id.
        nothing: what is said where nothing waits, which returns `None`.
    """
    if thanks := st.session_state.pop(_THANKS, ""):
        st.success(thanks)
    if not waiting:
        show_empty_state(*nothing)
        return None
    key = f"begun-{session.bench.name}-{session.person}"
    task = next((task for task in waiting if name(task) == st.session_state.get(key)), waiting[0])
    st.session_state[key] = name(task)
    return task


def store_answer(
    session: VotingSession,
    store: Callable[[], object],
    *,
    noun: str,
    is_complete: Callable[[], bool],
) -> None:
    """Store what a person has handed in, and go on to what comes next.

    Args:
        is_complete: whether the boards count what it was about from now on.
    """
    try:
        store()
    except VotesRefused as refused:
        st.error(plain("; ".join(refused.faults)))
        return
    st.session_state[_THANKS] = f"Your {noun} is stored. Thank you."
    if is_complete():
        store_boards(session.store, session.resolved)
    st.rerun()
