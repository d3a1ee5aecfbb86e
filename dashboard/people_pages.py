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

    What was skipped waits behind the rest, in the order of skipping.

    Args:
        name: of a task: its id.
        nothing: what is said where nothing waits, which returns `None`.
    """
    if thanks := st.session_state.pop(_THANKS, ""):
        st.success(thanks)
    if not waiting:
        show_empty_state(*nothing)
        return None
    begun, skipped = _places(session)
    late: list[str] = st.session_state.setdefault(skipped, [])
    task = min(waiting, key=lambda task: late.index(name(task)) if name(task) in late else -1)
    task = next((each for each in waiting if name(each) == st.session_state.get(begun)), task)
    st.session_state[begun] = name(task)
    return task


def offer_skip(session: VotingSession, name: str, words: str) -> None:
    """Show a button that puts off what a person reads until they have seen all else that waits."""
    begun, skipped = _places(session)

    def skip() -> None:
        late = st.session_state[skipped]
        st.session_state[skipped] = [*(each for each in late if each != name), name]
        st.session_state.pop(begun, None)

    st.button(words, key=f"skip-{name}", on_click=skip)


def _places(session: VotingSession) -> tuple[str, str]:
    """Return where a viewer's session keeps what a person has begun, and what was skipped."""
    own = f"{session.bench.name}-{session.person}"
    return f"begun-{own}", f"skipped-{own}"


def store_answer(session: VotingSession, store: Callable[[], object], *, noun: str) -> None:
    """Store what a person has handed in and the boards that count it, and go on to what is next."""
    try:
        store()
    except VotesRefused as refused:
        st.error(plain("; ".join(refused.faults)))
        return
    st.session_state[_THANKS] = f"Your {noun} is stored. Thank you."
    store_boards(session.store, session.resolved)
    st.rerun()
