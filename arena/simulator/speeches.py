"""The simulated writer, which fills the places of a speech with arguments, and its reviewer."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from arena.languages import other_side
from arena.records import Reference
from arena.simulator.ideas import (
    Idea,
    add_source,
    answer_points,
    distinct_ideas,
    format_idea,
    guess_side,
    known_ideas,
    numbered_lines,
    own_ideas,
    parse_idea,
    plan_in_prompt,
    planned_ideas,
    side_points,
    stage_ideas,
)
from arena.simulator.measures import find_answers, find_arguments
from arena.simulator.mind import Mind
from arena.simulator.prompt import find_cited
from arena.simulator.words import (
    CUES,
    Piece,
    add_end_mark,
    fit_pieces,
    fragment,
    join_sentences,
    paragraphs,
    split_sentences,
    strip_end_mark,
    text_overlap,
)

#: Probability of asking for material for a claim without a source that no outline marks.
_ASKS = 0.5
#: Share of common words from which a request asks for a claim.
_SAME = 0.8
#: Suggestions of a review, at most.
_SUGGESTED = 4
#: Share of a claim's words in a draft from which the draft makes the claim.
_COVERED = 0.6
_REVIEWS = frozenset({"review", "critique", "suggestions", "feedback", "审稿意见", "意见", "批评"})
#: Characters of a quoted sentence, at most.
_LONGEST = 240
#: The places of each stage's speech, and what can fill them.
_PLACES: Mapping[str, Any] = tomllib.loads(
    (files("arena.simulator") / "speeches.toml").read_text("utf-8")
)
#: The last paragraph of a speech, after those of the arguments.
_LAST = 99


def write(mind: Mind) -> Mapping[str, Any]:
    """Write the speech of the stage, or ask for material for a claim."""
    stage = mind.situation.stage
    places = _PLACES[stage]
    ideas = distinct_ideas([*planned_ideas(mind), *stage_ideas(mind)])[: places["most"]]
    claim = _claim_without_source([] if stage == "summary" else ideas, mind)
    if claim:
        return {"marker": "needs_material", "claim": claim, "speech": ""}
    pieces = _paragraph(places["first"], Idea(), mind, number=0)
    for number, idea in enumerate(ideas, start=1):
        pieces += _paragraph(places["each"], idea, mind, number=number)
    return _finish([*pieces, *_paragraph(places["last"], Idea(), mind, number=_LAST)], mind)


def _finish(pieces: Sequence[Piece], mind: Mind) -> Mapping[str, Any]:
    """Return the fields of a finished speech, made of as many of the pieces as fit its limit."""
    speech = fit_pieces(pieces, limit=mind.situation.limit, language=mind.language)
    return {"marker": "finished", "claim": "", "speech": speech}


def _paragraph(places: Mapping[str, int], idea: Idea, mind: Mind, *, number: int) -> list[Piece]:
    """Return a paragraph with a sentence for each place that the argument can fill."""
    texts = {place: _sentence(place, idea, mind, number) for place in places}
    return [Piece(text, number, places[place]) for place, text in texts.items() if text]


def _sentence(place: str, idea: Idea, mind: Mind, number: int) -> str:
    if place in _RULES:
        return _RULES[place](idea, mind)
    if place == "clash" and not idea.theirs:
        place = "clash_ours"
    elif place == "clash" and (not idea.claim or number > _PLACES["summary"]["most"]):
        place = "they_say"
    if not getattr(idea, _PLACES["needs"].get(place, ""), True):
        return ""
    ordinals = mind.table["speech"]["ordinals"]
    ordinal = ordinals[min(max(number, 1), len(ordinals)) - 1]
    return mind.say(
        place,
        claim=add_end_mark(idea.claim, mind.language),
        ours=fragment(idea.claim, mind.language),
        theirs=idea.theirs,
        ordinal=ordinal,
        Ordinal=ordinal.capitalize(),
    )


def _support(idea: Idea, mind: Mind) -> str:
    """Support an argument, with a citation if it has a source."""
    if idea.source:
        return _cite(idea.source, mind, place="cite")
    support = add_end_mark(idea.support, mind.language)
    return mind.say("remember", support=support) if idea.support else ""


def _cite(source: Reference, mind: Mind, *, place: str) -> str:
    """Cite a reference and quote its second sentence, else its first."""
    sentences = split_sentences(source.excerpt) or (source.excerpt,)
    support = strip_end_mark(sentences[:2][-1])[:_LONGEST].replace("“", "‘").replace("”", "’")
    origin = strip_end_mark(source.origin)
    return mind.say(place, support=support, origin=origin, number=mind.format_mark(source))


def _cite_again(_: Idea, mind: Mind) -> str:
    """Cite up to three references again that the own speeches have cited."""
    side = mind.situation.side
    known = [item for item in mind.situation.material if guess_side(item, mind) == side]
    said = "\n".join(speech.text for speech in mind.situation.speeches_of(side))
    noticed = [one for one in find_cited(said, known)[:3] if mind.succeeds(mind.skill.reading)]
    texts = [_cite(source, mind, place="again") for source in noticed]
    return join_sentences(texts, mind.language)


#: Places that are filled by a rule of their own, not by a phrase alone. An empty phrase is the
#: more frequent the less fluent the model is.
_RULES: Mapping[str, Callable[[Idea, Mind], str]] = {
    "support": _support,
    "filler": lambda _, mind: (
        mind.say("filler") if mind.succeeds((1 - mind.skill.fluency) * 0.8) else ""
    ),
    "again": _cite_again,
}


def _claim_without_source(ideas: Sequence[Idea], mind: Mind) -> str:
    """Return a claim for which the writer asks for material, or "".

    The claims that the outline marks are asked for one after the other, as far as the writer
    follows the outline; without such marks it asks at most once per speech.
    """
    if "needs_material" not in mind.choices("marker"):
        return ""
    asked = [turn.text for turn in mind.situation.turns if turn.agent == "Writer"]
    lines, label = plan_in_prompt(mind).split("\n"), mind.labels["missing"]
    marked = [line.removeprefix(label).strip() for line in lines if line.startswith(label)]
    if not marked:
        bare = [idea.claim for idea in ideas if idea.claim and idea.source is None]
        return bare[0] if bare and not asked and mind.succeeds(_ASKS) else ""
    for claim in marked:
        unasked = all(text_overlap(claim, text) < _SAME for text in asked)
        if unasked and mind.succeeds(mind.skill.outline):
            return claim
    return ""


def remark(mind: Mind) -> str:
    """Answer a task that simulated models do not know, with one argument about the motion."""
    if not mind.situation.motion:
        return mind.labels["short"]
    idea = own_ideas(mind)[0]
    claim = add_end_mark(idea.claim, mind.language)
    return " ".join((mind.say("open"), claim, _support(idea, mind))).strip()


def review(mind: Mind) -> Mapping[str, Any]:
    """Accept the draft, or ask for a revision; each suggestion says what to add or remove."""
    if "revise" not in mind.choices("marker"):
        return {"marker": "accept", "suggestions": []}
    lines = dict.fromkeys(_suggestions(_draft(mind), mind))
    noticed = [line for line in lines if mind.succeeds(mind.skill.review)][:_SUGGESTED]
    assessment = mind.say("weigh") if mind.has_field("assessment") else ""
    marker = "revise" if noticed else "accept"
    return {"marker": marker, "suggestions": noticed, "assessment": assessment}


def _suggestions(draft: str, mind: Mind) -> Iterator[str]:
    """Yield a suggestion for each placeholder, and each missing argument, citation or answer."""
    gap = CUES["gap"].search(draft)
    if gap:
        yield mind.labels["fill"].format(" ".join(gap[0].split()))
    if mind.situation.stage == "constructive":
        missing = _missing_arguments(draft, mind)
    else:
        points = side_points(other_side(mind.situation.side), mind)
        met = {answer.point for answer in find_answers(draft, points, motion=mind.situation.motion)}
        missing = [Idea(theirs=point) for point in points if point not in met][:2]
    for idea in missing:
        yield mind.labels["add"] + format_idea(idea, mind)


def _missing_arguments(draft: str, mind: Mind) -> list[Idea]:
    """Return the arguments that a draft leaves out, or makes without citing their source."""
    ideas = [parse_idea(line, mind) for line in numbered_lines(plan_in_prompt(mind))]
    if len(find_arguments(draft, motion=mind.situation.motion)) < 3:
        ideas += own_ideas(mind)
    sourced = [add_source(idea, mind) for idea in distinct_ideas(ideas)]
    cited = find_cited(draft, mind.situation.material)
    return [
        idea
        for idea in sourced
        if not _covers(draft, idea) or (idea.source and idea.source not in cited)
    ]


def _covers(draft: str, idea: Idea) -> bool:
    return text_overlap(idea.claim, draft) >= _COVERED


def revise(mind: Mind) -> Mapping[str, Any]:
    """Add to the draft what the review asks for, within the word limit, before its last part."""
    draft = CUES["gap"].sub("", _draft(mind))
    rows = paragraphs(draft)
    pieces = [
        Piece(text, n, 1 if i < 2 else 4)
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    added: list[Piece] = []
    for number, line in enumerate(numbered_lines(_review(mind)) or [""], start=len(rows)):
        added += _apply_suggestion(line, draft, mind, number=number)
    end = len(pieces) - len(rows[-1]) if len(rows) > 1 else len(pieces)
    return _finish([*pieces[:end], *added, *pieces[end:]], mind)


def _apply_suggestion(line: str, draft: str, mind: Mind, *, number: int) -> list[Piece]:
    """Return the paragraph that a suggestion asks for; of an unknown one, a new argument."""
    ideas = distinct_ideas(own_ideas(mind), existing=[Idea(claim=draft)])
    if line.startswith(mind.labels["add"]):
        ideas = [add_source(parse_idea(line.removeprefix(mind.labels["add"]), mind), mind)]
    if not ideas:
        return []
    idea = ideas[0]
    if idea.theirs:
        answer = idea if idea.claim else answer_points([idea.theirs], _unused(draft, mind))[0]
        return _paragraph(_PLACES[mind.situation.stage]["each"], answer, mind, number=number)
    places = _PLACES["added"]["source" if _covers(draft, idea) else "argument"]
    return _paragraph(places, idea, mind, number=number)


def _unused(draft: str, mind: Mind) -> list[Idea]:
    """Return arguments for an answer: in a summary points of the own speeches, else new ones."""
    if mind.situation.stage == "summary":
        return [Idea(claim=point) for point in side_points(mind.situation.side, mind)]
    return [idea for idea in known_ideas(mind) if not _covers(draft, idea)]


def _draft(mind: Mind) -> str:
    """Return the draft in the prompt: the Writer's last turn, or a quoted draft."""
    quoted = (note.text for note in mind.situation.quoted("draft"))
    variable = mind.request.variables.get("draft", "")
    return mind.situation.last_turn("Writer") or next(quoted, variable)


def _review(mind: Mind) -> str:
    """Return the review in the prompt: the Reviewer's last turn, or a quoted review."""
    quoted = (note.text for note in mind.situation.quotes if note.label.lower() in _REVIEWS)
    return mind.situation.last_turn("Reviewer") or next(quoted, "")


def shorten_speech(mind: Mind) -> str:
    """Shorten a speech; later sentences of paragraphs go first, the first and last stay longest."""
    speeches = [speech.text for speech in mind.situation.speeches]
    others = [*(note.text for note in mind.situation.quotes), *mind.request.variables.values()]
    text = _draft(mind) or (speeches or [max(others, key=len, default="")])[-1]
    rows = paragraphs(text)
    pieces = [
        Piece(text, n, i + (n not in (0, len(rows) - 1)))
        for n, row in enumerate(rows)
        for i, text in enumerate(row)
    ]
    return fit_pieces(pieces, limit=mind.situation.limit, language=mind.language)
