"""The page of motions: their use, whether they are even, and what their briefs hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from arena.languages import ENGLISH, SIDES
from dashboard import cached
from dashboard.addresses import choose, current_choices, show_notices
from dashboard.debate_list import DebatesState
from dashboard.elements import (
    capital,
    guarded,
    label,
    open_page,
    quiet,
    show_empty_state,
    show_link,
    show_no_debates,
    text,
)
from dashboard.gone import explain_gone
from dashboard.motion_list import StoredMotion, format_pro_share, motion_table, motion_titles
from dashboard.settings import database
from dashboard.tables import show_downloads, show_table, table_files
from dashboard.views.debates import choose_bench, count_options, pause_of, show_moment

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
    """List motions, or show the one that the address names."""
    tournament, (bench_place, *places) = open_page("Motions", widths=(4, 4, 4, 8))
    if tournament is None:
        return
    bench = choose_bench(bench_place, tournament.name)
    state = cached.debates_state(database(), tournament.name, bench)
    category, motion_id = _ALL, ""
    if not state.frame.empty:
        category, motion_id = _choose(state, places)
        show_notices()
    follow = st.fragment(guarded(_follow), run_every=pause_of(state))
    follow(tournament.name, bench, debates, category, motion_id, count_options(state.frame))


def _choose(state: DebatesState, places: Sequence[DeltaGenerator]) -> tuple[str, str]:
    """Ask for a category of motions and for a motion; returns the category and the motion's id."""
    categories = [_ALL, *sorted(state.frame["category"].unique())]
    category = choose(places[0], "Category", categories, "category", format_func=capital)
    titles = motion_titles(_of_category(state.frame, category))
    return category, _choose_motion(places[1], titles)


def _of_category(frame: pd.DataFrame, category: str) -> pd.DataFrame:
    if category == _ALL:
        return frame
    return frame[frame["category"] == category].reset_index(drop=True)


def _follow(  # noqa: PLR0913, PLR0917 - a fragment takes what the page knows
    tournament: str,
    bench: str,
    debates: StreamlitPage | None,
    category: str,
    motion_id: str,
    options: Sequence[int],
) -> None:
    """Draw what changes during a run.

    Args:
        bench: whose verdicts are shown; '' for the first one.
        motion_id: of the motion to show; '' for all.
        options: `count_options` of the debates for which the lists of choices were drawn.
    """
    if explain_gone(tournament):
        return
    state = cached.debates_state(database(), tournament, bench)
    if count_options(state.frame) != options:
        st.rerun()
    if state.frame.empty:
        show_no_debates()
        return
    table = _of_category(motion_table(state.frame, state.rating), category)
    show_moment(state)
    if motion_id:
        _show_motion(tournament, motion_id)
        own = {
            "tournament": tournament,
            "motion": motion_titles(table).get(motion_id, motion_id),
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
