"""What a simulated model has before it while it answers one request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random

from arena.languages import other_side
from arena.llm.request import Request
from arena.simulator.instances import Former
from arena.simulator.memory import Knowledge, Topic
from arena.simulator.phrases.labels import LABELS, Labels
from arena.simulator.reading.situation import Situation, read
from arena.simulator.reading.words import opened
from arena.simulator.skills import Skill, skill_of
from arena.simulator.writing.voice import Voice, stance
from motions import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Mind:
    """One answer in the making: the prompt as it was read, the skill, and the chance of the day."""

    request: Request
    situation: Situation
    topic: Topic
    answers: Answers | None
    skill: Skill
    rng: Random
    voice: Voice
    labels: Labels

    def may(self, field: str, value: str) -> bool:
        """Whether the form of the answer offers a value for a field."""
        schema = self.request.schema
        return schema is not None and value in Former(schema.body, self.rng).offered(field)

    def asks(self, field: str) -> bool:
        """Whether the form of the answer has a field."""
        schema = self.request.schema
        return schema is not None and field in schema.body.get("properties", {})

    def succeeds(self, probability: float) -> bool:
        """Whether something of that probability happens."""
        return self.rng.random() < probability


def mind_of(request: Request, knowledge: Knowledge) -> Mind:
    """A mind for a request; its chance depends on seed, task and model alone.

    Raises:
        UnknownModel: no simulated model has the request's name.
    """
    skill = skill_of(request.model)
    situation = read(request, knowledge)
    rng = generator(request)
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


def generator(request: Request) -> Random:
    """The random numbers of a request: independent of its path and of its text."""
    parts = f"{request.seed}\0{request.task}\0{request.model}"
    return Random(hashlib.sha256(parts.encode()).digest())


def _voice(situation: Situation, skill: Skill, *, rng: Random) -> Voice:
    sides = situation.language.sides
    fixed = {
        "side": sides[situation.side],
        "opponent": sides[other_side(situation.side)],
        "motion": opened(situation.motion).replace("\n", " "),
        "stance": stance(situation.language, situation.side),
    }
    return Voice(situation.language, skill.fluency, rng=rng, fixed=fixed)
