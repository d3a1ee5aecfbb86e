"""The simulated analyst: a numbered outline, which a simulated writer can parse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arena.languages import Stage
from arena.simulator.mind import Mind
from arena.simulator.writing import rebuttal, summary_speech
from arena.simulator.writing.ideas import Idea, add_source, format_idea, own_ideas


@dataclass(frozen=True, slots=True)
class OutlinePoint:
    """A point of an outline: its line, and what evidence is needed for."""

    line: str
    idea: Idea


def analyse(mind: Mind) -> str:
    """Write an outline for the speech of the stage.

    Where the prompt has a mark for missing evidence, claims without a source are marked.
    """
    voice, labels = mind.voice, mind.labels
    marked = labels.missing.strip() in mind.request.text()
    body: list[str] = []
    for number, point in enumerate(_outline_points(mind, mind.situation.stage), start=1):
        body.append(f"{number}. {point.line}")
        if marked and add_source(point.idea, mind).source is None:
            body.append(labels.missing + point.idea.claim.rstrip("…"))
    head = [labels.definition + voice.say("define"), labels.criterion + voice.say("criterion")]
    return "\n".join([*head, *body])


def missing_claims(outline: str, mind: Mind) -> list[str]:
    """Return the claims that an outline marks as lacking evidence, in order."""
    label = mind.labels.missing
    lines = (line.strip() for line in outline.split("\n"))
    return [line[len(label) :].strip() for line in lines if line.startswith(label)]


def outline_lines(mind: Mind, stage: Stage) -> list[str]:
    """Return the points that the speech of a stage should make, one line each."""
    return [point.line for point in _outline_points(mind, stage)]


def _outline_points(mind: Mind, stage: Stage) -> Iterable[OutlinePoint]:
    if stage == "rebuttal" and rebuttal.opposing_points(mind):
        replies = rebuttal.match_replies(rebuttal.answerable_points(mind), mind)
        return [
            OutlinePoint(rebuttal.format_reply(one, mind), one.against or Idea(claim=one.quoted))
            for one in replies
        ]
    if stage == "summary" and summary_speech.own_points(mind):
        clashes = summary_speech.notice_clashes(mind)
        return [
            OutlinePoint(summary_speech.format_clash(one, mind), Idea(claim=one.ours))
            for one in clashes
        ]
    return [OutlinePoint(format_idea(idea, mind), idea) for idea in own_ideas(mind)]
