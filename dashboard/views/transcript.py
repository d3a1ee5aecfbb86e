"""The page of one debate: motion, sides, speeches with references, and ballots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from arena.debates.transcript import format_remarks, is_in_doubt, shown_speech
from arena.languages import ANSWER, ENGLISH, SIDES, STAGES, Language, Side, language
from arena.languages.language import MakingWords, contest_language, making_words
from arena.people.speeches import length_unit
from arena.read.debates import DebateRow, seat
from arena.records import IMPORTED, Speech
from arena.report.debate_result import bench_decisions
from arena.report.dialogues.records import DialogueStep, SpeechDialogue
from dashboard import cached, verdicts
from dashboard.addresses import current_choices
from dashboard.elements import label, marks_of, quiet, show_empty_state, show_link, show_marks, text
from dashboard.hidden import hide_values
from dashboard.queries import DebateContent, SpeechWork
from dashboard.settings import database_option
from dashboard.views.debates import list_choices

#: In what order the speeches of a stage are made.
ORDER = {
    "constructive": "Both sides write at the same time, without seeing each other's speech.",
    "rebuttal": "Pro speaks first.",
    "summary": "Con speaks first.",
    "answer": "Both write at the same time, without seeing each other's speech.",
}
#: What the mark on a speech means.
_IN_DOUBT = "It may be no speech. It was asked for once more, then played; the judges decide."


def page() -> None:
    """Show the debate that the address names."""
    start = st.query_params.get("debate", "").strip().lower()
    fitting, content = cached.read_debate(start)
    own_tournament = {} if content is None else {"tournament": content.debate.tournament}
    show_link("debates", "All debates", "arrow_back", **list_choices(), **own_tournament)
    if content is None:
        _show_choice(fitting)
        return
    debate = content.debate
    sides = contest_language(ENGLISH, content.tournament.contest).sides
    _show_head(content, sides)
    _show_result(content, sides)
    _show_links(debate, content.other_legs)
    speeches = content.speeches
    if not speeches and debate.pro_debater == IMPORTED:
        quiet("This battle was imported; its speeches are not available.", "imported")
    elif not speeches:
        status = label(debate.status).lower()
        how = "ended in an error" if status == "error" else f"is {status}"
        show_empty_state(
            f"No speeches yet: this debate {how}.",
            "They are stored when the debate ends. Open this page again after that.",
        )
        return
    else:
        spoken = language(debate.language)
        made = st.query_params.get("made")
        show_speeches(
            speeches,
            spoken,
            sides,
            works=content.works,
            making=_making_of(debate, content.tournament.contest),
            unfolded=next((side for side in SIDES if seat(debate, side) == made), None),
        )
    verdicts.show(verdicts.by_dimension(content.ballots), sides)


def _show_choice(fitting: Sequence[DebateRow]) -> None:
    """Say that no debate has such an id, or list those that begin so."""
    if not fitting:
        show_empty_state("No such debate.", "Choose one from the list of all debates.")
        return
    st.header("Several debates begin so", anchor=False)
    for row in fitting[:5]:
        words = f"{row.debate_id}, {row.pro} against {row.con}"
        choices = list_choices() | {"debate": row.debate_id}
        show_link("transcript", words, "description", **choices)
    if len(fitting) > 5:
        quiet("There are more; give more digits of the id.", "more")


def _show_head(content: DebateContent, sides: Mapping[Side, str]) -> None:
    debate = content.debate
    with st.container(key="motion"):
        text(debate.motion)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name in (debate.category, debate.status):
            st.badge(label(name), color="gray")
        show_marks(marks_of(content.tournament))
        place = f"{debate.tournament} · {debate.motion_id} · debate {debate.debate_id}"
        quiet(place, "place")
    if debate.reason:
        quiet(f"Reason: {hide_values(debate.reason)}", "reason")
    if debate.status == "error":
        command = f"arena show {debate.debate_id[:8]} {database_option()}"
        quiet(f"An error in a debater's code. It is not rated. Traceback: {command}", "error")
    played: dict[Side, str] = {
        "pro": f"{debate.pro_debater} on {debate.pro_model}",
        "con": f"{debate.con_debater} on {debate.con_model}",
    }
    for column, side in zip(st.columns(2), SIDES, strict=True):
        with column, st.container(border=True, key=f"{side}-side"):
            with st.container(key=f"name-{side}"):
                text(f"{sides[side]}: {seat(debate, side)}")
            quiet(played[side], f"model-{side}")


def _show_result(content: DebateContent, sides: Mapping[Side, str]) -> None:
    """Show who won by each bench, and why; nothing before there is a ballot."""
    names: dict[Side, str] = {side: seat(content.debate, side) for side in SIDES}
    rows = verdicts.by_dimension(content.ballots).to_dict("records")
    verdicts.show_decisions(bench_decisions(rows, names, sides=sides, by_majority=content.majority))


def _show_links(debate: DebateRow, other_legs: Sequence[str]) -> None:
    """Show links to the other leg and to the motion."""
    with st.container(horizontal=True, gap="small"):
        for other in other_legs:
            words = "The other leg, with the sides swapped"
            show_link("transcript", words, "swap_horiz", **list_choices(), debate=other)
        about = {"tournament": debate.tournament, "motion_id": debate.motion_id}
        kept = current_choices("bench", "category")
        if kept.get("category") != debate.category:  # of an address that was put together
            kept.pop("category", None)
        show_link("motions", "This motion", "gavel", **kept, **about)


def _making_of(debate: DebateRow, contest: str) -> Callable[[Speech], SpeechDialogue | None]:
    """Return a function that reads how a speech was made; it is called when that is opened."""

    def read(speech: Speech) -> SpeechDialogue | None:
        own = cached.dialogues(debate.debate_id, debate.language, contest)
        place = speech.side, speech.stage
        return next((each for each in own if (each.side, each.stage) == place), None)

    return read


def show_speeches(
    speeches: Sequence[Speech],
    spoken: Language,
    sides: Mapping[Side, str] = ENGLISH.sides,
    *,
    works: Mapping[tuple[str, str], SpeechWork] | None = None,
    making: Callable[[Speech], SpeechDialogue | None] | None = None,
    unfolded: Side | None = None,
) -> None:
    """Show speeches side by side, stage by stage.

    Args:
        works: what they took, by side and stage; `None` for a voter, who must not guess from it.
        making: reads how a speech was made; `None` to leave that out, likewise.
        unfolded: the side of which it is open at first.
    """
    by_place = {(speech.stage, speech.side): speech for speech in speeches}
    for stage in (*STAGES, ANSWER):
        if not any((stage, side) in by_place for side in SIDES):
            continue
        st.header(stage.capitalize(), anchor=False)
        st.caption(ORDER[stage])
        for column, side in zip(st.columns(2), SIDES, strict=True):
            if (stage, side) in by_place:
                speech = by_place[stage, side]
                work = _find_work(works or {}, side, stage)
                with column, st.container(border=True, key=f"{side}-{stage}"):
                    is_open = side == unfolded
                    _show_speech(speech, spoken, sides[side], work, making, is_open=is_open)


def _find_work(
    works: Mapping[tuple[str, str], SpeechWork], side: Side, stage: str
) -> SpeechWork | None:
    """Return what a speech took; an essay is asked for as a constructive."""
    return works.get((side, stage)) or (works.get((side, STAGES[0])) if stage == ANSWER else None)


def _show_speech(
    speech: Speech,
    spoken: Language,
    side: str,
    work: SpeechWork | None,
    making: Callable[[Speech], SpeechDialogue | None] | None,
    *,
    is_open: bool,
) -> None:
    length = f"{speech.words} {length_unit(spoken)}{format_remarks(speech)}"
    took = f" · {work.describe()}" if work else ""
    st.caption(f"{side}, {speech.stage} · {length}{took}")
    if is_in_doubt(speech):
        st.badge("In doubt", icon=":material/help:", color="orange", help=_IN_DOUBT)
    if making is not None and speech.trace:
        key = f"making-{speech.side}-{speech.stage}"
        with st.expander("How it was made", is_open, key=key, on_change="rerun") as opened:
            dialogue = making(speech) if opened.open else None
            if dialogue is not None:
                show_dialogue(dialogue, spoken, key)
    words, references = shown_speech(speech, spoken)
    text(words)
    if references:
        with st.expander(f"References ({len(references)})"):
            for reference in references:
                text(reference)


_SIGNS = {"removed": "−", "added": "+"}


def show_dialogue(dialogue: SpeechDialogue, language: Language, key: str) -> None:
    """Show the steps of a dialogue, one below the other.

    Args:
        language: of the debate, for the words around the texts.
    """
    words = making_words(language)
    number: int | None = None
    for place, step in enumerate(dialogue.steps):
        if step.round is not None and step.round != number:
            number = step.round
            st.caption(words.phrase("round", number))
        with st.container(key=f"step-{key}-{place}", gap="small"):
            _show_step(step, words, f"{key}-{place}")


def _show_step(step: DialogueStep, words: MakingWords, key: str) -> None:
    with st.container(key=f"agent-{key}"):
        text(f"{f'{step.turn}. ' if step.turn is not None else ''}{step.agent}")
    remarks = [step.act]
    if step.answers is not None and step.stance in words.phrases:
        remarks.append(words.phrase(step.stance, step.answers))
    if step.attempts > 1:
        remarks.append(words.phrase("attempts", step.attempts))
    if step.model:
        remarks.append(step.model)
    if line := ", ".join(filter(None, remarks)):
        quiet(line, f"act-{key}")
    _show_words(step, words, key)
    for place, detail in enumerate(step.details):
        shown = hide_values(detail.text)
        quiet(f"{detail.label}: {shown}" if detail.label else shown, f"{key}-{place}")


def _show_words(step: DialogueStep, words: MakingWords, key: str) -> None:
    """Show what an agent said: a text, what changed in a draft, or that it is the speech."""
    if step.changes is not None:
        counts = step.changes.kept, step.changes.count("removed"), step.changes.count("added")
        quiet(
            words.phrase("changes", *counts) if step.changes.changes else words.phrase("same"),
            f"changes-{key}",
        )
        lines = [f"{_SIGNS[change.kind]} {change.text}" for change in step.changes.changes]
        if lines:
            text("\n".join(lines))
    if step.delivered:
        quiet(words.phrase("text_below"), f"delivered-{key}")
    elif step.text and step.changes is None:
        text(step.text)
