"""Prompts parsed into motion, side, stage, speeches, material and dialogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from arena.languages import LANGUAGES, SIDES, STAGES, Language, Side, Stage
from arena.languages.language import pair_language
from arena.llm.request import Request
from arena.prompts import Quote, find_quotes
from arena.records import Reference
from arena.simulator.words import cited_marks

#: A reference, one line: its mark, its origin and its excerpt.
_REFERENCE = re.compile(r"^[ \t]*(\[[^\[\]\n]{1,12}\])[ \t]+(\S.*)$", re.MULTILINE)
#: Labels of quotations, then names of agents, that prompts use in any language.
_TERMS = (
    "speech turn material results references analysis judgement draft defence reference "
    "translation essay candidates persona "
    "Searcher Analyzer Writer Reviewer Debater Member Critic"
).split()
_PAIR_LANGUAGES = [pair_language(language) for language in LANGUAGES.values()]
#: Their English names.
_NAMES = {language.terms[name]: name for language in LANGUAGES.values() for name in _TERMS}
_NAMES |= {pair.terms[name]: name for pair in _PAIR_LANGUAGES for name in ("speech", "task")}
#: Lower-case names of the answers of a pair, by which side of a debate they stand for.
_ANSWERS: dict[str, Side] = {"a": "pro", "b": "con"}
_ANSWERS |= {pair.sides[side].lower(): side for pair in _PAIR_LANGUAGES for side in SIDES}
_SIDE_WORDS = {LANGUAGES[code].sides[side]: side for code in LANGUAGES for side in SIDES}
_STAGE_WORDS = {LANGUAGES[code].stages[stage]: stage for code in LANGUAGES for stage in STAGES}
_ADDRESSED = re.compile(
    r"(?:\b(?:you are|you speak|you argue|on behalf of|side is|side:|speaks? for|write for)\b"
    r"|你是|你代表|代表|你方|立场)[^.。\n]{0,40}?(\bPro\b|\bCon\b|正方|反方)"
)
_MOTION_LINE = re.compile(
    r"^[^\w\n]*(?:motion|辩题)[^\w\n:：]*[:：]\s*(.+)$", re.IGNORECASE | re.MULTILINE
)
_LIMIT = re.compile(
    r"(?:at most|no more than|up to|limit of|不超过|最多|至多)\s*(\d{1,5})\s*(?:words|个?字)"
)
_DEFAULT_LIMIT = 400
_NAME_WORD = re.compile(r"[a-z]+|正方|反方|立论|驳论|总结")

_Word = TypeVar("_Word", Side, Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpeech:
    """A speech quoted in a prompt, with the references that are listed after it."""

    side: Side | None
    stage: Stage | None
    text: str
    references: tuple[Reference, ...] = ()


class DialogueTurn(NamedTuple):
    """One turn of a dialogue: the agent (its English name, or "") and its text."""

    agent: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPrompt:
    """A parsed prompt.

    Attributes:
        limit: length of the speech to be written, in words (characters in Chinese).
        material: the references that may be cited, by number.
        quotes: all quotations.
        essay: whether an essay is to be written, not a speech of a debate.
    """

    language: Language
    motion: str
    side: Side
    stage: Stage
    limit: int
    speeches: tuple[PromptSpeech, ...]
    material: tuple[Reference, ...]
    turns: tuple[DialogueTurn, ...]
    quotes: tuple[Quote, ...]
    essay: bool

    def quoted(self, kind: str) -> list[Quote]:
        """Return the quotations with a label, which is given in English."""
        return [block for block in self.quotes if _kind(block) == kind]

    def last_turn(self, agent: str) -> str:
        """Return the last turn of an agent in the dialogue, or ""."""
        return next((turn.text for turn in reversed(self.turns) if turn.agent == agent), "")

    def speeches_of(self, side: Side) -> list[PromptSpeech]:
        """Return the speeches of one side, in order."""
        return [speech for speech in self.speeches if speech.side == side]


def parse_prompt(request: Request, known_motion: str) -> ParsedPrompt:
    """Parse the prompt of a request; quotations are recognised by their fences and labels.

    Args:
        known_motion: a motion in the text that the models know, or "".
    """
    text, variables = request.text(), request.variables
    blocks = find_quotes(text)
    language = LANGUAGES.get(request.language) or LANGUAGES["en"]
    own_answer = variables.get("side", "").strip().lower() in _ANSWERS
    if own_answer or any(_kind(block) == "task" for block in blocks):
        language = pair_language(language)
    speeches = parse_speeches(blocks)
    line, addressed = _MOTION_LINE.search(text), _ADDRESSED.search(text)
    motion = strip_quotation(variables.get("motion", "")) or known_motion
    side = variables.get("side") or (addressed[1] if addressed else "")
    stages = (request.task.rpartition(".")[2], variables.get("stage", ""))
    limit = re.search(r"(\d{1,6})", variables.get("words", "")) or _LIMIT.search(text)
    return ParsedPrompt(
        language=language,
        motion=motion or (line[1].strip()[:300] if line else ""),
        side=side_of(side) or "pro",
        stage=_find_name(stages, _STAGE_WORDS) or STAGES[min(len(speeches) // 2, 2)],
        limit=max(1, int(limit[1])) if limit else _DEFAULT_LIMIT,
        speeches=speeches,
        material=_material(blocks),
        turns=tuple(_parse_turn(block) for block in blocks if _kind(block) == "turn"),
        quotes=tuple(blocks),
        essay=_is_essay(request, language),
    )


def _is_essay(request: Request, language: Language) -> bool:
    """Tell whether the instructions ask for an essay; the motion's words do not count."""
    system = "\n".join(message.text for message in request.messages if message.role == "system")
    for name in ("motion", "info_slide", "material"):
        system = system.replace(request.variables.get(name) or "\0", "")
    return request.variables.get("words") is not None and language.terms["essay"] in system


def _kind(block: Quote) -> str:
    """Return the English name of a quotation's label, or the label where it is not known."""
    return _NAMES.get(block.label, block.label)


def parse_references(text: str) -> list[Reference]:
    """Parse the lines `[P3] origin — excerpt` or `[3] origin — excerpt` of a text.

    Those without an excerpt were never given to the speaker by a search.
    """
    references = []
    for mark, rest in _REFERENCE.findall(text):
        origin, _, excerpt = (part.strip() for part in rest.partition(" — "))
        for side, number in cited_marks(mark)[:1]:
            given = bool(excerpt)
            references.append(
                Reference(number=number, origin=origin, excerpt=excerpt, given=given, side=side)
            )
    return references


def find_cited(text: str, references: Iterable[Reference]) -> list[Reference]:
    """Return the references that a text cites, in the order of the text."""
    by_mark = {(item.side, item.number): item for item in references}
    return [by_mark[mark] for mark in cited_marks(text) if mark in by_mark]


def parse_speeches(blocks: Iterable[Quote]) -> tuple[PromptSpeech, ...]:
    """Return the speeches among the quotations, each with the references that follow it."""
    parsed: list[PromptSpeech] = []
    for block in blocks:
        if _kind(block) == "speech":
            answers = [_ANSWERS[word] for word in map(str.lower, block.words) if word in _ANSWERS]
            side = answers[0] if answers else _find_name(block.words, _SIDE_WORDS)
            stage = "answer" if answers else _find_name(block.words, _STAGE_WORDS)
            parsed.append(PromptSpeech(side=side, stage=stage, text=block.text))
        elif _kind(block) == "references" and parsed:
            listed = (*parsed[-1].references, *parse_references(block.text))
            parsed[-1] = replace(parsed[-1], references=listed)
    return tuple(parsed)


def side_of(words: str) -> Side | None:
    """Return the side that a text names, by itself or as the answer of a pair; or None."""
    return _ANSWERS.get(words.strip().lower()) or _find_name([words], _SIDE_WORDS)


def stage_of(words: str) -> Stage | None:
    """Return the stage that a text names, or None."""
    return _find_name([words], _STAGE_WORDS)


def _find_name(texts: Iterable[str], table: Mapping[str, _Word]) -> _Word | None:
    for text in texts:
        names = _NAME_WORD.findall(text.lower())
        for word, key in table.items():
            if key in names or word.lower() in names:
                return key
    return None


def _parse_turn(block: Quote) -> DialogueTurn:
    agents = (_NAMES.get(word, "") for word in block.words)
    return DialogueTurn(next(filter(None, agents), ""), block.text)


def _material(blocks: Sequence[Quote]) -> tuple[Reference, ...]:
    references: dict[int, Reference] = {}
    for block in blocks:
        searcher = _kind(block) == "turn" and _parse_turn(block).agent in ("Searcher", "")
        if searcher or _kind(block) in ("material", "results"):
            listed = parse_references(block.text)
            references.update((item.number, item) for item in listed if item.given)
    return tuple(references[number] for number in sorted(references))


def strip_quotation(text: str) -> str:
    """Return the text inside a quotation of a prompt, or the text where it is none."""
    inner = find_quotes(text)
    return (inner[0].text if inner else text).strip()
