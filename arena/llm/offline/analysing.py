"""The simulated analyst: a numbered outline as text, which a writer can read from the dialogue."""

from __future__ import annotations

from arena.languages import Stage
from arena.llm.offline import rebutting, summing
from arena.llm.offline.ideas import own_ideas, to_line
from arena.llm.offline.mind import Mind


def analyse(mind: Mind) -> str:
    """An outline for the speech of the stage."""
    lines = outlined(mind, mind.situation.stage)
    body = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    voice, labels = mind.voice, mind.labels
    head = [labels.definition + voice.say("define"), labels.criterion + voice.say("criterion")]
    return "\n".join([*head, *body])


def outlined(mind: Mind, stage: Stage) -> list[str]:
    """What the speech of a stage should say, a line for each point."""
    if stage == "rebuttal" and rebutting.opposing(mind):
        return [
            rebutting.to_line(one, mind) for one in rebutting.matched(rebutting.hit(mind), mind)
        ]
    if stage == "summary" and summing.own_points(mind):
        return [summing.to_line(one, mind) for one in summing.seen(mind)]
    return [to_line(idea, mind) for idea in own_ideas(mind)]
