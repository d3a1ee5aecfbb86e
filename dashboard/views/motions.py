"""The page of motions: their use, whether they are even, and what their briefs hold."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, ProgressColumn, TextColumn

from arena.languages import ENGLISH, SIDES
from arena.read.motions import MotionRow
from arena.report.debate_list import DebatesState
from arena.report.motion_list import (
    format_pro_share,
    format_tellers,
    motion_table,
    motion_titles,
)
from dashboard import cached
from dashboard.addresses import choose, current_choices, show_notices
from dashboard.elements import capital, label, open_page, quiet, show_empty_state, show_link, text
from dashboard.tables import show_table, table_files
from dashboard.views.debates import (
    choose_bench,
    fold_line,
    follow_debates,
    show_verdicts_moment,
)

_ALL = "All"
#: The motion's place in the address.
_MOTION = "motion-id"
_COLUMNS = {
    "motion": TextColumn("Motion", width=360),
    "tells": TextColumn(
        "Better one won",
        width=150,
        help="How well the motion tells participants apart: the share of its debates that the "
        "better rated side won, a tie as half, with its 95 % interval by matchups. Near 50 % it "
        "tells little. Those that tell most come first.",
    ),
    "pro_share": ProgressColumn(
        "Pro's share",
        format="%.0f %%",
        min_value=0,
        max_value=100,
        width=110,
        help="Of wins, a tie as half.",
    ),
    "split_share": NumberColumn(
        "Split",
        format="%.0f %%",
        width=64,
        help="How often judges disagree: debates whose ballots name different winners.",
    ),
    "by_side": NumberColumn(
        "By side",
        width=70,
        help="Debates of matchups in which the same side won twice, whoever spoke for it.",
    ),
    "debates": NumberColumn("Debates", width=76),
    "judged": NumberColumn("Judged", width=70),
    "category": TextColumn("Category", width=80),
}
_NARROW = {"motion": 214, "tells": 144}


def page() -> None:
    """List motions, or show the one that the address names."""
    tournament, (bench_place, *places) = open_page(
        "Motions",
        widths=(4, 4, 4, 8),
        fold=partial(fold_line, names=("category", _MOTION), all_of="motions"),
    )
    if not tournament:
        return
    bench = choose_bench(bench_place, tournament)
    state = cached.debates_state(tournament, bench)
    category, motion_id = _ALL, ""
    if not state.frame.empty:
        categories = [_ALL, *sorted(state.frame["category"].unique())]
        category = choose(places[0], "Category", categories, "category", format_func=capital)
        titles = {"": _ALL, **motion_titles(_of_category(state.frame, category))}
        motion_id = choose(
            places[1], "Motion", list(titles), _MOTION, format_func=titles.__getitem__
        )
        show_notices()
    follow_debates(tournament, bench, state, partial(_show, tournament, category, motion_id))


def _of_category(frame: pd.DataFrame, category: str) -> pd.DataFrame:
    if category == _ALL:
        return frame
    return frame[frame["category"] == category].reset_index(drop=True)


@st.cache_data(
    max_entries=3, show_spinner=False, hash_funcs={DebatesState: attrgetter("at", "rating")}
)
def _motion_table(state: DebatesState) -> pd.DataFrame:
    """Return the table of a state; its intervals take longer than the rest of the page."""
    return motion_table(state.frame, state.rating)


def _show(tournament: str, category: str, motion_id: str, state: DebatesState) -> None:
    """Show a motion, or all of a category; `motion_id` is '' for all."""
    table = _of_category(_motion_table(state), category)
    if not motion_id and (line := format_tellers(table)):
        with st.container(key="summary"):
            text(line)
    show_verdicts_moment(state)
    if motion_id:
        _show_motion(tournament, motion_id)
        own = {
            "tournament": tournament,
            "motion": motion_titles(table).get(motion_id, motion_id),
            **current_choices("bench"),
        }
        show_link("debates", "Its debates", "list", **own)
        table = table[table["motion_id"] == motion_id].reset_index(drop=True)
    if line := format_pro_share(table):
        quiet(line, "share")
    clicked = show_table(
        table,
        _COLUMNS,
        key="one-motion" if motion_id else "motions",
        narrow=_NARROW,
        alt="Motions and how they were used",
        opens=not motion_id,
        lines=2,
        files=table_files(table, "motions"),
    )
    if clicked is not None:
        st.query_params[_MOTION] = str(table["motion_id"].iloc[clicked])
        st.rerun()


def _show_motion(tournament: str, motion_id: str) -> None:
    """Show a motion in all languages of a tournament, with info slide and brief."""
    wordings = cached.read_motions(tournament, motion_id)
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


def _show_brief(wording: MotionRow, place: int) -> None:
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
