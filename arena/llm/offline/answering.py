"""The simulated answer to a question: known and recalled, or the usual mistake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.llm.offline.knowledge import chance
from arena.llm.offline.mind import Mind


def answer(mind: Mind) -> Mapping[str, Any]:
    """The answer, and the way to it where the form asks for one.

    Writing the way down first gives a remembered answer a second chance to come to mind.
    """
    known = mind.answers
    if known is None:
        return {"reasoning": mind.labels.short, "answer": mind.labels.unknown}
    remembered = chance(mind.request.model, known.accepted[0]) < mind.skill.memory
    tries = 2 if mind.asks("reasoning") else 1
    right = remembered and any([mind.succeeds(mind.skill.recall) for _ in range(tries)])
    if right or not known.wrong:
        return {"reasoning": known.explanation, "answer": known.accepted[0]}
    return {"reasoning": known.wrong_explanation, "answer": mind.rng.choice(known.wrong)}
