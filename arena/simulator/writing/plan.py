"""The simulated planner: an outline as main points with sub-points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.simulator.mind import Mind
from arena.simulator.writing.outline import outlined
from arena.simulator.writing.rebuttal import opposing
from arena.simulator.writing.team import agreed


def plan(mind: Mind) -> Mapping[str, Any]:
    """Main points with what supports them, and what is granted to the other side, if anything."""
    lines = agreed(mind) or outlined(mind, mind.situation.stage)
    return {"points": [_point(line, mind) for line in lines], "acknowledgment": _granted(mind)}


def _point(line: str, mind: Mind) -> dict[str, Any]:
    claim, _, support = line.partition(mind.labels.support)
    return {"claim": claim.strip(), "support": [support.strip() or mind.voice.say("weigh")]}


def _granted(mind: Mind) -> str:
    points = opposing(mind)
    if not points or not mind.succeeds(mind.skill.rebuttal / 2):
        return ""
    return mind.labels.they_say.format(points[-1])
