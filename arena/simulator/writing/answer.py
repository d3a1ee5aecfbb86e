"""The simulated answers to questions: the right one, if remembered, or a usual mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from arena.answers import is_accepted, normalise
from arena.simulator.memory import chance
from arena.simulator.mind import Mind
from arena.simulator.phrases.cues import EVERY_POINT, MOST_POINTS, ONE_ANSWER
from arena.simulator.writing.choice import Candidate, candidates
from motions import Answers

#: How often a model that is asked for one answer takes over the one before; how often one that is
#: asked to disagree about every point gives up its answer; and how often one that is asked to
#: disagree about most of it agrees with an equal answer only in part.
_FOLLOWS, _GIVES_WAY, _HALF_AGREES = 0.9, 0.2, 0.5


def answer(mind: Mind) -> Mapping[str, Any]:
    """Answer the question, with reasoning where the schema asks for it.

    A schema with reasoning gives a remembered answer a second chance to be recalled.
    """
    known = mind.answers
    if known is None:
        return _fields(mind.labels.short, mind.labels.unknown, mind)
    remembered = chance(mind.request.model, known.accepted[0]) < mind.skill.memory
    tries = 2 if mind.has_field("reasoning") or mind.has_field("reasons") else 1
    right = remembered and any([mind.succeeds(mind.skill.recall) for _ in range(tries)])
    if _is_explained(known, mind) and mind.succeeds(mind.skill.reading):
        right = True
    if right or not known.wrong:
        return _fields(known.explanation, known.accepted[0], mind)
    return _fields(known.wrong_explanation, mind.rng.choice(known.wrong), mind)


def study(mind: Mind) -> Mapping[str, Any]:
    """Write notes on the question: the explanation of the answer, if it is recalled.

    Only the notes on keywords hold it; similar examples are none that a simulated model could
    invent.
    """
    known = mind.answers
    if known is None:
        return {"keywords": [], "topics": [mind.labels.short], "demonstrations": []}
    meaning = known.explanation if _recalls(known, mind) else known.wrong_explanation
    keywords = [{"source": mind.labels.short, "meaning": meaning}] if meaning else []
    return {"keywords": keywords, "topics": [mind.labels.short], "demonstrations": []}


def review(mind: Mind) -> Mapping[str, Any]:
    """Ask for a revision of a wrong answer, if the model recalls the right one."""
    known, drafts = mind.answers, candidates(mind)
    if known is None or not drafts or not mind.allows("marker", "revise"):
        return {"marker": "accept", "suggestions": []}
    wrong = not is_accepted(drafts[-1].text, known.accepted)
    if wrong and _recalls(known, mind) and mind.succeeds(mind.skill.review):
        return {"marker": "revise", "suggestions": [known.explanation or mind.labels.lengthen]}
    return {"marker": "accept", "suggestions": []}


def choose(mind: Mind) -> Mapping[str, Any]:
    """Choose the answer that is recalled to be right, else the most frequent one.

    The choice is settled where the answer is recalled, or where all answers are equal. Answers
    equal to the chosen one get the highest mark.
    """
    known, drafts = mind.answers, candidates(mind)
    if not drafts:
        nothing = {"supported": 0, "settled": False, "answer": "", "marks": []}
        return {"reason": mind.labels.short, **nothing}
    right = [draft for draft in drafts if known and is_accepted(draft.text, known.accepted)]
    recalled = bool(right) and known is not None and _recalls(known, mind)
    votes = Counter(normalise(draft.text) for draft in drafts)
    best = right[0] if recalled else max(drafts, key=lambda draft: votes[normalise(draft.text)])
    settled = recalled or (len(drafts) > 1 and len(votes) == 1)
    reason = known.explanation if recalled and known else mind.labels.short
    return {
        "reason": reason,
        "supported": best.number,
        "settled": settled,
        "answer": best.text if settled or not mind.has_field("settled") else "",
        "marks": [
            {"draft": draft.number, "reason": reason, "mark": _mark(draft, best, sure=recalled)}
            for draft in drafts
        ],
    }


def _mark(draft: Candidate, best: Candidate, *, sure: bool) -> int:
    same = normalise(draft.text) == normalise(best.text)
    return (9 if sure else 6) if same else (2 if sure else 5)


def _recalls(known: Answers, mind: Mind) -> bool:
    remembered = chance(mind.request.model, known.accepted[0]) < mind.skill.memory
    return remembered and mind.succeeds(mind.skill.recall)


def _is_explained(known: Answers, mind: Mind) -> bool:
    """Tell whether the prompt contains the explanation, for example in a turn of another agent."""
    return bool(known.explanation) and known.explanation in mind.request.text()


def _fields(reasons: str, text: str, mind: Mind) -> Mapping[str, Any]:
    """Return the fields of an answer, among them its stance to the answer before it."""
    text, stance = _take_stance(text, mind)
    return {"reasoning": reasons, "reasons": reasons, "answer": text, "stance": stance}


def _take_stance(text: str, mind: Mind) -> tuple[str, str]:
    """Return an answer and its stance, as far as the prompt asks for agreement or disagreement.

    Asked for one answer, a model mostly takes over the one before; asked to disagree about every
    point, it says so even of its own answer, and now and then gives a usual mistake instead.
    """
    drafts = candidates(mind)
    if not drafts:
        return text, "disagree"
    before, asked = drafts[-1].text, mind.request.text()
    if ONE_ANSWER.search(asked) and mind.succeeds(_FOLLOWS):
        text = before
    same = normalise(before) == normalise(text)
    if EVERY_POINT.search(asked):
        wrong = mind.answers.wrong if mind.answers else ()
        if same and wrong and mind.succeeds(_GIVES_WAY):
            text = mind.rng.choice(wrong)
        return text, "disagree"
    if same and MOST_POINTS.search(asked) and mind.succeeds(_HALF_AGREES):
        return text, "partly"
    return text, "agree" if same else "disagree"
