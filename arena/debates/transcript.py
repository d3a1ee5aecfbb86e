"""How speeches stand in a prompt: fenced, with their references resolved beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.languages import Language
from arena.prompts import quote
from arena.records import Reference, Speech

#: Why a speech was asked for once more, in words for its reader.
_AGAIN: Mapping[str, str] = {
    "WrongLanguage": "in another language at first, asked again",
    "BothSides": "for both sides at first, asked again",
}


def render_speech(speech: Speech, language: Language) -> str:
    """A speech for a prompt: its text in one quotation, what it cites in another.

    The list of references is not the speaker's: a list forged inside the speech stays inside
    the speech's quotation.
    """
    words = [language.sides[speech.side]]
    if speech.stage != "answer":  # the only one of its contest
        words.append(language.stages[speech.stage])
    text = quote(language.terms["speech"], speech.text, *words)
    if not speech.references:
        return text
    listed = "\n".join(render_reference(item, language) for item in speech.references)
    return f"{text}\n{quote(language.terms['references'], listed, *words)}"


def render_transcript(speeches: Sequence[Speech], language: Language) -> str:
    """The speeches of a debate so far, in the order in which they were made."""
    if not speeches:
        return language.terms["nothing_said"]
    return "\n".join(render_speech(speech, language) for speech in speeches)


def render_reference(reference: Reference, language: Language) -> str:
    """One line: number, origin and excerpt, or that it was never given to the speaker."""
    if not reference.given:
        return f"[{reference.number}] {language.terms['never_given']}"
    # On one line: an excerpt with a line break could otherwise look like another reference.
    told = f"{reference.origin} — {reference.excerpt}"
    return f"[{reference.number}] {' '.join(told.split())}"


def remarks(speech: Speech) -> str:
    """What a reader should know of a speech's making, to stand behind its length; else ""."""
    return "".join(f", {one}" for one in _remarks(speech))


def _remarks(speech: Speech) -> Iterator[str]:
    for step in speech.trace:
        match step:
            case {"agent": "protocol", "action": "again", "fault": fault}:
                yield _AGAIN.get(fault, "asked again")
            case {"agent": "protocol", "action": "shorten", "from": length}:
                yield f"shortened from {length}"
    if speech.trimmed:
        yield "cut at the limit"
