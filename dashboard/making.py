"""How a speech was made, as a dialogue of its agents; its texts come from models."""

from __future__ import annotations

import streamlit as st

from arena.languages import Language
from arena.languages.making_words import MakingWords, making_words
from arena.report.making.records import DialogueStep, SpeechDialogue
from dashboard.elements import quiet, text
from dashboard.hidden import hide_values

_SIGNS = {"removed": "−", "added": "+"}


def show_dialogue(dialogue: SpeechDialogue, language: Language, key: str) -> None:
    """Show the steps of a dialogue, one below the other.

    Args:
        dialogue: of one speech.
        language: of the debate, for the words around the texts.
        key: unique on the page.
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
