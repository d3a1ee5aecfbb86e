"""Speeches as text for prompts: quoted, each followed by the references that it cites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.languages import Language
from arena.languages.language import pair_language
from arena.languages.marks import MARKS, CitationMark
from arena.prompts import quote
from arena.records import LEAVE_OUT, LEFT_OUT, Reference, Speech
from arena.text import counted

#: Why a model was asked for a speech again, by the class name of the fault.
_REASONS: Mapping[str, str] = {
    "WrongLanguage": "rewritten, because it was in another language",
    "BothSides": "rewritten, because it spoke for both sides",
    "Refusal": "asked for again, because the model declined",
    "NoSpeech": "asked for again, because it seemed to be no speech",
}


def render_speech(speech: Speech, language: Language) -> str:
    """Format a speech for a prompt: its text in one quotation, its references in another.

    The second quotation comes from the records, not from the speaker: a list of references that
    a speaker forges stays inside the speech's quotation.
    """
    words = [language.sides[speech.side]]
    if speech.stage != "answer":  # the only one of its contest
        words.append(language.stages[speech.stage])
    text, lines = shown_speech(speech, language)
    quoted = quote(language.terms["speech"], text, *words)
    if not lines:
        return quoted
    listed = "\n".join(lines)
    return f"{quoted}\n{quote(language.terms['references'], listed, *words)}"


def render_transcript(speeches: Sequence[Speech], language: Language) -> str:
    """Format the speeches of a debate for a prompt, in the order in which they were made."""
    if not speeches:
        return language.terms["nothing_said"]
    return "\n".join(render_speech(speech, language) for speech in speeches)


def shown_speech(speech: Speech, language: Language) -> tuple[str, list[str]]:
    """Return a speech's text, and the lines of its references, as they are shown to a reader.

    An answer is stored without letters in its citation marks; which of a pair it is, is known
    only here: it gets its own, `[A3]`. Brackets that name no reference stay as they are.
    """
    if speech.stage != "answer":
        return speech.text, [render_reference(item, language) for item in speech.references]
    words = pair_language(language)
    plain = {reference.number for reference in speech.references if reference.side is None}

    def letter(mark: CitationMark) -> str | None:
        return words.marks[speech.side] if mark.side is None and mark.number in plain else None

    references = (replace(reference, side=speech.side) for reference in speech.references)
    lines = [render_reference(reference, words) for reference in references]
    return MARKS.rewrite(speech.text, letter), lines


def render_reference(reference: Reference, language: Language) -> str:
    """Format a reference as one line: mark, origin and excerpt, or that it was never given."""
    letter = language.marks[reference.side] if reference.side else ""
    mark = f"[{letter}{reference.number}]"
    if not reference.given:
        return f"{mark} {language.terms['never_given']}"
    # On one line: an excerpt with a line break could otherwise look like another reference.
    source = f"{reference.origin} — {reference.excerpt}"
    return f"{mark} {' '.join(source.split())}"


def is_in_doubt(speech: Speech) -> bool:
    """Tell whether a text was played though it may be no speech."""
    return any(step.get("action") == "doubt" for step in speech.trace)


def format_remarks(speech: Speech) -> str:
    """Format what the protocol did to a speech, to be printed after its length.

    Returns:
        for example ", shortened from 812, cut at the limit"; empty where it did nothing.
    """
    actions: list[str] = []
    for step in speech.trace:
        match step:
            case {"agent": "protocol", "action": "clean", "removed": kinds}:
                actions.append(f"without {', '.join(kinds)} around it")
            case {"agent": "protocol", "action": "again", "fault": fault}:
                actions.append(_REASONS.get(fault, "rewritten"))
            case {"agent": "protocol", "action": "doubt", "reason": reason}:
                actions.append(f"played in doubt, because {reason}")
            case {"agent": "protocol", "action": "shorten", "from": length}:
                actions.append(f"shortened from {length}")
            case {"agent": "protocol", "action": "keep"}:
                actions[-1:] = ["not shortened, because its model wrote something else"]
    if speech.trimmed:
        actions.append("cut at the limit")
    if cramped := [step for step in speech.trace if step.get("action") == LEAVE_OUT]:
        kinds = [words for kind, words in LEFT_OUT.items() if any(kind in step for step in cramped)]
        without = f"{counted(len(cramped), 'prompt')} without {', '.join(kinds)}"
        actions.append(f"{without} for lack of room")
    return "".join(f", {action}" for action in actions)
