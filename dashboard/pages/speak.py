"""The page where people write the speeches that debates wait for: drafts, then handing in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import ArenaError, ConfigError
from arena.languages import ENGLISH
from arena.languages.pairs import of_contest
from arena.people.speeches import Due, due_speeches, hand_in, open_debates, people, save_draft
from arena.store.database import Store
from arena.text import plain
from dashboard.elements import empty, guarded, opening, quiet, text
from dashboard.pages.transcript import ORDER, show_speeches
from dashboard.settings import PLAYING_SECONDS, database

_LOG = logging.getLogger(__name__)
#: Where the session keeps what was said last, and before which key the words of a field stand.
_TOLD, _WORDS = "told", "words-"
_PERSON = """\
[[participants]]
name = "ann"
debater = "human"   # no model

arena run FILE --yes --db {}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What became of a click.

    Attributes:
        key: of the field beside which it was clicked.
        next: the command that plays the debate on; '' where there is nothing to play.
    """

    key: str
    text: str
    good: bool = True
    next: str = ""


def page() -> None:
    """Ask who speaks, then for one speech after another."""
    tournament, places = opening("Speak", widths=(3, 3, 6))
    if tournament is None:
        return
    store = Store(Path(database()))
    resolved = stored_config(store, tournament.name)
    if not people(resolved):
        empty(
            "Nobody is asked to speak here.",
            "No participant of this tournament is a person. Add one to its file, and run it.",
            _PERSON.format(database()),
        )
        return
    with places[0]:
        speaker = _speaker(resolved)
    if speaker is None:
        st.info("Say who you are: the speeches that wait for you stand here.")
        return
    waiting = [one for one in due_speeches(store, resolved) if one.speaker == speaker]
    with places[1]:
        due = _choose(waiting)
    told = st.session_state.pop(_TOLD, None)
    if told is not None and (due is None or told.key != _key(due)):
        _tell(told)
    if due is None:
        _nothing(store, resolved, speaker)
        return
    st.caption(f"{len(waiting)} to write. What is handed in is not changed any more.")
    _show(due)
    _write(store, resolved, due)
    if told is not None and told.key == _key(due):
        _tell(told)


def _speaker(resolved: ResolvedConfig) -> str | None:
    names = [one.name for one in people(resolved)]
    only = 0 if len(names) == 1 else None
    return st.selectbox("Speaker", names, index=only, placeholder="Who are you?", key="speaker")


def _choose(waiting: Sequence[Due]) -> Due | None:
    if not waiting:
        return None
    by_key = {_key(one): one for one in waiting}
    chosen = st.selectbox(
        "Waited for", list(by_key), format_func=lambda key: _named(by_key[key]), key="due"
    )
    return by_key[chosen]


def _named(due: Due) -> str:
    drafted = ", drafted" if due.draft else ""
    return f"{due.place}{drafted} · {plain(due.task)} ({due.debate_id[:8]})"


def _nothing(store: Store, resolved: ResolvedConfig, speaker: str) -> None:
    """Say why nothing waits, and start the page anew as soon as something does."""
    left = open_debates(store, resolved)
    if not left:
        empty("No debate waits for you.", "Every debate of people is over. Thank you.")
        return
    empty(
        "No debate waits for you now.",
        f"Not over yet, of people's debates: {left}. A run that is going on plays them on, and "
        "this page shows what it waits for next. If none is going on, start it:",
        _resume(resolved),
    )
    _await_turn(resolved.name, speaker)


@st.fragment(run_every=PLAYING_SECONDS)
@guarded
def _await_turn(tournament: str, speaker: str) -> None:
    """Start the page anew as soon as a speech of the person is waited for."""
    store = Store(Path(database()))
    due = due_speeches(store, stored_config(store, tournament))
    if any(one.speaker == speaker for one in due):
        st.rerun()


def _show(due: Due) -> None:
    """What the speaker may see."""
    sides = of_contest(ENGLISH, due.contest).sides
    with st.container(key="motion"):
        text(due.task)
    if due.info_slide:
        quiet(due.info_slide, "slide")
    show_speeches(due.disclosed, due.language, sides)
    st.subheader(f"Your {due.stage}", anchor=False)
    for_side = f"You speak for {sides[due.side]}. " if due.contest == "debate" else ""
    st.caption(for_side + ORDER[due.stage])


def _write(store: Store, resolved: ResolvedConfig, due: Due) -> None:
    """The field, how long the words in it are, and what can be done with them."""
    key = _key(due)
    _hold(but=_WORDS + key)
    st.session_state.setdefault(_WORDS + key, due.draft)
    with st.container(border=True, key=f"{due.side}-own"):
        words = st.text_area(f"The {due.called}", key=_WORDS + key, height=260)
        over = due.language.count(words) > due.limit
        length = f":red[{due.length(words)}: too long]" if over else due.length(words)
        st.caption(f"{length} · counted whenever you leave the field, or press Ctrl+Enter")
        with st.container(horizontal=True):
            _button("Save the draft", due, lambda: _keep(store, due))
            _button("Hand in, for good", due, lambda: _hand_in(store, resolved, due), last=True)


def _hold(*, but: str) -> None:
    """Hold what stands in fields that are not shown now: Streamlit would forget it."""
    names = [str(name) for name in st.session_state]
    for name in names:
        if name.startswith(_WORDS) and name != but:
            st.session_state[name] = st.session_state[name]


def _button(label: str, due: Due, act: Callable[[], _Told], *, last: bool = False) -> None:
    st.button(
        label,
        key=f"{'hand-in' if last else 'save'}-{_key(due)}",
        type="primary" if last else "secondary",
        on_click=_clicked,
        args=(due, act),
    )


def _clicked(due: Due, act: Callable[[], _Told]) -> None:
    """Act before the page is shown anew, on the speech that was shown: it may be gone by then."""
    try:
        told = act()
    except ConfigError as error:
        told = _Told(key=_key(due), text=plain(str(error)), good=False)
    except ArenaError as error:
        _LOG.warning("%s", error)
        told = _Told(
            key=_key(due),
            text="Nothing was stored: the database cannot be written now. The terminal of "
            "`arena serve` says why. Your words are still in the field; try again.",
            good=False,
        )
    st.session_state[_TOLD] = told


def _keep(store: Store, due: Due) -> _Told:
    words = _words(due)
    save_draft(store, due, words)
    return _Told(key=_key(due), text=f"The draft is kept ({due.length(words)}).")


def _hand_in(store: Store, resolved: ResolvedConfig, due: Due) -> _Told:
    words = _words(due)
    hand_in(store, due, words)
    del st.session_state[_WORDS + _key(due)]
    told = f"Handed in ({due.length(words)}). A run that is going on plays the debate on; else:"
    return _Told(key=_key(due), text=told, next=_resume(resolved))


def _tell(told: _Told) -> None:
    (st.success if told.good else st.error)(told.text)
    if told.next:
        st.code(told.next, language=None, wrap_lines=True)


def _words(due: Due) -> str:
    return str(st.session_state.get(_WORDS + _key(due), ""))


def _resume(resolved: ResolvedConfig) -> str:
    return f"arena resume {resolved.name!r} --yes --db {database()}"


def _key(due: Due) -> str:
    return f"{due.debate_id}-{due.side}-{due.stage}"
