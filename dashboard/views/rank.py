"""The page where people rank the essays on one motion after another, without their writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from arena.boards.stored_boards import store_boards
from arena.debates.transcript import render_reference
from arena.errors import ConfigError, VotesRefused
from arena.papers.essays.rank_sheets import RankSheet
from arena.papers.essays.rankings import Ranking, open_sheets, ranking_session, store_rankings
from arena.people.sessions import VotingSession
from arena.people.voting import voting_tasks
from arena.records import Speech
from arena.text import counted, plain
from dashboard.elements import label, open_page, show_empty_state, text
from dashboard.sessions import open_session
from dashboard.settings import database_option

_BLIND = (
    "You do not see who wrote the essays. 1 is the best rank, and equal ranks are ties. A ranking "
    "is final."
)
#: What a person is asked on each dimension.
_QUESTIONS: Mapping[str, str] = {
    "persuasiveness": "Does the essay meet the proposition with convincing views from several "
    "sides, in an order that holds together? Could it change the mind of somebody who holds it?",
    "overall": "How good is the essay as a whole, its writing included?",
}


def page() -> None:
    """Ask for a pseudonym, then for rankings of one sheet of essays after another."""
    tournament, places = open_page("Rank", widths=(4, 4, 4))
    if tournament is None:
        return
    session = open_session(tournament.name)
    try:
        ranking_session(session.store, session.resolved)
    except ConfigError:
        show_empty_state(
            "There are no essays to rank here.",
            "Draw a sample of the essays of a contest, then open this page again:",
            f"arena rank sheet sheets --sample 30 --tournament ESSAYS {database_option()}",
        )
        return
    with places[0]:
        voter = st.text_input("Your pseudonym", key="voter", max_chars=40).strip()
    if not voter:
        st.info("Choose a pseudonym, and use the same one whenever you rank.")
        return
    _show_next(ranking_session(session.store, session.resolved, voter=voter))


def _show_next(session: VotingSession) -> None:
    """Show the sheet that this person has begun to read, else the next one."""
    if thanks := st.session_state.pop("thanks", ""):
        st.success(thanks)
    waiting = open_sheets(session)
    if not waiting:
        show_empty_state(
            "You have nothing to rank.",
            "You have ranked every sheet that waits for rankings. Thank you.",
        )
        return
    sheet = _current_sheet(session, waiting)
    st.caption(f"{counted(len(waiting), 'sheet')} to rank. {_BLIND}")
    with st.container(key="motion"):
        text(sheet.task)
    for letter, essay in sheet.essays.items():
        _show_essay(letter, essay, sheet)
    ranking = _ask(sheet, session)
    if ranking is not None:
        _store(session, ranking, sheet)


def _current_sheet(session: VotingSession, waiting: Sequence[RankSheet]) -> RankSheet:
    """Return the sheet that the person has begun to read, else the first, and remember it."""
    state, key = st.session_state, f"begun-{session.person}"
    sheet = next((sheet for sheet in waiting if sheet.sheet_id == state.get(key)), waiting[0])
    state[key] = sheet.sheet_id
    return sheet


def _show_essay(letter: str, essay: Speech, sheet: RankSheet) -> None:
    with st.container(border=True, key=f"essay-{letter}"):
        st.caption(f"Essay {letter}")
        text(essay.text)
        for reference in essay.references:
            text(render_reference(reference, sheet.language))


def _ask(sheet: RankSheet, session: VotingSession) -> Ranking | None:
    """Show the form of a ranking, and return the ranking once it is handed in complete."""
    key = f"{session.person}-{sheet.sheet_id}"
    ranks: dict[str, dict[str, int | None]] = {}
    with st.form(f"rank-{key}"):
        for dimension in session.dimensions:
            st.markdown(f"**{label(dimension)}**")
            st.caption(_QUESTIONS.get(dimension, ""))
            ranks[dimension] = {
                letter: _ask_rank(letter, len(sheet.essays), f"{dimension}-{letter}-{key}")
                for letter in sheet.essays
            }
        submitted = st.form_submit_button("Submit ranking", type="primary")
    if not submitted:
        return None
    missing = [
        f"{label(dimension)}, {letter}"
        for dimension, by_letter in ranks.items()
        for letter, rank in by_letter.items()
        if rank is None
    ]
    if missing:
        st.error(f"Nothing was stored: give a rank for {'; '.join(missing)}, too.")
        return None
    return Ranking(
        sheet_id=sheet.sheet_id,
        voter=session.person,
        ranks={
            dimension: {letter: float(rank or 0) for letter, rank in by_letter.items()}
            for dimension, by_letter in ranks.items()
        },
    )


def _ask_rank(letter: str, last: int, key: str) -> int | None:
    return st.radio(f"Essay {letter}", range(1, last + 1), index=None, horizontal=True, key=key)


def _store(session: VotingSession, ranking: Ranking, sheet: RankSheet) -> None:
    """Store a ranking; after the last one of its sheet the boards too, where it counts now."""
    try:
        store_rankings(session, [ranking])
    except VotesRefused as refused:
        st.error(plain("; ".join(refused.faults)))
        return
    st.session_state["thanks"] = "Your ranking is stored. Thank you."
    pairs = [task for task in voting_tasks(session) if task.debate_id in sheet.pairs.values()]
    if not any(task.missing for task in pairs):
        store_boards(session.store, session.resolved)
    st.rerun()
