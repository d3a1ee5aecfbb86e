"""The page of motions: their use, whether they are even, and what their briefs hold."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from arena.languages import ENGLISH, SIDES
from dashboard import cached
from dashboard.addresses import choose, current_choices, show_notices
from dashboard.elements import (
    label,
    open_page,
    quiet,
    show_basis,
    show_empty_state,
    show_link,
    show_no_debates,
    text,
)
from dashboard.motion_list import StoredMotion, format_pro_share, motion_table, motion_titles
from dashboard.settings import database
from dashboard.tables import show_downloads, show_table, table_files
from dashboard.views.debates import choose_bench, overall_state

_ALL = "All"
#: The motion's place in the address.
_MOTION = "motion-id"
_COLUMNS = {
    "motion": st.column_config.TextColumn("Motion", width=380),
    "pro_share": st.column_config.ProgressColumn(
        "Pro's share",
        format="%.0f %%",
        min_value=0,
        max_value=100,
        width=120,
        help="Of wins, a tie as half.",
    ),
    "better_share": st.column_config.NumberColumn(
        "Better one won",
        format="%.0f %%",
        width=116,
        help="How well the motion tells participants apart: the share of its debates that the "
        "better rated side won, a tie as half. Near 50 % it tells little.",
    ),
    "split_share": st.column_config.NumberColumn(
        "Split",
        format="%.0f %%",
        width=64,
        help="How often judges disagree: debates whose ballots name different winners.",
    ),
    "by_side": st.column_config.NumberColumn(
        "By side",
        width=70,
        help="Debates of matchups in which the same side won twice, whoever spoke for it.",
    ),
    "debates": st.column_config.NumberColumn("Debates", width=76),
    "judged": st.column_config.NumberColumn("Judged", width=70),
    "category": st.column_config.TextColumn("Category", width=80),
}
_NARROW = {"motion": 200, "debates": 64, "pro_share": 84}


def page(debates: StreamlitPage | None) -> None:
    """List motions, or show the one that the address names.

    Args:
        debates: the page that lists debates.
    """
    tournament, (bench_place, *places) = open_page("Motions", widths=(4, 4, 4, 8))
    if tournament is None:
        return
    bench = choose_bench(bench_place, tournament.name)
    state = overall_state(tournament.name, bench)
    frame = cached.debate_list(database(), tournament.name, state)
    if frame.empty:
        show_no_debates()
        return
    rating = {row.participant: row.rating for row in state.board.rows} if state else {}
    table = motion_table(frame, rating)
    categories = [_ALL, *sorted(table["category"].unique())]
    category = choose(places[0], "Category", categories, "category")
    if category != _ALL:
        table = table[table["category"] == category].reset_index(drop=True)
    titles = motion_titles(table)
    motion_id = _choose_motion(places[1], titles)
    show_notices()
    if state is not None:
        show_basis(state)
    if motion_id:
        _show_motion(tournament.name, motion_id)
        own = {
            "tournament": tournament.name,
            "motion": titles[motion_id],
            **current_choices("bench"),
        }
        show_link(debates, "Its debates", "list", **own)
        table = table[table["motion_id"] == motion_id].reset_index(drop=True)
    if line := format_pro_share(table):
        quiet(line, "share")
    key = "one-motion" if motion_id else "motions"
    alt = "Motions and how they were used"
    opens = not motion_id
    clicked = show_table(table, _COLUMNS, key=key, narrow=_NARROW, alt=alt, opens=opens)
    show_downloads(table_files(table, "motions"), key="motions")
    if clicked is not None:
        st.query_params[_MOTION] = str(table["motion_id"].iloc[clicked])
        st.rerun()


def _choose_motion(place: DeltaGenerator, titles: Mapping[str, str]) -> str:
    """Ask for a motion, and return its id; '' for all."""
    options = ["", *titles]
    return choose(place, "Motion", options, _MOTION, format_func=lambda key: titles.get(key, _ALL))


def _show_motion(tournament: str, motion_id: str) -> None:
    """Show a motion in all languages of a tournament, with info slide and brief."""
    wordings = cached.read_motion(database(), tournament, motion_id)
    if not wordings:
        show_empty_state("No such motion.", "Choose one from the list.")
        return
    for place, wording in enumerate(wordings):
        with st.container(key=f"name-motion-{place}"):
            text(wording.text)
        about = filter(None, (wording.category, wording.topic, wording.language, wording.motion_id))
        quiet(", ".join(about), f"about-{place}")
        if wording.info_slide:
            text(wording.info_slide)
        _show_brief(wording, place)


def _show_brief(wording: StoredMotion, place: int) -> None:
    if not any(wording.brief.values()):
        return
    with st.expander(f"Brief ({label(wording.language)})", key=f"brief-{place}"):
        for column, side in zip(st.columns(2), SIDES, strict=True):
            with column, st.container(key=f"{side}-brief-{place}", border=True):
                st.caption(ENGLISH.sides[side])
                for number, argument in enumerate(wording.brief[side]):
                    with st.container(key=f"agent-{side}-{place}-{number}"):
                        text(argument.claim)
                    text(argument.evidence)
                    if argument.source:
                        quiet(argument.source, f"source-{side}-{place}-{number}")
