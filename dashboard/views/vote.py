"""The page where people judge one debate after another, without knowing who speaks."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence

import streamlit as st

from arena.boards.stored_boards import store_boards
from arena.errors import VotesRefused
from arena.languages import ENGLISH
from arena.languages.language import contest_language
from arena.people.sessions import FormField, VotingSession, voting_session
from arena.people.voting import (
    CONFIDENCE,
    Vote,
    VotingSheet,
    VotingTask,
    cast_votes,
    open_tasks,
    read_sheets,
)
from arena.text import plain
from dashboard.elements import label, open_page, quiet, show_empty_state, text
from dashboard.sessions import open_session
from dashboard.settings import database_option
from dashboard.views.transcript import show_speeches

_BURDEN = (
    "You see the sides, but not who speaks. Both sides carry an equal burden of proof: judge the "
    "text, not your own opinion. A vote is final."
)
_ANSWERS = (
    "You see two answers, but not who gave them. Judge each by itself; both may be right, or "
    "wrong. A vote is final."
)


def page() -> None:
    """Ask for a pseudonym, then for votes on one debate after another."""
    tournament, places = open_page("Vote", widths=(4, 4, 4))
    if tournament is None:
        return
    session = open_session(tournament.name)
    benches = session.resolved.people_benches
    if not benches:
        show_empty_state(
            "No votes are needed here.",
            "This tournament has no bench of people. Add one, then open this page again:",
            f"arena rejudge {shlex.quote(tournament.name)} --judge human --runs 3 --yes "
            f"{database_option()}",
        )
        return
    with places[0]:
        name = st.selectbox("Bench", [bench.name for bench in benches], key="bench")
    with places[1]:
        voter = st.text_input("Your pseudonym", key="voter", max_chars=40).strip()
    if not voter:
        st.info("Choose a pseudonym, and use the same one whenever you vote.")
        return
    _show_next(voting_session(session.store, session.resolved, name, voter=voter))


def _show_next(session: VotingSession) -> None:
    """Show the debate that this person has begun to read, else the next one."""
    if thanks := st.session_state.pop("thanks", ""):
        st.success(thanks)
    waiting = open_tasks(session)
    if not waiting:
        show_empty_state(
            "You have nothing to vote on.",
            "You have voted on everything that waits for votes. Thank you.",
        )
        return
    task = _current_task(session, waiting)
    contest = session.resolved.config.tournament.contest
    st.caption(f"{len(waiting)} to judge. {_ANSWERS if contest == 'question' else _BURDEN}")
    (sheet,) = read_sheets(session, [task])
    sides = contest_language(ENGLISH, contest).sides
    with st.container(key="motion"):
        text(sheet.task)
    if sheet.info_slide:
        quiet(sheet.info_slide, "slide")
    show_speeches(sheet.speeches, sheet.language, sides)
    vote = _ask(sheet, session)
    if vote is not None:
        _store(session, vote, last=task.missing <= 1)


def _current_task(session: VotingSession, waiting: Sequence[VotingTask]) -> VotingTask:
    """Return the debate that the person has begun to read, else the first, and remember it."""
    state, key = st.session_state, f"begun-{session.bench.name}-{session.person}"
    task = next((task for task in waiting if task.debate_id == state.get(key)), waiting[0])
    state[key] = task.debate_id
    state.setdefault(f"opened-{session.person}-{task.debate_id}", time.monotonic())
    return task


def _ask(sheet: VotingSheet, session: VotingSession) -> Vote | None:
    """Show the form of a vote, and return the vote once it is handed in complete."""
    form, key = session.form, f"{session.person}-{sheet.debate_id}"
    with st.form(f"vote-{key}"):
        fields = sorted(form.fields, key=lambda entry: entry.name == "overall")
        choices = {entry.name: _ask_choice(entry, key) for entry in fields}
        confidence = _ask_confidence(key)
        comment = st.text_area("Why? (optional)", key=f"why-{key}", max_chars=4000)
        submitted = st.form_submit_button("Submit vote", type="primary")
    if not submitted:
        return None
    missing = [_title(entry) for entry in fields if choices[entry.name] is None]
    if missing:
        st.error(f"Nothing was stored: choose an answer for {', '.join(missing)}, too.")
        return None
    outcomes, marks = form.decide(
        {
            entry.name: list(entry.choices.values())[entry.words.index(str(choices[entry.name]))]
            for entry in form.fields
        }
    )
    return Vote(
        debate_id=sheet.debate_id,
        voter=session.person,
        outcomes=outcomes,
        marks=marks,
        confidence=None if confidence is None else float(confidence),
        comment=comment.strip(),
        seconds=time.monotonic() - st.session_state[f"opened-{key}"],
    )


def _ask_choice(entry: FormField, key: str) -> str | None:
    return st.radio(
        _title(entry), entry.words, index=None, horizontal=True, key=f"{entry.name}-{key}"
    )


def _title(entry: FormField) -> str:
    return entry.title or label(entry.name)


def _ask_confidence(key: str) -> int | None:
    low, high = CONFIDENCE
    return st.radio(
        f"How sure are you, from {low}, a guess, to {high}, certain? (optional)",
        range(low, high + 1),
        index=None,
        horizontal=True,
        key=f"sure-{key}",
    )


def _store(session: VotingSession, vote: Vote, *, last: bool) -> None:
    """Store a vote; after the `last` one on its debate the boards too, where it counts now."""
    try:
        cast_votes(session, [vote])
    except VotesRefused as refused:
        st.error(plain("; ".join(refused.faults)))
        return
    st.session_state["thanks"] = "Your vote is stored. Thank you."
    if last:
        store_boards(session.store, session.resolved)
    st.rerun()
