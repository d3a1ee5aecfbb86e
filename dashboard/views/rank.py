"""The page where people rank the essays on one motion after another, without their writers."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from arena.debates.transcript import render_reference
from arena.errors import ConfigError
from arena.papers.essays.rank_sheets import RankSheet
from arena.papers.essays.rankings import Ranking, open_sheets, ranking_session, store_rankings
from arena.people.sessions import VotingSession
from arena.text import counted
from dashboard.elements import label, open_page, show_empty_state, text
from dashboard.people_pages import ask_choice, ask_pseudonym, find_next, open_session, store_answer
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
    if not tournament:
        return
    session = open_session(tournament)
    try:
        ranking_session(session.store, session.resolved)
    except ConfigError:
        show_empty_state(
            "There are no essays to rank here.",
            "Draw a sample of the essays of a contest, then open this page again:",
            f"arena rank sheet sheets --sample 30 --tournament ESSAYS {database_option()}",
        )
        return
    if voter := ask_pseudonym(places[0], "rank"):
        _show_next(ranking_session(session.store, session.resolved, voter=voter))


def _show_next(session: VotingSession) -> None:
    """Show the sheet that this person has begun to read, else the next one."""
    waiting = open_sheets(session)
    sheet = find_next(
        session,
        waiting,
        lambda sheet: sheet.sheet_id,
        nothing=(
            "You have nothing to rank.",
            "You have ranked every sheet that waits for rankings. Thank you.",
        ),
    )
    if sheet is None:
        return
    st.caption(f"{counted(len(waiting), 'sheet')} to rank. {_BLIND}")
    with st.container(key="motion"):
        text(sheet.task)
    for letter, essay in sheet.essays.items():
        with st.container(border=True, key=f"essay-{letter}"):
            st.caption(f"Essay {letter}")
            text(essay.text)
            for reference in essay.references:
                text(render_reference(reference, sheet.language))
    ranking = _ask(sheet, session)
    if ranking is not None:
        store_answer(
            session,
            lambda: store_rankings(session, [ranking]),
            noun="ranking",
        )


def _ask(sheet: RankSheet, session: VotingSession) -> Ranking | None:
    """Show the form of a ranking, and return the ranking once it is handed in complete."""
    key = f"{session.person}-{sheet.sheet_id}"
    ranks: dict[str, dict[str, int | None]] = {}
    with st.form(f"rank-{key}"):
        for dimension in session.dimensions:
            st.markdown(f"**{label(dimension)}**")
            st.caption(_QUESTIONS.get(dimension, ""))
            ranks[dimension] = {
                letter: ask_choice(
                    f"Essay {letter}",
                    range(1, len(sheet.essays) + 1),
                    f"{dimension}-{letter}-{key}",
                )
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
