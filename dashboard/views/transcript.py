"""The page of one debate: motion, sides, speeches with references, and ballots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.debates.transcript import format_remarks, shown_speech
from arena.languages import ANSWER, ENGLISH, SIDES, STAGES, Language, Side, language
from arena.languages.pair_words import contest_language
from arena.people.speeches import length_unit
from arena.records import IMPORTED, Speech
from dashboard import cached, verdicts
from dashboard.elements import label, marks_of, quiet, show_empty_state, show_marks, text
from dashboard.settings import database

#: In what order the speeches of a stage are made.
ORDER = {
    "constructive": "Both sides write at the same time, without seeing each other's speech.",
    "rebuttal": "Pro speaks first.",
    "summary": "Con speaks first.",
    "answer": "Both write at the same time, without seeing each other's speech.",
}


def page(back: StreamlitPage) -> None:
    """Show the debate that the address names.

    Args:
        back: the page that lists the debates.
    """
    st.page_link(back, label="All debates", icon=":material/arrow_back:")
    debate_id = st.query_params.get("debate", "")
    frame = cached.debate(database(), debate_id)
    if frame.empty:
        show_empty_state("No such debate.", "Choose one from the list of all debates.")
        return
    debate = {str(name): value for name, value in frame.iloc[0].items()}
    sides = contest_language(ENGLISH, debate["contest"]).sides
    _show_head(debate, sides)
    speeches = cached.speeches(database(), debate_id)
    if not speeches and debate["pro_debater"] == IMPORTED:
        quiet("This battle was imported; its speeches are not available.", "imported")
    elif not speeches:
        status = label(debate["status"]).lower()
        how = "ended in an error" if status == "error" else f"is {status}"
        show_empty_state(
            f"No speeches yet: this debate {how}.",
            "They are stored when the debate ends. Open this page again after that.",
        )
        return
    else:
        show_speeches(speeches, language(debate["language"]), sides)
    verdicts.show(cached.ballots(database(), debate_id), sides)


def _show_head(debate: Mapping[str, Any], sides: Mapping[Side, str]) -> None:
    with st.container(key="motion"):
        text(debate["motion"])
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name in ("category", "status"):
            st.badge(label(debate[name]), color="gray")
        show_marks(marks_of(debate))
        place = f"{debate['tournament']} · {debate['motion_id']} · debate {debate['debate_id']}"
        quiet(place, "place")
    if debate["reason"]:
        quiet(f"Reason: {debate['reason']}", "reason")
    if debate["status"] == "error":
        command = f"arena show {debate['debate_id'][:8]} --db {database()}"
        quiet(f"An error in a debater's code. It is not rated. Traceback: {command}", "error")
    for column, side in zip(st.columns(2), SIDES, strict=True):
        with column, st.container(border=True, key=f"{side}-side"):
            with st.container(key=f"name-{side}"):
                text(f"{sides[side]}: {debate[side]}")
            quiet(f"{debate[f'{side}_debater']} on {debate[f'{side}_model']}", f"model-{side}")


def show_speeches(
    speeches: Sequence[Speech], spoken: Language, sides: Mapping[Side, str] = ENGLISH.sides
) -> None:
    """Show speeches side by side, stage by stage.

    Args:
        speeches: those of one debate.
        spoken: its language.
        sides: the names of the sides.
    """
    by_place = {(speech.stage, speech.side): speech for speech in speeches}
    for stage in (*STAGES, ANSWER):
        if not any((stage, side) in by_place for side in SIDES):
            continue
        st.subheader(stage.capitalize(), anchor=False)
        st.caption(ORDER[stage])
        for column, side in zip(st.columns(2), SIDES, strict=True):
            if (stage, side) in by_place:
                with column:
                    _show_speech(by_place[stage, side], spoken, sides[side])


def _show_speech(speech: Speech, spoken: Language, side: str) -> None:
    with st.container(border=True, key=f"{speech.side}-{speech.stage}"):
        length = f"{speech.words} {length_unit(spoken)}{format_remarks(speech)}"
        st.caption(f"{side}, {speech.stage} · {length}")
        words, references = shown_speech(speech, spoken)
        text(words)
        if references:
            with st.expander(f"References ({len(references)})"):
                for reference in references:
                    text(reference)
