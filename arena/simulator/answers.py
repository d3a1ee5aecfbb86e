"""The simulated answers to questions, and the choice among drafts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from arena.answers import chrf, is_accepted, normalise
from arena.languages import other_side
from arena.simulator.ideas import side_points
from arena.simulator.measures import measure_reasoning, measure_style
from arena.simulator.mind import Mind
from arena.simulator.prompt import PromptSpeech
from arena.simulator.words import CUES, content_words, overlap
from motions import Answers

#: How often a model that is asked for one answer takes over the one before; how often one that is
#: asked to disagree about every point gives up its answer; and how often one that is asked to
#: disagree about most of it agrees with an equal answer only in part.
_FOLLOWS, _GIVES_WAY, _HALF_AGREES = 0.9, 0.2, 0.5
#: Lead of the best draft over the mean of the others, in strength, that settles the choice.
_CLEAR_LEAD = 0.5
#: Similarity (chrF, 0 to 100) from which a translation has the meaning of a reference, and its
#: standard deviation, times the noise of the skill.
_CLOSE, _NOISE = 20.0, 10.0
_NO_ANSWERS = Answers(accepted=())


class Candidate(NamedTuple):
    """A quoted draft; its number is the one in the head of the quotation, else its place."""

    number: int
    text: str


def answer(mind: Mind) -> Mapping[str, Any]:
    """Answer the question, with reasoning where the schema asks for it, and take a stance.

    A schema with reasoning gives a remembered answer a second chance to be recalled; the
    explanation of the answer in the prompt, for example of another agent, is mostly followed.
    """
    known, short = mind.topic.answers, mind.labels["short"]
    if known is None:
        return _take_stance(short, mind.labels["unknown"], mind)
    tries = 2 if mind.has_field("reasoning") or mind.has_field("reasons") else 1
    right = any([_recalls(known, mind) for _ in range(tries)])
    explained = bool(known.explanation) and known.explanation in mind.request.text()
    if right or (explained and mind.succeeds(mind.skill.reading)) or not known.wrong:
        return _take_stance(known.explanation, known.accepted[0], mind)
    return _take_stance(known.wrong_explanation, mind.rng.choice(known.wrong), mind)


def study(mind: Mind) -> Mapping[str, Any]:
    """Write notes on the question: the explanation of the answer, if it is recalled.

    Only the notes on keywords hold it; similar examples are none that a simulated model could
    invent.
    """
    known, short = mind.topic.answers or _NO_ANSWERS, mind.labels["short"]
    meaning = known.explanation if _recalls(known, mind) else known.wrong_explanation
    keywords = [{"source": short, "meaning": meaning}] if meaning else []
    return {"keywords": keywords, "topics": [short], "demonstrations": []}


def review(mind: Mind) -> Mapping[str, Any]:
    """Ask for a revision of a wrong answer, if the model recalls the right one."""
    known, drafts = mind.topic.answers or _NO_ANSWERS, candidates(mind)
    wrong = bool(drafts) and not is_accepted(drafts[-1].text, known.accepted)
    may = "revise" in mind.choices("marker")
    if may and wrong and _recalls(known, mind) and mind.succeeds(mind.skill.review):
        return {"marker": "revise", "suggestions": [known.explanation or mind.labels["lengthen"]]}
    return {"marker": "accept", "suggestions": []}


def choose_answer(mind: Mind) -> Mapping[str, Any]:
    """Choose the answer that is recalled to be right, else the most frequent one.

    The choice is settled where the answer is recalled, or where all answers are equal. Answers
    equal to the chosen one get the highest mark.
    """
    known, drafts = mind.topic.answers or _NO_ANSWERS, candidates(mind)
    if not drafts:
        return {"reason": mind.labels["short"]}
    right = [draft for draft in drafts if is_accepted(draft.text, known.accepted)]
    recalled = bool(right) and _recalls(known, mind)
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
        reason=known.explanation if recalled else mind.labels["short"],
    )


def _recalls(known: Answers, mind: Mind) -> bool:
    """Tell whether the model remembers the answer, if there is one, and recalls it now."""
    return any(map(mind.remembers, known.accepted[:1])) and mind.succeeds(mind.skill.recall)


def _take_stance(reasons: str, text: str, mind: Mind) -> Mapping[str, Any]:
    """Return the fields of an answer, among them its stance to the answer before it.

    Asked for one answer, a model mostly takes over the one before; asked to disagree about every
    point, it says so even of its own answer, and now and then gives a usual mistake instead.
    """
    drafts, asked = candidates(mind), mind.request.text()
    if drafts and CUES["one_answer"].search(asked) and mind.succeeds(_FOLLOWS):
        text = drafts[-1].text
    same = bool(drafts) and normalise(drafts[-1].text) == normalise(text)
    stance = "agree" if same else "disagree"
    if same and CUES["every_point"].search(asked):
        stance, wrong = "disagree", (mind.topic.answers or _NO_ANSWERS).wrong
        text = mind.rng.choice(wrong) if wrong and mind.succeeds(_GIVES_WAY) else text
    elif same and CUES["most_points"].search(asked) and mind.succeeds(_HALF_AGREES):
        stance = "partly"
    return {"reasoning": reasons, "reasons": reasons, "answer": text, "stance": stance}


def choose_draft(mind: Mind) -> Mapping[str, Any]:
    """Choose a draft; the fields serve all forms: its number, marks, or its text.

    The text after a form is left out where the draft is the last one of its number.
    """
    drafts = candidates(mind)
    if not drafts:
        return {"reason": mind.labels["short"]}
    values = _agreement(drafts) if mind.request.task.endswith(".common") else _worth(drafts, mind)
    best = values.index(max(values))
    others = values[:best] + values[best + 1 :]
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
    digits = re.compile(r"\d{1,4}")
    return [
        Candidate(int((digits.findall(" ".join(draft.words)) or [0])[0]) or place, draft.text)
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
    situation, points = mind.situation, side_points(other_side(mind.situation.side), mind)
    missed, strengths = (1 - mind.skill.review) / 2, []
    for draft in drafts:
        speech = PromptSpeech(side=situation.side, stage=situation.stage, text=draft.text)
        reasoning = measure_reasoning(
            speech, mind, opposing_points=points, own=(), overlooked=missed
        )
        style, _ = measure_style(draft.text)
        strengths.append(reasoning.strength + style + mind.rng.gauss(0, mind.skill.noise))
    return strengths


def match(mind: Mind) -> Mapping[str, Any]:
    """Return the number of the reference that is most similar, with noise; 0 where none is."""
    translation = next((note.text for note in mind.situation.quoted("translation")), "")
    similarities = [
        chrf(translation, [note.text]) + mind.rng.gauss(0, _NOISE * mind.skill.noise)
        for note in mind.situation.quoted("reference")
    ]
    best = max(similarities, default=0.0)
    matches = similarities.index(best) + 1 if best >= _CLOSE else 0
    return {"reason": mind.labels["short"], "matches": matches}
