"""How the agents of `agent4debate` work together: turns per speech, tokens per turn.

The published figures are those of Zhang et al. 2024 (arXiv 2408.04472), Tables 8 and 9. The paper
does not say what an interaction is. Its Searcher speaks 3.4 times in a first stage in which its
Writer hardly asks for material (2.43 drafts on 2.17 reviews), so a search is several turns; every
answer of the model is counted here, which is that, and the trace's turns stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from arena.console.tables import Table
from arena.languages import STAGES

AGENTS = ("Searcher", "Analyzer", "Writer", "Reviewer")
OVERALL = "overall"

_PLACES = (OVERALL, *STAGES)
PUBLISHED_TURNS: Mapping[str, Sequence[float]] = {
    OVERALL: (2.1862, 1.0015, 2.7243, 2.4888),
    "constructive": (3.4431, 1.0036, 2.4313, 2.1682),
    "rebuttal": (1.3435, 1.0000, 2.7939, 2.5817),
    "summary": (1.2559, 1.0000, 3.0932, 2.8720),
}
PUBLISHED_TOKENS = (2182.90, 795.06, 811.94, 415.57)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the agents of some participants did.

    Attributes:
        speeches: how many they made, by stage and overall.
        turns: mean per speech, by stage and overall, by agent.
        tokens: mean completion tokens per turn, by agent; those who never spoke are missing.
    """

    speeches: Mapping[str, int]
    turns: Mapping[str, Mapping[str, float]]
    tokens: Mapping[str, float]


def usage(speeches: pd.DataFrame, turns: pd.DataFrame) -> Usage:
    """Count turns per speech.

    Args:
        speeches: a row per speech: stage.
        turns: a row per turn of an agent: stage, agent, and (or 0) tokens.
    """
    made = {OVERALL: len(speeches)} | {
        stage: int((speeches["stage"] == stage).sum()) for stage in STAGES
    }
    counted = {}
    for place in _PLACES:
        here = turns if place == OVERALL else turns[turns["stage"] == place]
        spoken = here["agent"].value_counts()
        counted[place] = {
            agent: float(spoken.get(agent, 0)) / made[place] if made[place] else 0.0
            for agent in AGENTS
        }
    means = turns.groupby("agent")["tokens"].mean()
    tokens = {agent: float(means[agent]) for agent in AGENTS if agent in means}
    return Usage(speeches=made, turns=counted, tokens=tokens)


def turns_table(calls: Usage, trace: Usage, *, names: Iterable[str]) -> Table:
    """Mean turns per speech, by stage, beside the published ones (Table 8).

    Args:
        calls: counted from answers of the model.
        trace: counted from turns in the agents' dialogue.
        names: the participants that it is about.
    """
    listed = ", ".join(names)
    rows = [
        (place, whose, *(f"{one:.2f}" for one in figures))
        for place in _PLACES
        for whose, figures in (
            ("answers of the model", calls.turns[place].values()),
            ("turns in the dialogue", trace.turns[place].values()),
            ("published", PUBLISHED_TURNS[place]),
        )
    ]
    return Table(
        title="Interactions per speech of agent4debate, by stage (Table 8)",
        head=("stage", "counted", *AGENTS),
        rows=tuple(rows) if calls.speeches[OVERALL] else (),
        labels=2,
        notes=(
            f"{calls.speeches[OVERALL]} speeches of {listed}."
            if calls.speeches[OVERALL]
            else "No speech of agent4debate with all four agents is stored.",
        ),
    )


def tokens_table(found: Mapping[str, Usage]) -> Table:
    """Mean completion tokens per answer, by participant, beside the published ones (Table 9)."""
    rows = [
        (name, *(f"{one.tokens[agent]:.0f}" if agent in one.tokens else "" for agent in AGENTS))
        for name, one in found.items()
    ]
    published = ("published", *(f"{one:.0f}" for one in PUBLISHED_TOKENS))
    return Table(
        title="Completion tokens per answer of an agent (Table 9)",
        head=("participant", *AGENTS),
        rows=(*rows, published) if rows else (),
        notes=() if rows else ("No participant of agent4debate takes part.",),
    )
