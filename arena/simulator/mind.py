"""The simulated models, their skills, and the state of one while it answers a request."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from random import Random

from arena.errors import UnknownModel
from arena.languages import Language, other_side
from arena.llm.request import Request
from arena.simulator.instances import SchemaFiller
from arena.simulator.memory import Knowledge, Topic
from arena.simulator.prompt import ParsedPrompt, PromptReference, parse_prompt
from arena.simulator.wording import TABLES, Voice
from arena.simulator.words import strip_end_mark
from motions import Answers


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
class Mind:
    """A simulated model at work on one request.

    Attributes:
        topic: what is known about the motion, whether this model remembers it or not.
        answers: the answers of a question; None where the motion is no known question.
    """

    request: Request
    situation: ParsedPrompt
    topic: Topic
    answers: Answers | None
    skill: Skill
    rng: Random
    voice: Voice

    @property
    def language(self) -> Language:
        """The language of the prompt, with the words for a debate or for a pair of answers."""
        return self.situation.language

    @property
    def labels(self) -> Mapping[str, str]:
        """Fixed words of the language that mark parts of texts."""
        labels: Mapping[str, str] = TABLES[self.language.code]["labels"]
        return labels

    def variable(self, name: str) -> str:
        """Return a text that the prompt was filled in with, on one line; "" without it."""
        return " ".join(self.request.variables.get(name, "").split())

    def choices(self, field: str) -> list[str]:
        """Return the values that the schema of the answer enumerates for a field."""
        schema = self.request.schema
        return SchemaFiller(schema.body, self.rng).allowed_values(field) if schema else []

    def has_field(self, field: str) -> bool:
        """Tell whether the schema of the answer has a field."""
        schema = self.request.schema
        return schema is not None and field in schema.body.get("properties", {})

    def succeeds(self, probability: float) -> bool:
        """Draw whether an event of the given probability happens."""
        return self.rng.random() < probability

    def format_mark(self, reference: PromptReference) -> str:
        """Return the mark of a reference without its brackets, as the prompt shows it."""
        return f"{self.language.marks[reference.side] if reference.side else ''}{reference.number}"


def create_mind(request: Request, knowledge: Knowledge) -> Mind:
    """Return the state of the request's model, whose randomness depends on seed, task and model.

    Raises:
        UnknownModel: no simulated model has the request's name.
    """
    skill, situation = skill_of(request.model), parse_prompt(request, knowledge)
    key = f"{request.seed}\0{request.task}\0{request.model}"
    rng = Random(hashlib.sha256(key.encode()).digest())
    language, side = situation.language, situation.side
    fixed = {
        "side": language.sides[side],
        "opponent": language.sides[other_side(side)],
        "motion": strip_end_mark(situation.motion).replace("\n", " "),
        "stance": TABLES[language.code]["speech"][f"stance_{side}"][0],
    }
    variant = "essay" if situation.essay else ""
    return Mind(
        request=request,
        situation=situation,
        topic=knowledge.topic(situation.motion),
        answers=knowledge.answers(situation.motion),
        skill=skill,
        rng=rng,
        voice=Voice(language, skill.fluency, rng=rng, fixed=fixed, variant=variant),
    )
