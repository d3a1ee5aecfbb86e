"""The page where people judge one debate after another, without knowing who speaks."""

from __future__ import annotations

import shlex
import time

import streamlit as st

from arena.boards.votes import CONFIDENCE
from arena.languages import ENGLISH
from arena.languages.language import contest_language
from arena.people.sessions import VotingSession, voting_session
from arena.people.voting import (
    SubmittedVote,
    VotingSheet,
    cast_votes,
    read_sheets,
    vote_progress,
    voting_tasks,
)
from dashboard.elements import label, open_page, quiet, show_empty_state, text
from dashboard.people_pages import (
    ask_choice,
    ask_pseudonym,
    find_next,
    offer_skip,
    open_session,
    store_answer,
)
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
    if not tournament:
        return
    session = open_session(tournament)
    benches = session.resolved.people_benches
    if not benches:
        show_empty_state(
            "No votes are needed here.",
            "This tournament has no bench of people. Add one, then open this page again:",
            f"arena rejudge {shlex.quote(tournament)} --judge human --runs 3 {database_option()}",
        )
        return
    name = places[0].selectbox("Bench", [bench.name for bench in benches], key="bench")
    if voter := ask_pseudonym(places[1], "vote"):
        _show_next(voting_session(session.store, session.resolved, name, voter=voter))


def _show_next(session: VotingSession) -> None:
    """Show the debate that this person has begun to read, else the next one."""
    every = voting_tasks(session)
    waiting = [task for task in every if task.waits]
    task = find_next(
        session,
        waiting,
        lambda task: task.debate_id,
        nothing=(
            "You have nothing to vote on.",
            "You have voted on everything that waits for votes. Thank you.",
        ),
    )
    if task is None:
        return
    opened = st.session_state.setdefault(
        f"opened-{session.person}-{task.debate_id}", time.monotonic()
    )
    contest = session.resolved.config.tournament.contest
    st.caption(f"{len(waiting)} to judge. {_ANSWERS if contest == 'question' else _BURDEN}")
    quiet(f"{vote_progress(session.bench, every).words}.", "progress")
    if len(session.resolved.languages) > 1:
        quiet(f"In {task.language.name}.", "language")
    if len(waiting) > 1:
        offer_skip(session, task.debate_id, "Skip this one for now")
    (sheet,) = read_sheets(session, [task])
    sides = contest_language(ENGLISH, contest).sides
    with st.container(key="motion"):
        text(sheet.task)
    if sheet.info_slide:
        quiet(sheet.info_slide, "slide")
    show_speeches(sheet.speeches, sheet.language, sides)
    vote = _ask(sheet, session, opened)
    if vote is not None:
        store_answer(session, lambda: cast_votes(session, [vote]), noun="vote")


def _ask(sheet: VotingSheet, session: VotingSession, opened: float) -> SubmittedVote | None:
    """Show the form of a vote, and return the vote once it is handed in complete.

    Args:
        opened: when the debate was shown first, by the monotonic clock.
    """
    form, key = session.form, f"{session.person}-{sheet.debate_id}"
    titles = {entry.name: entry.title or label(entry.name) for entry in form.fields}
    low, high = CONFIDENCE
    with st.form(f"vote-{key}"):
        choices = {
            entry.name: ask_choice(titles[entry.name], entry.words, f"{entry.name}-{key}")
            for entry in sorted(form.fields, key=lambda entry: entry.name == "overall")
        }
        confidence = ask_choice(
            f"How sure are you, from {low}, a guess, to {high}, certain? (optional)",
            range(low, high + 1),
            f"sure-{key}",
        )
        comment = st.text_area("Why? (optional)", key=f"why-{key}", max_chars=4000)
        submitted = st.form_submit_button("Submit vote", type="primary")
    if not submitted:
        return None
    missing = [titles[name] for name, choice in choices.items() if choice is None]
    if missing:
        st.error(f"Nothing was stored: choose an answer for {', '.join(missing)}, too.")
        return None
    outcomes, marks = form.decide(
        {
            entry.name: list(entry.choices.values())[entry.words.index(str(choices[entry.name]))]
            for entry in form.fields
        }
    )
    return SubmittedVote(
        debate_id=sheet.debate_id,
        voter=session.person,
        outcomes=outcomes,
        marks=marks,
        confidence=None if confidence is None else float(confidence),
        comment=comment.strip(),
        seconds=time.monotonic() - opened,
    )
