"""The simulated analyst: a numbered outline, which a simulated writer can parse."""

from __future__ import annotations

from arena.languages import Stage
from arena.simulator.mind import Mind
from arena.simulator.writing import rebuttal, summary_speech
from arena.simulator.writing.ideas import format_idea, own_ideas


def analyse(mind: Mind) -> str:
    """Write an outline for the speech of the stage."""
    lines = outline_lines(mind, mind.situation.stage)
    body = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    voice, labels = mind.voice, mind.labels
    head = [labels.definition + voice.say("define"), labels.criterion + voice.say("criterion")]
    return "\n".join([*head, *body])


def outline_lines(mind: Mind, stage: Stage) -> list[str]:
    """Return the points that the speech of a stage should make, one line each."""
    if stage == "rebuttal" and rebuttal.opposing_points(mind):
        return [
            rebuttal.format_reply(one, mind)
            for one in rebuttal.match_replies(rebuttal.answerable_points(mind), mind)
        ]
    if stage == "summary" and summary_speech.own_points(mind):
        return [
            summary_speech.format_clash(one, mind) for one in summary_speech.notice_clashes(mind)
        ]
    return [format_idea(idea, mind) for idea in own_ideas(mind)]
