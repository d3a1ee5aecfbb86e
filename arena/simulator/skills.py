"""The simulated models and what each of them is able to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.errors import UnknownModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What a simulated model is able to do; every figure lies between 0 and 1.

    Attributes:
        memory: share of the arguments in its general knowledge that it remembers at all.
        recall: chance that a remembered argument comes to mind in one call.
        reading: chance to notice a finding, and to see which side it supports.
        outline: chance to take up a line of an outline.
        rebuttal: chance to answer a point of the opponent.
        review: chance to notice a defect of a draft.
        fluency: share of the wordings it commands.
        noise: how far its judgements scatter.
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
    """The skill of a simulated model.

    Raises:
        UnknownModel: no simulated model has that name.
    """
    try:
        return SKILLS[model]
    except KeyError:
        known = ", ".join(SKILLS)
        raise UnknownModel(f"unknown offline model {model!r}. Known: {known}.") from None
