"""The simulated models: their skills, what they know, and one at work on a request."""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any

from arena.errors import UnknownModel
from arena.languages import Language, Side, other_side
from arena.llm.request import Request
from arena.records import Reference
from arena.simulator.instances import SchemaFiller
from arena.simulator.prompt import ParsedPrompt, parse_prompt
from arena.simulator.words import CUES, TABLES, content_words, overlap, strip_end_mark
from motions import Answers, BriefPoint, Motion


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """The abilities of a simulated model, each from 0 to 1.

    Attributes:
        memory: share of the arguments in its general knowledge that it remembers at all.
        recall: probability that it uses a remembered argument in one call.
        reading: probability that it notices a search result, and sees which side it supports.
        outline: probability that it follows a line of an outline.
        rebuttal: probability that it answers a point of the opponent.
        review: probability that it notices a defect of a draft.
        fluency: share of the phrases that it uses.
    """

    memory: float
    recall: float
    reading: float
    outline: float
    rebuttal: float
    review: float
    fluency: float
    noise: float


SKILLS: Mapping[str, Skill] = {
    name: Skill(**abilities)
    for name, abilities in tomllib.loads(
        (files("arena.simulator") / "skills.toml").read_text("utf-8")
    ).items()
}


def skill_of(model: str) -> Skill:
    """Return the skill of a simulated model.

    Raises:
        UnknownModel: no simulated model has that name.
    """
    if model not in SKILLS:
        raise UnknownModel(f"unknown offline model {model!r}. Known: {', '.join(SKILLS)}.")
    return SKILLS[model]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The knowledge about one motion: each side's points, or the answers where it is a question."""

    text: str
    points: Mapping[Side, tuple[BriefPoint, ...]] = field(
        default_factory=lambda: {"pro": (), "con": ()}
    )
    answers: Answers | None = None

    def supported_side(self, text: str) -> Side | None:
        """Return the side that a text supports, as a good reader would say; None if unclear."""
        words = content_words(text)
        pro, con = (
            max(
                (overlap(words, content_words(f"{one.claim} {one.evidence}")) for one in points),
                default=0.0,
            )
            for points in (self.points["pro"], self.points["con"])
        )
        lead = pro - con
        if abs(lead) <= 0.1:
            lead = len(CUES["favourable"].findall(text)) - len(CUES["unfavourable"].findall(text))
            lead = -lead if CUES["against"].search(self.text) else lead
        return ("pro" if lead > 0 else "con") if lead else None


class Knowledge:
    """All topics that the simulated models may know, by their wording."""

    def __init__(self, motions: Iterable[Motion] = ()) -> None:
        self._topics = {
            _plain(wording.text): Topic(
                text=wording.text,
                points={"pro": wording.brief.pro, "con": wording.brief.con},
                answers=wording.answers,
            )
            for motion in motions
            for wording in motion.wordings.values()
        }

    def topic(self, motion: str) -> Topic:
        """Return the topic of a motion; that of an unknown motion has no points."""
        return self._topics.get(_plain(motion)) or Topic(text=motion)

    def find_motion(self, text: str) -> str:
        """Return the first known motion that a text contains, or ""."""
        plain = _plain(text)
        return next((topic.text for key, topic in self._topics.items() if key in plain), "")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .。“”\"'")


@lru_cache(maxsize=65536)
def chance(*parts: str) -> float:
    """Return a pseudo-random number from 0 to 1 that depends on the given texts alone."""
    key = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(key, "big") / 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """A simulated model at work on one request.

    Attributes:
        topic: what is known about the motion, whether this model remembers it or not.
        used: the phrases that it has used.
    """

    request: Request
    situation: ParsedPrompt
    topic: Topic
    skill: Skill
    rng: Random
    used: set[str] = field(default_factory=set)

    @property
    def language(self) -> Language:
        """The language of the prompt, with the words for a debate or for a pair of answers."""
        return self.situation.language

    @property
    def table(self) -> Mapping[str, Any]:
        """The phrases of the language, by kind of text and by place."""
        return TABLES[self.language.code]

    @property
    def labels(self) -> Mapping[str, str]:
        """Fixed words of the language that mark parts of texts."""
        labels: Mapping[str, str] = self.table["labels"]
        return labels

    def say(self, place: str, **words: str) -> str:
        """Return a phrase for a place in a text; the more fluent the model, the fewer repetitions.

        Essays have phrases of their own for some places.
        """
        phrases, side = self.table["speech"], self.situation.side
        own = phrases.get(f"essay_{place}") if self.situation.essay else None
        known = own or phrases[place]
        usable = known[: max(1, math.ceil(self.skill.fluency * len(known)))]
        fresh = [phrase for phrase in usable if phrase not in self.used]
        varied = bool(fresh) and self.succeeds(self.skill.fluency)
        phrase: str = self.rng.choice(fresh if varied else usable)
        self.used.add(phrase)
        return phrase.format(
            side=self.language.sides[side],
            opponent=self.language.sides[other_side(side)],
            motion=strip_end_mark(self.situation.motion).replace("\n", " "),
            stance=self.labels[f"stance_{side}"],
            **words,
        )

    def variable(self, name: str) -> str:
        """Return a text that the prompt was filled in with, on one line; "" without it."""
        return " ".join(self.request.variables.get(name, "").split())

    def choices(self, name: str) -> list[str]:
        """Return the values that the schema of the answer enumerates for a field."""
        schema = self.request.schema
        return SchemaFiller(schema.body, self.rng).allowed_values(name) if schema else []

    def has_field(self, name: str) -> bool:
        """Tell whether the schema of the answer has a field."""
        schema = self.request.schema
        return schema is not None and name in schema.body.get("properties", {})

    def succeeds(self, probability: float) -> bool:
        """Draw whether an event of the given probability happens."""
        return self.rng.random() < probability

    def remembers(self, text: str) -> bool:
        """Tell whether the model remembers a point or an answer at all, the same every time."""
        return chance(self.request.model, text) < self.skill.memory

    def format_mark(self, reference: Reference) -> str:
        """Return the mark of a reference without its brackets, as the prompt shows it."""
        return f"{self.language.marks[reference.side] if reference.side else ''}{reference.number}"


def create_mind(request: Request, knowledge: Knowledge) -> Mind:
    """Return the state of the request's model, whose randomness depends on seed, task and model."""
    skill = skill_of(request.model)
    unnamed = "" if request.variables.get("motion") else knowledge.find_motion(request.text())
    situation = parse_prompt(request, unnamed)
    key = f"{request.seed}\0{request.task}\0{request.model}"
    return Mind(
        request=request,
        situation=situation,
        topic=knowledge.topic(situation.motion),
        skill=skill,
        rng=Random(hashlib.sha256(key.encode()).digest()),
    )
