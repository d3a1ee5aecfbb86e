"""Correcting a text before it becomes a speech: cleaned, asked for again, shortened, reviewed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TypeAlias

from arena.debater import Draft, Seat, motion_variables
from arena.debates.speech_checks import speech_fault
from arena.debates.speech_text import clean_speech
from arena.debates.transcript import render_transcript
from arena.errors import BothSides, ContentFault, PromptTooLong, Refusal, WrongLanguage
from arena.languages import ANSWER, Stage
from arena.prompts import Prompts, Rendered, quote
from arena.records import Speech, Step
from arena.text import as_sentence

#: Reviews a speech that was shortened.
Review: TypeAlias = Callable[[str], Awaitable[Draft]]

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "protocol")
#: The flag of the prompt `again` for each fault.
_FLAGS: Mapping[type[ContentFault], str] = {
    Refusal: "refusal",
    WrongLanguage: "wrong_language",
    BothSides: "both_sides",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The correction of one text.

    The answer to a question is neither cleaned nor checked: it may be a number, or a translation
    into any language.

    Attributes:
        disclosed: the earlier speeches that the speaker has seen.
        review: reviews a speech that was shortened; None where nobody does.
        steps: what was done, added to the trace of the speech.
    """

    seat: Seat
    stage: Stage
    disclosed: Sequence[Speech] = ()
    review: Review | None = None
    steps: list[Step] = field(default_factory=list)

    async def correct(self, text: str) -> str:
        """Clean a text, let the model correct a faulty one and shorten a long one.

        Raises:
            Refusal, WrongLanguage, BothSides: the corrected text has a fault too.
            PromptTooLong: it cannot be asked for again.
        """
        text = self._clean(text)
        fault = self._find_fault(text)
        if fault is not None:
            self._add_step("again", fault=type(fault).__name__)
            text = await self._ask_again(text, fault)
        length = self.seat.language.count(text)
        if length <= self.seat.words:
            return text
        self._add_step("shorten", **{"from": length})
        return await self._shorten(text)

    def _clean(self, text: str) -> str:
        if self.stage == ANSWER:
            return text.strip()
        cleaned = clean_speech(text, self.seat.language)
        if cleaned.removed:
            self._add_step("clean", removed=list(cleaned.removed))
        return cleaned.text

    def _find_fault(self, text: str) -> ContentFault | None:
        if self.stage == ANSWER:
            return None
        return speech_fault(text, self.seat.side, self.seat.language)

    def _add_step(self, action: str, **details: object) -> None:
        self.steps.append({"agent": "protocol", "action": action, **details})

    async def _ask_again(self, text: str, fault: ContentFault) -> str:
        """Tell the model what is wrong with its speech and return the corrected one."""
        prompt = self._render_again(text, _FLAGS[type(fault)])
        try:
            text = await self.seat.model.write(prompt, path=f"{self.stage}/again")
        except PromptTooLong:
            raise
        except ContentFault as second:
            raise type(fault)(
                f"{as_sentence(str(fault))} The model was asked to correct it: "
                f"{_format_fault(second)}"
            ) from None
        text = self._clean(text)
        remaining = self._find_fault(text)
        if remaining is not None:
            raise type(remaining)(
                f"{as_sentence(str(remaining))} The model was asked once to correct its speech, "
                f"because {_format_fault(fault)}"
            )
        return text

    def _render_again(self, text: str, flag: str) -> Rendered:
        seat = self.seat
        is_essay = seat.contest == "essay"
        variables = {
            "draft": quote(seat.language.terms["draft"], text),
            "words": str(seat.words),
            "mark": seat.language.marks[seat.side],
        }
        if is_essay:  # which knows no sides, no stages and no earlier speeches
            variables |= {"motion": seat.motion, "info_slide": seat.info_slide}
        else:
            variables |= motion_variables(seat)
            variables["stage"] = seat.language.stages[self.stage]
            variables["transcript"] = render_transcript(self.disclosed, seat.language)
        name = "again_essay" if is_essay else "again"
        return _PROMPTS.render(name, seat.language.code, variables, flags=frozenset({flag}))

    async def _shorten(self, text: str) -> str:
        """Return the text as its model shortens it, or unchanged where its answer is unusable."""
        language = self.seat.language
        is_speech = self.seat.contest == "debate"
        variables = {
            "speech": quote(language.terms["speech" if is_speech else "draft"], text),
            "words": str(self.seat.words),
            "count": str(language.count(text)),
            "mark": language.marks[self.seat.side],
        }
        name = "shorten" if is_speech else "shorten_text"
        prompt = _PROMPTS.render(name, language.code, variables)
        try:
            shorter = await self.seat.model.write(prompt, path=f"{self.stage}/shorten")
        except ContentFault:
            return text
        shorter = self._clean(shorter)
        if self._find_fault(shorter):
            return text
        return await self._review(shorter)

    async def _review(self, text: str) -> str:
        """Return a shortened text as its debater reviews it, or unchanged where that fails."""
        if self.review is None:
            return text
        try:
            draft = await self.review(text)
        except ContentFault as fault:
            self._add_step("review", fault=type(fault).__name__)
            return text
        self.steps.extend(draft.trace)
        if draft.text == text or not draft.text.strip():
            return text
        reviewed = self._clean(draft.text)
        return text if self._find_fault(reviewed) else reviewed


def _format_fault(fault: ContentFault) -> str:
    return f"{type(fault).__name__}: {fault}"
