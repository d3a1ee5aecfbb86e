"""The page where people write the speeches that debates wait for, save drafts, and hand in."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.errors import ArenaError, ConfigError, InfrastructureFault
from arena.languages import ENGLISH
from arena.languages.language import contest_language
from arena.people.sessions import PersonSession
from arena.people.speakers import people, speaker_names
from arena.people.speeches import (
    Due,
    count_open_debates,
    due_speeches,
    format_due_time,
)
from arena.people.submissions import hand_in, open_due, save_draft
from arena.people.transcription import FORMATS, Recording, transcribe
from arena.text import format_duration, plain
from dashboard.elements import guarded, open_page, quiet, show_empty_state, text
from dashboard.people_pages import open_session
from dashboard.settings import PLAYING_SECONDS, database, resume_command
from dashboard.views.transcript import ORDER, show_speeches

_LOG = logging.getLogger(__name__)
#: Keys of Streamlit's session state: the message on the last click with the key of the speech it
#: is about, and the head of the keys of text fields.
_MESSAGE, _WORDS = "message", "words-"
_PERSON = """\
[[participants]]
name = "ann"
debater = "human"   # no model

arena run FILE --db {}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Message:
    """The result of a click.

    Attributes:
        good: whether the click did what it should.
        next: the command that plays the debate on; '' where there is nothing to play.
    """

    text: str
    good: bool = True
    next: str = ""


def page() -> None:
    """Ask who speaks, then for one speech after another."""
    tournament, places = open_page("Speak", widths=(3, 3, 6))
    if not tournament:
        return
    session = open_session(tournament)
    if not people(session.resolved):
        show_empty_state(
            "No speeches are needed here.",
            "No participant of this tournament is a person. Add one to its file, then run the "
            "file:",
            _PERSON.format(database()),
        )
        return
    names = speaker_names(session.resolved)
    speaker = places[0].selectbox(
        "Speaker",
        names,
        index=0 if len(names) == 1 else None,
        placeholder="Who are you?",
        key="speaker",
    )
    if speaker is None:
        st.info("Choose your name to see the speeches that are due.")
        return
    _show_next(replace(session, person=speaker), places[1])


def _show_next(session: PersonSession, place: DeltaGenerator) -> None:
    """Show the speech that the person chooses among those that wait, with the last message."""
    waiting = {_key(due): due for due in due_speeches(session)}
    key = ""
    if waiting:
        keys = list(waiting)
        key = place.selectbox(
            "Speech", keys, format_func=lambda key: _format_due(waiting[key]), key="due"
        )
    about, message = st.session_state.pop(_MESSAGE, ("", None))
    if message is not None and about != key:
        _show_message(message)
    if not key:
        _explain_pause(session)
        return
    due = waiting[key]
    st.caption(f"{len(waiting)} to write. A submitted speech is final.")
    if due.closed:
        _offer_opening(session, due)
    else:
        _show(due)
        _edit(session, due)
    if message is not None and about == key:
        _show_message(message)


def _format_due(due: Due) -> str:
    drafted = ", drafted" if due.draft else ""
    task = "motion not opened yet" if due.closed else plain(due.task)
    return f"{due.place}{drafted} · {task} ({due.debate_id[:8]})"


def _explain_pause(session: PersonSession) -> None:
    """Say why nothing waits, and draw the page anew as soon as something does."""
    left = count_open_debates(session)
    if not left:
        show_empty_state(
            "You have no speeches to write.", "All debates with people are over. Thank you."
        )
        return
    show_empty_state(
        "You have no speeches to write at the moment.",
        f"Debates with people that are not over: {left}. A run in progress continues them, and "
        "this page then shows the next speech that is due. If no run is in progress, start one:",
        resume_command(session.resolved.name),
    )
    _await_turn(session.resolved.name, session.person)


@st.fragment(run_every=PLAYING_SECONDS)
@guarded
def _await_turn(tournament: str, speaker: str) -> None:
    """Draw the page anew as soon as a debate waits for the person."""
    if due_speeches(open_session(tournament, speaker)):
        st.rerun()


def _offer_opening(session: PersonSession, due: Due) -> None:
    """Show the button that opens the motion, which starts the preparation."""
    st.info(
        "Opening the motion starts your preparation: you then have "
        f"{format_duration(due.preparation)} for your first speech."
    )

    def open_motion() -> _Message:
        opened = open_due(session.store, due, _speaker(session, due))
        until = format_due_time(opened.due_time) if opened.due_time else ""
        return _Message(text=f"The motion is open. Submit by {until}.")

    _button("Open the motion", due, open_motion, is_main=True)


def _speaker(session: PersonSession, due: Due) -> str:
    """Return the person's name where several people speak for the participant, else ''."""
    return session.person if due.speakers else ""


def _show(due: Due) -> None:
    """Show what the speaker may see."""
    sides = contest_language(ENGLISH, due.contest).sides
    with st.container(key="motion"):
        text(due.task)
    if due.info_slide:
        quiet(due.info_slide, "slide")
    show_speeches(due.disclosed, due.language, sides)
    st.header(f"Your {due.stage}", anchor=False)
    for_side = f"You speak for {sides[due.side]}. " if due.contest == "debate" else ""
    st.caption(for_side + ORDER[due.stage])


def _edit(session: PersonSession, due: Due) -> None:
    """Show the text field of a speech, the length of its text, and the buttons."""
    field = _field(due)
    _keep_hidden_fields(but=field)
    st.session_state.setdefault(field, due.draft)
    with st.container(border=True, key=f"{due.side}-own"):
        words = st.text_area(f"The {due.called}", key=field, height=260)
        over = due.language.count(words) > due.limit
        length = f":red[{due.length(words)}: too long]" if over else due.length(words)
        if due.due_time:
            length += f" · until {format_due_time(due.due_time)}"
        st.caption(f"{length} · updated when you leave the field or press Ctrl+Enter")
        with st.container(horizontal=True):
            _button("Save draft", due, lambda: _save(session, due))
            _button("Submit speech", due, lambda: _hand_in(session, due), is_main=True)
        if session.resolved.config.transcription is not None:
            _offer_recording(session, due)


def _offer_recording(session: PersonSession, due: Due) -> None:
    """Take a recording of the speech, and show the button that fills the text field from it."""
    upload = st.file_uploader(
        f"Or a recording of the {due.called}", type=list(FORMATS), key=f"recording-{_key(due)}"
    )
    if upload is None:
        return
    recording = Recording(name=upload.name, content=upload.getvalue())

    def fill() -> _Message:
        transcript = transcribe(recording, session.resolved, due.language)
        speaker = _speaker(session, due)
        save_draft(session.store, due, transcript.text, speaker=speaker, making=transcript.making)
        st.session_state[_field(due)] = transcript.text
        length = due.length(transcript.text)
        return _Message(
            text=f"Transcribed and saved as a draft ({length}). Read it, correct it, and submit it."
        )

    _button("Transcribe", due, fill)


def _keep_hidden_fields(*, but: str) -> None:
    """Keep the text of fields that are not shown now, which Streamlit would forget."""
    names = [str(name) for name in st.session_state]
    for name in names:
        if name.startswith(_WORDS) and name != but:
            st.session_state[name] = st.session_state[name]


def _button(words: str, due: Due, act: Callable[[], _Message], *, is_main: bool = False) -> None:
    st.button(
        words,
        key=f"{words}-{_key(due)}",
        type="primary" if is_main else "secondary",
        on_click=_clicked,
        args=(due, act),
    )


def _clicked(due: Due, act: Callable[[], _Message]) -> None:
    """Act on the speech that was shown, before the page is drawn anew: it may be gone by then."""
    try:
        message = act()
    except (ConfigError, InfrastructureFault) as error:
        message = _Message(text=plain(str(error)), good=False)
    except ArenaError as error:
        _LOG.warning("%s", error)
        message = _Message(
            text="Nothing was stored, because the database cannot be written at the moment. The "
            "terminal of arena serve shows the reason. Your text is still in the field; try "
            "again.",
            good=False,
        )
    st.session_state[_MESSAGE] = (_key(due), message)


def _save(session: PersonSession, due: Due) -> _Message:
    words = str(st.session_state.get(_field(due), ""))
    save_draft(session.store, due, words, speaker=_speaker(session, due))
    return _Message(text=f"The draft is saved ({due.length(words)}).")


def _hand_in(session: PersonSession, due: Due) -> _Message:
    words = str(st.session_state.get(_field(due), ""))
    hand_in(session.store, due, words, speaker=_speaker(session, due))
    del st.session_state[_field(due)]
    length = due.length(words)
    return _Message(
        text=f"Submitted ({length}). A run in progress continues the debate; otherwise run:",
        next=resume_command(session.resolved.name),
    )


def _show_message(message: _Message) -> None:
    (st.success if message.good else st.error)(message.text)
    if message.next:
        st.code(message.next, language=None, wrap_lines=True)


def _field(due: Due) -> str:
    """Return the key of the text field of a speech."""
    return _WORDS + _key(due)


def _key(due: Due) -> str:
    return f"{due.debate_id}-{due.side}-{due.stage}"
