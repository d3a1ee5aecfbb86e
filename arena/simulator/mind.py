"""The state of a simulated model while it answers one request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random

from arena.languages import other_side
from arena.llm.request import Request
from arena.simulator.instances import SchemaFiller
from arena.simulator.memory import Knowledge, Topic
from arena.simulator.phrases.labels import LABELS, Labels
from arena.simulator.reading.situation import PromptReference, Situation, parse_prompt
from arena.simulator.skills import Skill, skill_of
from arena.simulator.voice import Voice, stance
from arena.simulator.words import strip_end_mark
from motions import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """A simulated model at work on one request.

    Attributes:
        situation: the prompt, parsed.
        topic: what is known about the motion, whether this model remembers it or not.
        answers: the answers of a question; None where the motion is no known question.
        skill: skill of the model.
        rng: random numbers of the request.
        voice: phrases that the model uses.
        labels: fixed words of the language that mark parts of texts.
    """

    request: Request
    situation: Situation
    topic: Topic
    answers: Answers | None
    skill: Skill
    rng: Random
    voice: Voice
    labels: Labels

    def allows(self, field: str, value: str) -> bool:
        """Tell whether the schema of the answer enumerates a value for a field."""
        schema = self.request.schema
        return schema is not None and value in SchemaFiller(schema.body, self.rng).allowed_values(
            field
        )

    def format_mark(self, reference: PromptReference) -> str:
        """Return the mark of a reference without its brackets, as the prompt shows it."""
        marks = self.situation.language.marks
        return f"{marks[reference.side] if reference.side else ''}{reference.number}"

    def has_field(self, field: str) -> bool:
        """Tell whether the schema of the answer has a field."""
        schema = self.request.schema
        return schema is not None and field in schema.body.get("properties", {})

    def succeeds(self, probability: float) -> bool:
        """Draw whether an event of the given probability happens."""
        return self.rng.random() < probability


def create_mind(request: Request, knowledge: Knowledge) -> Mind:
    """Return the state of the request's model for the request.

    Raises:
        UnknownModel: no simulated model has the request's name.
    """
    skill = skill_of(request.model)
    situation = parse_prompt(request, knowledge)
    rng = request_rng(request)
    return Mind(
        request=request,
        situation=situation,
        topic=knowledge.topic(situation.motion),
        answers=knowledge.answers(situation.motion),
        skill=skill,
        rng=rng,
        voice=_voice(situation, skill, rng=rng),
        labels=LABELS[situation.language.code],
    )


def request_rng(request: Request) -> Random:
    """Return the random numbers of a request, which depend on seed, task and model alone."""
    parts = f"{request.seed}\0{request.task}\0{request.model}"
    return Random(hashlib.sha256(parts.encode()).digest())


def _voice(situation: Situation, skill: Skill, *, rng: Random) -> Voice:
    sides = situation.language.sides
    fixed = {
        "side": sides[situation.side],
        "opponent": sides[other_side(situation.side)],
        "motion": strip_end_mark(situation.motion).replace("\n", " "),
        "stance": stance(situation.language, situation.side),
    }
    variant = "essay" if situation.essay else ""
    return Voice(situation.language, skill.fluency, rng=rng, fixed=fixed, variant=variant)
