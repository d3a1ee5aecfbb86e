"""The simulated models and their skills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.errors import UnknownModel


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
        noise: spread of its judgements.
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
    "offline/strong": Skill(
        memory=0.9,
        recall=0.7,
        reading=0.95,
        outline=0.95,
        rebuttal=0.75,
        review=0.9,
        fluency=1.0,
        noise=0.25,
    ),
    "offline/good": Skill(
        memory=0.7,
        recall=0.6,
        reading=0.88,
        outline=0.88,
        rebuttal=0.6,
        review=0.7,
        fluency=0.8,
        noise=0.4,
    ),
    "offline/fair": Skill(
        memory=0.5,
        recall=0.5,
        reading=0.8,
        outline=0.8,
        rebuttal=0.45,
        review=0.5,
        fluency=0.6,
        noise=0.55,
    ),
    "offline/weak": Skill(
        memory=0.3,
        recall=0.4,
        reading=0.7,
        outline=0.7,
        rebuttal=0.3,
        review=0.3,
        fluency=0.4,
        noise=0.7,
    ),
}


def skill_of(model: str) -> Skill:
    """Return the skill of a simulated model.

    Raises:
        UnknownModel: no simulated model has that name.
    """
    try:
        return SKILLS[model]
    except KeyError:
        known = ", ".join(SKILLS)
        raise UnknownModel(f"unknown offline model {model!r}. Known: {known}.") from None
