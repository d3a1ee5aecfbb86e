"""The simulated answers to questions, and the choice among drafts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.answers import chrf, is_accepted, normalise
from arena.simulator.measures import measure_reasoning, measure_style, overlook
from arena.simulator.memory import chance
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptSpeech
from arena.simulator.speeches import opposing_points
from arena.simulator.wording import CUES
from arena.simulator.words import content_words, overlap
from motions import Answers

#: How often a model that is asked for one answer takes over the one before; how often one that is
#: asked to disagree about every point gives up its answer; and how often one that is asked to
#: disagree about most of it agrees with an equal answer only in part.
_FOLLOWS, _GIVES_WAY, _HALF_AGREES = 0.9, 0.2, 0.5

_DIGITS = re.compile(r"\d{1,4}")
#: Lead of the best draft over the mean of the others, in strength, that settles the choice.
_CLEAR_LEAD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A quoted draft; its number is the one in the head of the quotation, else its place."""

    number: int
    text: str


def answer(mind: Mind) -> Mapping[str, Any]:
    """Answer the question, with reasoning where the schema asks for it.

    A schema with reasoning gives a remembered answer a second chance to be recalled.
    """
    known = mind.answers
    if known is None:
        return _fields(mind.labels["short"], mind.labels["unknown"], mind)
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
        return {"keywords": [], "topics": [mind.labels["short"]], "demonstrations": []}
    meaning = known.explanation if _recalls(known, mind) else known.wrong_explanation
    keywords = [{"source": mind.labels["short"], "meaning": meaning}] if meaning else []
    return {"keywords": keywords, "topics": [mind.labels["short"]], "demonstrations": []}


def review(mind: Mind) -> Mapping[str, Any]:
    """Ask for a revision of a wrong answer, if the model recalls the right one."""
    known, drafts = mind.answers, candidates(mind)
    if known is None or not drafts or "revise" not in mind.choices("marker"):
        return {"marker": "accept", "suggestions": []}
    wrong = not is_accepted(drafts[-1].text, known.accepted)
    if wrong and _recalls(known, mind) and mind.succeeds(mind.skill.review):
        return {"marker": "revise", "suggestions": [known.explanation or mind.labels["lengthen"]]}
    return {"marker": "accept", "suggestions": []}


def choose_answer(mind: Mind) -> Mapping[str, Any]:
    """Choose the answer that is recalled to be right, else the most frequent one.

    The choice is settled where the answer is recalled, or where all answers are equal. Answers
    equal to the chosen one get the highest mark.
    """
    known, drafts = mind.answers, candidates(mind)
    if not drafts:
        return {"reason": mind.labels["short"]}
    right = [draft for draft in drafts if known and is_accepted(draft.text, known.accepted)]
    recalled = bool(right) and known is not None and _recalls(known, mind)
    votes = Counter(normalise(draft.text) for draft in drafts)
    best = right[0] if recalled else max(drafts, key=lambda draft: votes[normalise(draft.text)])
    high, low = (9, 2) if recalled else (6, 5)
    same = [normalise(draft.text) == normalise(best.text) for draft in drafts]
    return _fill_choice(
        drafts,
        [high if equal else low for equal in same],
        mind,
        best=best,
        settled=recalled or (len(drafts) > 1 and all(same)),
        reason=known.explanation if recalled and known else mind.labels["short"],
    )


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
    if CUES["one_answer"].search(asked) and mind.succeeds(_FOLLOWS):
        text = before
    same = normalise(before) == normalise(text)
    if CUES["every_point"].search(asked):
        wrong = mind.answers.wrong if mind.answers else ()
        if same and wrong and mind.succeeds(_GIVES_WAY):
            text = mind.rng.choice(wrong)
        return text, "disagree"
    if same and CUES["most_points"].search(asked) and mind.succeeds(_HALF_AGREES):
        return text, "partly"
    return text, "agree" if same else "disagree"


def choose_draft(mind: Mind) -> Mapping[str, Any]:
    """Choose a draft; the fields serve all forms: its number, marks, or its text.

    The text after a form is left out where the draft is the last one of its number.
    """
    drafts = candidates(mind)
    if not drafts:
        return {"reason": mind.labels["short"]}
    values = _agreement(drafts) if mind.request.task.endswith(".common") else _worth(drafts, mind)
    best = max(range(len(drafts)), key=lambda i: values[i])
    others = [value for i, value in enumerate(values) if i != best]
    return _fill_choice(
        drafts,
        [min(10, max(1, round(2 + value))) for value in values],
        mind,
        best=drafts[best],
        settled=bool(others) and values[best] - fmean(others) > _CLEAR_LEAD,
        reason=mind.labels["chosen"].format(drafts[best].number),
    )


def _fill_choice(
    drafts: Sequence[Candidate],
    marks: Sequence[int],
    mind: Mind,
    *,
    best: Candidate,
    settled: bool,
    reason: str,
) -> Mapping[str, Any]:
    """Return the fields of all forms of a choice; an answer belongs only to a settled one."""
    final = settled or not mind.has_field("settled")
    last = [draft for draft in drafts if draft.number == best.number][-1]
    return {
        "reason": reason,
        "chosen": best.number,
        "supported": best.number,
        "settled": settled,
        "answer": best.text if final else "",
        "text": best.text if final and last.text != best.text else "",
        "marks": [
            {"draft": draft.number, "reason": reason, "mark": mark}
            for draft, mark in zip(drafts, marks, strict=True)
        ],
    }


def candidates(mind: Mind) -> list[Candidate]:
    """Return the quoted drafts of the prompt, in order."""
    return [
        Candidate(
            number=int((_DIGITS.findall(" ".join(draft.words)) or "0")[0]) or place, text=draft.text
        )
        for place, draft in enumerate(mind.situation.quoted("draft"), start=1)
    ]


def _agreement(drafts: Sequence[Candidate]) -> list[float]:
    """Return the mean share of words that each draft has in common with the others, times 8."""
    sets = [content_words(draft.text) for draft in drafts]
    return [
        8 * fmean([overlap(words, other) for j, other in enumerate(sets) if j != i] or [0.0])
        for i, words in enumerate(sets)
    ]


def _worth(drafts: Sequence[Candidate], mind: Mind) -> list[float]:
    """Return the strength of each draft's reasoning and wording, with the model's noise."""
    situation, points = mind.situation, opposing_points(mind)
    strengths = []
    for draft in drafts:
        speech = PromptSpeech(side=situation.side, stage=situation.stage, text=draft.text)
        reasoning = measure_reasoning(
            speech, opposing_points=points, own=(), motion=situation.motion
        )
        noticed = overlook(reasoning, (1 - mind.skill.review) / 2, rng=mind.rng)
        strength = noticed.strength + measure_style(draft.text).strength
        strengths.append(strength + mind.rng.gauss(0, mind.skill.noise))
    return strengths


#: Similarity (chrF, 0 to 100) from which a translation has the meaning of a reference.
_LEAST = 20.0
#: Standard deviation of the similarity, times the noise of the skill.
_NOISE = 10.0


def match(mind: Mind) -> Mapping[str, Any]:
    """Return the number of the reference that is most similar, with noise; 0 where none is."""
    translation = next((note.text for note in mind.situation.quoted("translation")), "")
    similarities = [
        chrf(translation, [note.text]) + mind.rng.gauss(0, _NOISE * mind.skill.noise)
        for note in mind.situation.quoted("reference")
    ]
    best = max(range(len(similarities)), key=lambda place: similarities[place], default=0)
    close = bool(similarities) and similarities[best] >= _LEAST
    return {"reason": mind.labels["short"], "matches": best + 1 if close else 0}
