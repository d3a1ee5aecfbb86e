"""The simulated planner: the points of an outline as fields of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.simulator.mind import Mind
from arena.simulator.writing.outline import outline_lines
from arena.simulator.writing.rebuttal import opposing_points
from arena.simulator.writing.team import team_points


def plan(mind: Mind) -> Mapping[str, Any]:
    """Plan a speech: points with their support, and a concession to the other side, if any."""
    lines = team_points(mind) or outline_lines(mind, mind.situation.stage)
    return {"points": [_point(line, mind) for line in lines], "acknowledgment": _concession(mind)}


def _point(line: str, mind: Mind) -> dict[str, Any]:
    claim, _, support = line.partition(mind.labels.support)
    return {"claim": claim.strip(), "support": [support.strip() or mind.voice.say("weigh")]}


def _concession(mind: Mind) -> str:
    points = opposing_points(mind)
    if not points or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return mind.labels.they_say.format(points[-1])
