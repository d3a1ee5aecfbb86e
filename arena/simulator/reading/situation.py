"""What stands in a prompt: motion, side, speeches, material, dialogue, as a model would see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from arena.languages import LANGUAGES, SIDES, STAGES, Language, Side, Stage
from arena.languages.pairs import of_pairs
from arena.llm.request import Request
from arena.prompts import Quote, quotes
from arena.simulator.memory import Knowledge

_LINE = re.compile(r"^[ \t]*\[(\d{1,6})\][ \t]+(\S.*)$", re.MULTILINE)
_KINDS = (
    "speech",
    "turn",
    "material",
    "results",
    "references",
    "analysis",
    "judgement",
    "draft",
    "defence",
    "reference",
    "translation",
    "essay",
)
_AGENTS = ("Searcher", "Analyzer", "Writer", "Reviewer", "Debater", "Member", "Critic")
_NAMES = {LANGUAGES[code].terms[kind]: kind for code in LANGUAGES for kind in _KINDS + _AGENTS}
_PAIRED = [of_pairs(one) for one in LANGUAGES.values()]
_NAMES |= {one.terms[kind]: kind for one in _PAIRED for kind in ("speech", "task")}
#: Whole words, in small letters, that name an answer of a pair.
_ANSWERS: dict[str, Side] = {"a": "pro", "b": "con"}
_ANSWERS |= {one.sides[side].lower(): side for one in _PAIRED for side in SIDES}
_SIDE_WORDS = {LANGUAGES[code].sides[side]: side for code in LANGUAGES for side in SIDES}
_STAGE_WORDS = {LANGUAGES[code].stages[stage]: stage for code in LANGUAGES for stage in STAGES}
_ADDRESSED = re.compile(
    r"(?:\b(?:you are|you speak|you argue|on behalf of|side is|side:|speaks? for|write for)\b"
    r"|你是|你代表|代表|你方|立场)[^.。\n]{0,40}?(\bPro\b|\bCon\b|正方|反方)"
)
_MOTION_LINE = re.compile(r"^\W*(?:motion|辩题)\W*[:：]\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_TOLD_LIMIT = re.compile(
    r"(?:at most|no more than|up to|limit of|不超过|最多|至多)\s*(\d{1,5})\s*(?:words|个?字)"
)
_DEFAULT_LIMIT = 400
_HEADS = re.compile(r"[a-z]+|正方|反方|立论|驳论|总结")

_Word = TypeVar("_Word", Side, Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One numbered finding; `given` is False where the prompt says that it never was."""

    number: int
    origin: str
    excerpt: str
    given: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One speech as it stands in a prompt, with the references listed beside it."""

    side: Side | None
    stage: Stage | None
    text: str
    references: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of a dialogue: the agent (an English key, or "") and its words."""

    agent: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a prompt says about the work to be done.

    Attributes:
        limit: length of a speech, in the language's units.
        heard: the speeches of the transcript, in order.
        material: the numbered findings that may be cited.
        turns: the dialogue so far.
        notes: other quoted texts: plans, analyses, judgements, by label.
    """

    language: Language
    motion: str
    info_slide: str
    side: Side
    stage: Stage
    limit: int
    heard: tuple[Heard, ...]
    material: tuple[Found, ...]
    turns: tuple[Said, ...]
    notes: tuple[Quote, ...]

    def last(self, agent: str) -> str:
        """The last words of an agent in the dialogue, or ""."""
        return next((turn.text for turn in reversed(self.turns) if turn.agent == agent), "")

    def speeches(self, side: Side) -> list[Heard]:
        """The speeches of one side, in order."""
        return [speech for speech in self.heard if speech.side == side]


def read(request: Request, knowledge: Knowledge) -> Situation:
    """What a request's prompt says. What is quoted is found by its fences, by label."""
    text = request.text()
    blocks = quotes(text)
    variables = request.variables
    language = _language(request, blocks)
    heard = speeches(blocks)
    return Situation(
        language=language,
        motion=_motion(variables, text, knowledge=knowledge),
        info_slide=_slide(variables, language),
        side=_side(variables.get("side", ""), text),
        stage=_stage(request, heard),
        limit=_limit(variables, text),
        heard=heard,
        material=_material(blocks),
        turns=tuple(_said(block) for block in blocks if kind(block) == "turn"),
        notes=tuple(block for block in blocks if kind(block) not in ("speech", "turn")),
    )


def kind(block: Quote) -> str:
    """What a quotation is: an English key, or its label where that is not a known word."""
    return _NAMES.get(block.label, block.label)


def findings(text: str) -> list[Found]:
    """The lines `[n] origin — excerpt` of a text."""
    found = []
    for number, rest in _LINE.findall(text):
        origin, dash, excerpt = rest.partition(" — ")
        given = bool(dash and excerpt.strip())
        one = Found(number=int(number), origin=origin.strip(), excerpt=excerpt.strip(), given=given)
        found.append(one)
    return found


def speeches(blocks: Iterable[Quote]) -> tuple[Heard, ...]:
    """The speeches among some quotations, each with the references that follow it."""
    found: list[Heard] = []
    for block in blocks:
        if kind(block) == "speech":
            found.append(_heard(block))
        elif kind(block) == "references" and found:
            last = found.pop()
            listed = (*last.references, *findings(block.text))
            found.append(Heard(side=last.side, stage=last.stage, text=last.text, references=listed))
    return tuple(found)


def _heard(block: Quote) -> Heard:
    answering = [word for word in map(str.lower, block.words) if word in _ANSWERS]
    if answering:
        return Heard(side=_ANSWERS[answering[0]], stage="answer", text=block.text)
    side, stage = _named(block.words, _SIDE_WORDS), _named(block.words, _STAGE_WORDS)
    return Heard(side=side, stage=stage, text=block.text)


def side_of(words: str) -> Side | None:
    """The side that some words name, or the answer of a pair in its place; or `None`."""
    return _ANSWERS.get(words.strip().lower()) or _named([words], _SIDE_WORDS)


def stage_of(words: str) -> Stage | None:
    """The stage that some words name, or `None`."""
    return _named([words], _STAGE_WORDS)


def _named(texts: Iterable[str], table: Mapping[str, _Word]) -> _Word | None:
    for text in texts:
        heads = _HEADS.findall(text.lower())
        for word, key in table.items():
            if key in heads or word.lower() in heads:
                return key
    return None


def _said(block: Quote) -> Said:
    agents = [_NAMES.get(word, "") for word in block.words]
    return Said(agent=next((one for one in agents if one), ""), text=block.text)


def _material(blocks: Iterable[Quote]) -> tuple[Found, ...]:
    found: dict[int, Found] = {}
    for block in blocks:
        searcher = kind(block) == "turn" and _said(block).agent in ("Searcher", "")
        if searcher or kind(block) in ("material", "results"):
            found.update((one.number, one) for one in findings(block.text) if one.given)
    return tuple(found[number] for number in sorted(found))


def _language(request: Request, blocks: Iterable[Quote]) -> Language:
    found = LANGUAGES.get(request.language) or LANGUAGES["en"]
    own = request.variables.get("side", "").strip().lower() in _ANSWERS
    return of_pairs(found) if own or any(kind(one) == "task" for one in blocks) else found


def _motion(variables: Mapping[str, str], text: str, *, knowledge: Knowledge) -> str:
    given = unquoted(variables.get("motion", "")) or knowledge.spot(text)
    if given:
        return given
    line = _MOTION_LINE.search(text)
    return line[1].strip()[:300] if line else ""


def _slide(variables: Mapping[str, str], language: Language) -> str:
    slide = unquoted(variables.get("info_slide", ""))
    return "" if slide == language.terms["no_slide"] else slide


def unquoted(text: str) -> str:
    """A text without the quotation marks of a prompt around it."""
    inner = quotes(text)
    return (inner[0].text if inner else text).strip()


def _side(given: str, text: str) -> Side:
    if given:
        return side_of(given) or "pro"
    addressed = _ADDRESSED.search(text)
    return (side_of(addressed[1]) if addressed else None) or "pro"


def _stage(request: Request, heard: tuple[Heard, ...]) -> Stage:
    last = request.task.rpartition(".")[2]
    found = stage_of(last) or stage_of(request.variables.get("stage", ""))
    if found:
        return found
    return STAGES[min(len(heard) // 2, 2)]


def _limit(variables: Mapping[str, str], text: str) -> int:
    digits = re.search(r"\d{1,6}", variables.get("words", ""))
    told = digits or _TOLD_LIMIT.search(text)
    return max(1, int(told[told.lastindex or 0])) if told else _DEFAULT_LIMIT
