"""The third page: one debate, whole: motion, sides, speeches with references, ballots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.debates.transcript import remarks, render_reference
from arena.languages import ANSWER, ENGLISH, SIDES, STAGES, Language, Side, language
from arena.languages.pairs import of_contest
from arena.records import IMPORTED, Speech
from dashboard import cached, verdicts
from dashboard.elements import empty, label, quiet, simulated_mark, text
from dashboard.settings import database

#: How the speeches of a stage are made.
ORDER = {
    "constructive": "Both sides write at the same time, blind to each other.",
    "rebuttal": "Pro speaks first.",
    "summary": "Con speaks first.",
    "answer": "Both write at the same time, blind to each other.",
}


def page(back: StreamlitPage) -> None:
    """Show the debate that the address names.

    Args:
        back: the list that it was chosen from.
    """
    st.page_link(back, label="All debates", icon=":material/arrow_back:")
    debate_id = st.query_params.get("debate", "")
    frame = cached.debate(database(), debate_id)
    if frame.empty:
        empty("No such debate.", "Choose one from the list of all debates.")
        return
    found = {str(name): value for name, value in frame.iloc[0].items()}
    sides = of_contest(ENGLISH, found["contest"]).sides
    _head(found, sides)
    speeches = cached.speeches(database(), debate_id)
    if not speeches and found["pro_debater"] == IMPORTED:
        quiet("This battle was imported: what was said in it is not known.", "imported")
    elif not speeches:
        empty(
            f"No speeches yet: this debate is {label(found['status']).lower()}.",
            "They are stored when the debate ends. Open this page again then.",
        )
        return
    else:
        show_speeches(speeches, language(found["language"]), sides)
    verdicts.show(cached.ballots(database(), debate_id), sides)


def _head(found: Mapping[str, Any], sides: Mapping[Side, str]) -> None:
    with st.container(key="motion"):
        text(found["motion"])
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name in ("category", "status"):
            st.badge(label(found[name]), color="gray")
        if found["simulated"]:
            simulated_mark()
        place = f"{found['tournament']} · {found['motion_id']} · debate {found['debate_id']}"
        quiet(place, "place")
    if found["reason"]:
        quiet(f"Reason: {found['reason']}", "reason")
    for column, side in zip(st.columns(2), SIDES, strict=True):
        with column, st.container(border=True, key=f"{side}-side"):
            with st.container(key=f"name-{side}"):
                text(f"{sides[side]}: {found[side]}")
            quiet(f"{found[f'{side}_debater']} on {found[f'{side}_model']}", f"model-{side}")


def show_speeches(
    speeches: Sequence[Speech], spoken: Language, sides: Mapping[Side, str] = ENGLISH.sides
) -> None:
    """Show speeches side by side, stage by stage.

    Args:
        speeches: of one debate.
        spoken: its language.
        sides: what the sides are called.
    """
    made = {(speech.stage, speech.side): speech for speech in speeches}
    for stage in (*STAGES, ANSWER):
        if not any((stage, side) in made for side in SIDES):
            continue
        st.subheader(stage.capitalize(), anchor=False)
        st.caption(ORDER[stage])
        for column, side in zip(st.columns(2), SIDES, strict=True):
            if (stage, side) in made:
                with column:
                    _speech(made[stage, side], spoken, sides[side])


def _speech(speech: Speech, spoken: Language, called: str) -> None:
    units = "characters" if spoken.code == "zh" else "words"
    with st.container(border=True, key=f"{speech.side}-{speech.stage}"):
        length = f"{speech.words} {units}{remarks(speech)}"
        st.caption(f"{called}, {speech.stage} · {length}")
        text(speech.text)
        if speech.references:
            with st.expander(f"References ({len(speech.references)})"):
                for reference in speech.references:
                    text(render_reference(reference, spoken))
