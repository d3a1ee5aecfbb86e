"""Correcting a text before it becomes a speech: cleaned, asked for again, shortened, reviewed.

Cleaning takes off what a model puts around a speech: headings, Markdown, remarks. Where it is not
certain that something is no part of the speech, it stays. Words of the speech, citation marks,
quotations and numbered points are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from typing import TypeAlias

from arena.debater import Draft, Seat, motion_variables
from arena.debates.code_errors import format_fault
from arena.debates.speech_checks import QUOTATION, labels_both_sides, resembles, speech_fault
from arena.debates.speech_content import is_about_task
from arena.debates.transcript import render_transcript
from arena.errors import (
    BothSides,
    ContentFault,
    NoSpeech,
    PromptTooLong,
    Refusal,
    WrongLanguage,
)
from arena.languages import ANSWER, Language, Stage
from arena.llm.answers import strip_fences
from arena.llm.scaffolding import ENDINGS, MOST_LAYERS, OPENINGS
from arena.llm.text_fields import find_text, read_broken_text, read_json
from arena.llm.thinking import strip_thinking
from arena.prompts import Prompts, Rendered, quote
from arena.records import Speech, Step
from arena.text import as_sentence

_Remove: TypeAlias = Callable[[str], str]

#: A turn that a model adds after its speech counts as one only after so many words.
_LEAST_WORDS = 20

_TOKEN = re.compile(
    r"<\|[^\s|<>]{1,40}\|>|<｜[^｜<>]{1,40}｜>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>"
    r"|<eos>|<bos>",
)
#: A role's name after the token that begins its turn.
_ROLE = re.compile(
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>)[ \t]*(?P<name>[a-z]+)"
    r"(?:<\|end_header_id\|>)?\s*"
)
_OWN_ROLES = ("assistant", "model")
_OWN_LABEL = re.compile(
    r"\A(?:assistant|助手)[ \t]*[:：][ \t]*|\Aassistant[ \t]*\n\s*", re.IGNORECASE
)
_NEXT_TURN = re.compile(
    r"(?<!\s)[^\S\n]*+\n\s*+"
    r"(?:#{1,6}[ ])?\*{0,2}(?:user|human|instruction|用户)\*{0,2}[ \t]*[:：]",
    re.IGNORECASE,
)
_TAG_NAMES = r"(?:speech|answer|text|output|response|draft|essay|发言|稿件|正文)"
_OPENING_TAG = re.compile(
    rf"\A<{_TAG_NAMES}(?:[ ][0-9a-f]{{10}})?(?:[ ]\|[^>\n]*)?>\s*", re.IGNORECASE
)
_CLOSING_TAG = re.compile(rf"(?<!\s)\s*+</(?:{_TAG_NAMES}|[0-9a-f]{{10}})>\Z", re.IGNORECASE)
_RULE = re.compile(
    r"^[ \t]*(?:[-_=—─]{3,}|\*{3,}|(?:[-*_][ \t]+){2,}[-*_])[ \t]*$\n?", re.MULTILINE
)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(?=\S)(.*)$", re.MULTILINE)
_EMPHASIS = re.compile(
    rf"(?P<quoted>{QUOTATION.pattern})"
    r"|(?P<mark>\*{2,3})(?=[^\s*])(?P<strong>[^*\n]+?)(?<=\S)(?P=mark)"
    r"|(?<![A-Za-z0-9*])\*(?=[^\s*])(?P<italic>[^*\n]+?)(?<=\S)\*(?![A-Za-z0-9*])"
    r"|(?<!\w)(?P<line>_{1,3})(?=[^\s_])(?P<lined>[^_\n]+?)(?<=\S)(?P=line)(?!\w)",
    re.DOTALL,
)
_BULLET = re.compile(r"[-*•][ \t]+(?=\S)")
_NUMBER = re.compile(r"1[.)、][ \t]*(?=[^\d\s])")
_LATER_NUMBER = re.compile(r"(?<!\d)2[.)、]")
#: Kinds of scaffolding that have words of their own.
_WORDS_AROUND = frozenset({"preamble", "heading", "count", "remark", "template"})
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "«": "»", "`": "`"}


@dataclass(frozen=True, slots=True)
class CleanedText:
    """A text without scaffolding.

    Attributes:
        removed: the kinds of scaffolding that were removed, in order; empty where nothing was.
        taken: the words that stood before or after the text, in the order of their removal.
    """

    text: str
    removed: tuple[str, ...]
    taken: tuple[str, ...] = ()


def clean_speech(text: str, language: Language) -> CleanedText:
    r"""Remove what a model puts around a speech, and the Markdown in it.

    A text that has words keeps some, and a cleaned text is left as it is, unless it had more than
    twenty layers.

    >>> from arena.languages import ENGLISH
    >>> clean = clean_speech("Here is the speech:\n\n**Work** pays [1].\n\n(3 words)", ENGLISH)
    >>> clean.text, clean.removed
    ('Work pays [1].', ('preamble', 'count', 'emphasis'))
    >>> clean.taken
    ('Here is the speech:', '(3 words)')
    """
    text = text.strip()
    kinds: list[str] = []
    taken: list[str] = []
    for _ in range(MOST_LAYERS):
        changed = False
        for kind, remove in _removers(language):
            shorter = remove(text).strip()
            if len(shorter) < len(text) and _has_words(shorter):
                if kind in _WORDS_AROUND:
                    taken += _around(text, shorter)
                text, changed = shorter, True
                kinds.append(kind)
        if not changed:
            break
    return CleanedText(text, tuple(dict.fromkeys(kinds)), tuple(taken))


def _around(text: str, part: str) -> list[str]:
    """Return the words before and after a part of a text."""
    before, _, after = text.partition(part)
    return [words for words in (before.strip(), after.strip()) if _has_words(words)]


def _removers(language: Language) -> Sequence[tuple[str, _Remove]]:
    return (
        ("object", _unwrap_object),
        ("thinking", lambda text: strip_thinking(text)[0]),
        ("template", partial(_remove_template, language=language)),
        ("tags", lambda text: _CLOSING_TAG.sub("", _OPENING_TAG.sub("", text))),
        ("fence", strip_fences),
        *((kind, partial(_remove_opening, pattern=pattern)) for kind, pattern in OPENINGS),
        *((kind, partial(_remove_ending, kind=kind, pattern=pattern)) for kind, pattern in ENDINGS),
        ("quotes", _unquote),
        ("list", _remove_list),
        ("rule", _remove_rules),
        ("emphasis", lambda text: _EMPHASIS.sub(_without_marks, text)),
        ("heading marks", lambda text: _HEADING.sub(_heading_text, text)),
    )


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _unwrap_object(text: str) -> str:
    """Return the speech in a JSON object or list, or in the start of one that was cut off."""
    value = read_json(text)
    if value is not None:
        return find_text(value) or text
    return (read_broken_text(text) if text.startswith(("{", "[{")) else "") or text


def _remove_template(text: str, *, language: Language) -> str:
    """Remove tokens and labels of a chat template, and a turn of another role after the speech."""
    for role in _ROLE.finditer(text):
        if role["name"] not in _OWN_ROLES and _is_speech(text[: role.start()], language):
            text = text[: role.start()]
            break
    text = _TOKEN.sub("", _ROLE.sub("", text)).strip()
    text = _OWN_LABEL.sub("", text)
    turn = _NEXT_TURN.search(text)
    if turn is None or not _is_speech(text[: turn.start()], language):
        return text
    # A dialogue that a speech quotes goes on in its own words.
    said = text[turn.end() :].strip().partition("\n")[0]
    return text[: turn.start()] if is_about_task(said) else text


def _is_speech(text: str, language: Language) -> bool:
    return language.count(text) >= _LEAST_WORDS * language.per_word


def _remove_opening(text: str, *, pattern: re.Pattern[str]) -> str:
    opening = pattern.match(text)
    # The names of both sides before their speeches show that the text speaks for both.
    if opening is None or labels_both_sides(text):
        return text
    return text[opening.end() :]


def _remove_ending(text: str, *, kind: str, pattern: re.Pattern[str]) -> str:
    """Remove a count, or a remark on the text: not the last words of its argument."""
    ending = pattern.search(text)
    if ending is None or (kind == "remark" and not is_about_task(ending[0])):
        return text
    return text[: ending.start()]


def _unquote(text: str) -> str:
    """Remove quotation marks around the whole text, if they belong together."""
    closing = _QUOTES.get(text[:1])
    inside = text[1:-1]
    if closing is None or not text.endswith(closing) or len(text) < 3:
        return text
    return text if closing in inside or text[0] in inside else inside


def _remove_list(text: str) -> str:
    """Remove the marks of a list whose only item is the speech, or whose items are its lines."""
    lines = [line for line in text.split("\n") if line.strip()]
    if all(line.startswith(">") for line in lines):
        return re.sub(r"^>[ \t]?", "", text, flags=re.MULTILINE)
    bullets = [line for line in lines if _BULLET.match(line)]
    if bullets == lines[:1] or len(bullets) == len(lines):
        return re.sub(rf"^{_BULLET.pattern}", "", text, flags=re.MULTILINE)
    if len(lines) == 1 and _NUMBER.match(text) and not _LATER_NUMBER.search(text):
        return _NUMBER.sub("", text, count=1)
    return text


def _remove_rules(text: str) -> str:
    without = _RULE.sub("", text)
    return text if without == text else re.sub(r"\n{3,}", "\n\n", without)


def _heading_text(heading: re.Match[str]) -> str:
    return heading[1].rstrip("#").rstrip(" \t")


def _without_marks(emphasis: re.Match[str]) -> str:
    return emphasis["quoted"] or emphasis["strong"] or emphasis["italic"] or emphasis["lined"]


#: Reviews a speech that was shortened.
Review: TypeAlias = Callable[[str], Awaitable[Draft]]

_PROMPTS = Prompts(files("arena.debaters") / "prompts" / "protocol")
#: The flag of the prompt `again` for each fault.
_FLAGS: Mapping[type[ContentFault], str] = {
    Refusal: "refusal",
    NoSpeech: "no_speech",
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
            Refusal, NoSpeech, WrongLanguage, BothSides: the corrected text has a fault too.
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
            taken = {"taken": list(cleaned.taken)} if cleaned.taken else {}
            self._add_step("clean", removed=list(cleaned.removed), **taken)
        return cleaned.text

    def _find_fault(self, text: str) -> ContentFault | None:
        if self.stage == ANSWER:
            return None
        seat = self.seat
        # A side's own speeches show nothing: a recipe would stand on the recipe before it.
        heard = "\n".join(each.text for each in self.disclosed if each.side != seat.side)
        about = {"motion": seat.motion, "heard": heard}
        return speech_fault(text, seat.side, seat.language, words=seat.words, **about)

    def _add_step(self, action: str, **details: object) -> None:
        self.steps.append({"agent": "protocol", "action": action, **details})

    async def _ask_again(self, text: str, fault: ContentFault) -> str:
        """Tell the model what is wrong with its speech and return the corrected one.

        Where it is only doubtful whether a text is a speech, that is played, and marked.
        """
        prompt = self._render_again(text, _FLAGS[type(fault)])
        try:
            answer = await self.seat.model.write(prompt, path=f"{self.stage}/again")
        except ContentFault as second:
            if _is_doubtful(fault):
                return self._play_in_doubt(text, fault)
            if isinstance(second, PromptTooLong):
                raise
            raise type(fault)(
                f"{as_sentence(str(fault))} The model was asked to correct it: "
                f"{format_fault(second)}"
            ) from None
        answer = self._clean(answer)
        remaining = self._find_fault(answer)
        if remaining is None:
            return answer
        if _is_doubtful(remaining):
            return self._play_in_doubt(answer, remaining)
        if _is_doubtful(fault):
            return self._play_in_doubt(text, fault)
        raise type(remaining)(
            f"{as_sentence(str(remaining))} The model was asked once to correct its speech, "
            f"because {format_fault(fault)}"
        )

    def _play_in_doubt(self, text: str, fault: ContentFault) -> str:
        """Mark a text that may be no speech, and leave it to the judges."""
        self._add_step("doubt", reason=getattr(fault, "reason", ""))
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
        is_shorter = language.count(shorter) < language.count(text)
        if not is_shorter or self._find_fault(shorter) or not resembles(shorter, text):
            self._add_step("keep")
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


def _is_doubtful(fault: ContentFault) -> bool:
    return isinstance(fault, NoSpeech) and fault.doubtful
