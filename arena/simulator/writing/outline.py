"""The simulated analyst: a numbered outline as text, which a writer can read from the dialogue."""

from __future__ import annotations

from arena.languages import Stage
from arena.simulator.mind import Mind
from arena.simulator.writing import rebuttal, summary
from arena.simulator.writing.ideas import own_ideas, to_line


def analyse(mind: Mind) -> str:
    """An outline for the speech of the stage."""
    lines = outlined(mind, mind.situation.stage)
    body = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    voice, labels = mind.voice, mind.labels
    head = [labels.definition + voice.say("define"), labels.criterion + voice.say("criterion")]
    return "\n".join([*head, *body])


def outlined(mind: Mind, stage: Stage) -> list[str]:
    """What the speech of a stage should say, a line for each point."""
    if stage == "rebuttal" and rebuttal.opposing(mind):
        return [rebuttal.to_line(one, mind) for one in rebuttal.matched(rebuttal.hit(mind), mind)]
    if stage == "summary" and summary.own_points(mind):
        return [summary.to_line(one, mind) for one in summary.seen(mind)]
    return [to_line(idea, mind) for idea in own_ideas(mind)]
