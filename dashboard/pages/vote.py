"""The page where people judge, blind: one debate after another, and no participant is named."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from arena.boards.board import store_boards
from arena.boards.selection import dimensions
from arena.config.resolve import ResolvedConfig
from arena.config.stored import stored_config
from arena.errors import VotesRefused
from arena.languages import ENGLISH
from arena.languages.pairs import of_contest
from arena.people.votes import CONFIDENCE, Vote, cast
from arena.people.voting import VotingSheet, VotingTask, polls, read_sheets
from arena.records import Bench
from arena.store.database import Store
from arena.text import plain
from dashboard.elements import empty, label, opening, quiet, text
from dashboard.pages.transcript import show_speeches
from dashboard.settings import database
from ratings import CON_WINS, PRO_WINS, TIE

_BURDEN = (
    "You are told the sides and not who speaks. Both carry an equal burden of proof: judge what "
    "stands here, not what you hold true. A vote is not changed any more."
)


def page() -> None:
    """Ask for a pseudonym, then for votes on one debate after another."""
    tournament, places = opening("Vote", widths=(4, 4, 4))
    if tournament is None:
        return
    store = Store(Path(database()))
    resolved = stored_config(store, tournament.name)
    benches = resolved.people_benches
    if not benches:
        empty(
            "Nobody is asked to vote here.",
            "This tournament has no bench of people. Add one, then open this page again.",
            f"arena rejudge {tournament.name!r} --judge human --runs 3 --yes --db {database()}",
        )
        return
    with places[0]:
        name = st.selectbox("Bench", [one.name for one in benches], key="bench")
    with places[1]:
        voter = st.text_input("Your pseudonym", key="voter", max_chars=40).strip()
    if not voter:
        st.info("Choose a pseudonym, and vote under the same one when you come again.")
        return
    bench = next(one for one in benches if one.name == name)
    open_ = [one for one in polls(store, resolved, bench, voter=voter) if one.waits(bench)]
    _next(store, resolved, bench, voter, open_)


def _next(
    store: Store, resolved: ResolvedConfig, bench: Bench, voter: str, waiting: Sequence[VotingTask]
) -> None:
    """Show the debate that this person has begun to read, else the next one."""
    if thanks := st.session_state.pop("thanks", ""):
        st.success(thanks)
    if not waiting:
        empty("Nothing waits for you.", "You have voted on all that waits. Thank you.")
        return
    begun = st.session_state.get(_begun(bench, voter))
    poll = next((one for one in waiting if one.debate_id == begun), waiting[0])
    st.session_state[_begun(bench, voter)] = poll.debate_id
    st.session_state.setdefault(f"opened-{voter}-{poll.debate_id}", time.monotonic())
    st.caption(f"{len(waiting)} to judge. {_BURDEN}")
    (sheet,) = read_sheets(store, resolved, [poll])
    sides = of_contest(ENGLISH, resolved.config.tournament.contest).sides
    with st.container(key="motion"):
        text(sheet.task)
    if sheet.info_slide:
        quiet(sheet.info_slide, "slide")
    show_speeches(sheet.speeches, sheet.language, sides)
    outcomes = {sides["pro"]: PRO_WINS, "Tie": TIE, sides["con"]: CON_WINS}
    vote = _form(sheet, voter, dimensions(bench), outcomes)
    if vote is not None:
        _cast(store, resolved, bench, vote, last=poll.votes + 1 >= bench.runs)


def _form(
    sheet: VotingSheet, voter: str, asked: Sequence[str], outcomes: dict[str, float]
) -> Vote | None:
    """The choices; a vote once it is handed in whole."""
    words = list(outcomes)
    key = f"{voter}-{sheet.debate_id}"
    with st.form(f"vote-{key}"):
        chosen = {
            name: st.radio(label(name), words, index=None, horizontal=True, key=f"{name}-{key}")
            for name in asked
        }
        sure = st.radio(
            f"How sure are you, from {CONFIDENCE[0]}, a guess, to {CONFIDENCE[1]}, certain? "
            "(optional)",
            range(CONFIDENCE[0], CONFIDENCE[1] + 1),
            index=None,
            horizontal=True,
            key=f"sure-{key}",
        )
        comment = st.text_area("Why? (optional)", key=f"why-{key}", max_chars=4000)
        handed = st.form_submit_button("Vote, for good", type="primary")
    if not handed:
        return None
    lacking = [label(name) for name, word in chosen.items() if word is None]
    if lacking:
        st.error(f"Choose for {', '.join(lacking)}, too. Nothing was stored.")
        return None
    return Vote(
        debate_id=sheet.debate_id,
        voter=voter,
        outcomes={name: outcomes[str(word)] for name, word in chosen.items()},
        confidence=None if sure is None else float(sure),
        comment=comment.strip(),
        seconds=time.monotonic() - st.session_state[f"opened-{key}"],
    )


def _cast(store: Store, resolved: ResolvedConfig, bench: Bench, vote: Vote, *, last: bool) -> None:
    """Store a vote, and after the `last` one on its debate the boards, on which it counts then."""
    try:
        cast(store, resolved, bench, [vote])
    except VotesRefused as refused:
        st.error(plain("; ".join(refused.faults)))
        return
    st.session_state["thanks"] = "Your vote is stored. Thank you."
    if last:
        store_boards(store, resolved)
    st.rerun()


def _begun(bench: Bench, voter: str) -> str:
    return f"begun-{bench.name}-{voter}"
