"""The simulated answer to a question: known and recalled, or the usual mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from arena.answers import accepted, normal
from arena.simulator.judging.choice import Candidate, candidates
from arena.simulator.memory import chance
from arena.simulator.mind import Mind
from motions import Answers


def answer(mind: Mind) -> Mapping[str, Any]:
    """The answer, and the way to it where the form asks for one.

    Writing the way down first gives a remembered answer a second chance to come to mind.
    """
    known = mind.answers
    if known is None:
        return _fields(mind.labels.short, mind.labels.unknown, mind)
    remembered = chance(mind.request.model, known.accepted[0]) < mind.skill.memory
    tries = 2 if mind.asks("reasoning") or mind.asks("reasons") else 1
    right = remembered and any([mind.succeeds(mind.skill.recall) for _ in range(tries)])
    if _told(known, mind) and mind.succeeds(mind.skill.reading):
        right = True  # somebody else explained it
    if right or not known.wrong:
        return _fields(known.explanation, known.accepted[0], mind)
    return _fields(known.wrong_explanation, mind.rng.choice(known.wrong), mind)


def review(mind: Mind) -> Mapping[str, Any]:
    """A mistake in the last answer is noticed by a model that recalls what is right."""
    known, drafts = mind.answers, candidates(mind)
    if known is None or not drafts or not mind.may("marker", "revise"):
        return {"marker": "accept", "suggestions": []}
    wrong = not accepted(drafts[-1].text, known.accepted)
    if wrong and _recalls(known, mind) and mind.succeeds(mind.skill.review):
        return {"marker": "revise", "suggestions": [known.explanation or mind.labels.lengthen]}
    return {"marker": "accept", "suggestions": []}


def choose(mind: Mind) -> Mapping[str, Any]:
    """The answer that is recalled to be right; else the one that most gave, settled if all did.

    Marks say the same: the answers that are the chosen one's have the highest.
    """
    known, drafts = mind.answers, candidates(mind)
    if not drafts:
        nothing = {"supported": 0, "settled": False, "answer": "", "marks": []}
        return {"reason": mind.labels.short, **nothing}
    right = [one for one in drafts if known and accepted(one.text, known.accepted)]
    recalled = bool(right) and known is not None and _recalls(known, mind)
    votes = Counter(normal(one.text) for one in drafts)
    chosen = right[0] if recalled else max(drafts, key=lambda one: votes[normal(one.text)])
    settled = recalled or (len(drafts) > 1 and len(votes) == 1)
    reason = known.explanation if recalled and known else mind.labels.short
    return {
        "reason": reason,
        "supported": chosen.number,
        "settled": settled,
        "answer": chosen.text if settled or not mind.asks("settled") else "",
        "marks": [
            {"draft": one.number, "reason": reason, "mark": _mark(one, chosen, sure=recalled)}
            for one in drafts
        ],
    }


def _mark(one: Candidate, chosen: Candidate, *, sure: bool) -> int:
    same = normal(one.text) == normal(chosen.text)
    return (9 if sure else 6) if same else (2 if sure else 5)


def _recalls(known: Answers, mind: Mind) -> bool:
    remembered = chance(mind.request.model, known.accepted[0]) < mind.skill.memory
    return remembered and mind.succeeds(mind.skill.recall)


def _told(known: Answers, mind: Mind) -> bool:
    """Whether the prompt itself holds the explanation, in a turn of somebody's."""
    return bool(known.explanation) and known.explanation in mind.request.text()


def _fields(reasons: str, text: str, mind: Mind) -> Mapping[str, Any]:
    """An answer in the form that is asked for, with its stance to the one before it."""
    drafts = candidates(mind)
    same = bool(drafts) and normal(drafts[-1].text) == normal(text)
    stance = "agree" if same else "disagree"
    return {"reasoning": reasons, "reasons": reasons, "answer": text, "stance": stance}
