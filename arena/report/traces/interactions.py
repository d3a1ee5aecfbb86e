"""How the agents of `agent4debate` work together: turns per speech, tokens per turn.

The published figures are those of Zhang et al. 2024 (arXiv 2408.04472), Tables 8 and 9. The paper
does not define an interaction. Its Searcher speaks 3.4 times in a first stage in which its Writer
hardly asks for material (2.43 drafts on 2.17 reviews), so one search must be several turns. That
fits counting every answer of the model, as is done here; turns of the agents' dialogue, from the
traces, are counted beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from arena.languages import STAGES

AGENTS = ("Searcher", "Analyzer", "Writer", "Reviewer")
OVERALL = "overall"

#: All speeches, then those of each stage.
PLACES = (OVERALL, *STAGES)
PUBLISHED_TURNS: Mapping[str, Sequence[float]] = {
    OVERALL: (2.1862, 1.0015, 2.7243, 2.4888),
    "constructive": (3.4431, 1.0036, 2.4313, 2.1682),
    "rebuttal": (1.3435, 1.0000, 2.7939, 2.5817),
    "summary": (1.2559, 1.0000, 3.0932, 2.8720),
}
PUBLISHED_TOKENS = (2182.90, 795.06, 811.94, 415.57)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentUsage:
    """How much the agents of some participants were used.

    Attributes:
        speeches: number of speeches, by stage and overall.
        turns: mean turns per speech, by stage and overall, by agent.
        tokens: mean completion tokens per turn, by agent; agents that never spoke are missing.
    """

    speeches: Mapping[str, int]
    turns: Mapping[str, Mapping[str, float]]
    tokens: Mapping[str, float]


def usage(speeches: pd.DataFrame, turns: pd.DataFrame) -> AgentUsage:
    """Count turns per speech and tokens per turn.

    Args:
        speeches: a row per speech: stage.
        turns: a row per turn of an agent: stage, agent, tokens (0 where unknown).
    """
    number = {OVERALL: len(speeches)} | {
        stage: int((speeches["stage"] == stage).sum()) for stage in STAGES
    }
    by_place = {}
    for place in PLACES:
        here = turns if place == OVERALL else turns[turns["stage"] == place]
        answers = here["agent"].value_counts()
        by_place[place] = {
            agent: float(answers.get(agent, 0)) / number[place] if number[place] else 0.0
            for agent in AGENTS
        }
    means = turns.groupby("agent")["tokens"].mean()
    tokens = {agent: float(means[agent]) for agent in AGENTS if agent in means}
    return AgentUsage(speeches=number, turns=by_place, tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Mean turns per speech of one stage, by agent.

    Attributes:
        stage: or `overall`.
    """

    stage: str
    counted: str
    turns: Mapping[str, float]


def turns_by_stage(calls: AgentUsage, trace: AgentUsage) -> Iterator[Turns]:
    """Yield the mean turns of each stage, counted in both ways.

    Args:
        calls: counted from answers of the model.
        trace: counted from turns in the agents' dialogue.
    """
    for stage in PLACES:
        yield Turns(stage=stage, counted="answers of the model", turns=calls.turns[stage])
        yield Turns(stage=stage, counted="turns in the dialogue", turns=trace.turns[stage])
