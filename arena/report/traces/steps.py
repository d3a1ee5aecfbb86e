"""How speeches were made: the work of every debater's agents and its cost, from the traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from arena.read.traces import TraceFrames
from arena.report.traces.interactions import OVERALL

_COUNTED = ("searches", "revisions", "again", "flagged")
_SPENT = ("tokens", "repairs", "lengthened", "usd", "seconds")
_VERDICTS = ("affirmative", "negative", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentShare:
    """One agent's mean turns per speech, and mean completion tokens per turn."""

    turns: float
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerDebateResult:
    """The results of the inner debates of `mad`.

    Attributes:
        verdicts: number of speeches whose answer is the affirmative's, the negative's, neither's.
        disagreement: mean between adjacent positions, from 0 (all agree) to 1.
        diversity: mean of 100 - BLEU(initial answer, final answer), 0 to 100.
    """

    verdicts: Mapping[str, int]
    disagreement: float
    diversity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechMaking:
    """How a participant's speeches of one stage, or of all stages, were made.

    Attributes:
        stage: or `overall`.
        means: per speech: turns, completion tokens, searches, revisions, repairs (answers asked
            for again because of their form), lengthened (because they were cut off), again
            (whole speeches, because of their language or because they spoke for both sides),
            flagged (references that no search had given), usd, seconds (sum over its calls).
        events: caps reached, faults and the like, with the number of speeches.
        inner: of `mad`; None for other debaters.
    """

    participant: str
    debater: str
    stage: str
    speeches: int
    means: Mapping[str, float]
    agents: Mapping[str, AgentShare]
    events: Mapping[str, int]
    inner: InnerDebateResult | None


def summarize_making(
    traced: TraceFrames, names: Sequence[str], stages: Sequence[str]
) -> list[SpeechMaking]:
    """Summarize the making of speeches by participant and stage, where there are any.

    Args:
        stages: `overall` means all of them together.
    """
    return [making for name in names for stage in stages for making in _making(traced, name, stage)]


def _making(traced: TraceFrames, name: str, stage: str) -> Iterator[SpeechMaking]:
    speeches, turns = _part(traced.speeches, name, stage), _part(traced.turns, name, stage)
    if speeches.empty:
        return
    number = len(speeches)
    means = {"turns": len(turns) / number}
    means |= {column: float(turns[column].sum()) / number for column in _SPENT}
    means |= {column: float(speeches[column].sum()) / number for column in _COUNTED}
    yield SpeechMaking(
        participant=name,
        debater=str(speeches["debater"].iloc[0]),
        stage=stage,
        speeches=number,
        means=means,
        agents=_agents(turns, number),
        events=dict(sorted(Counter(chain.from_iterable(speeches["events"])).items())),
        inner=_inner(speeches),
    )


def _part(frame: pd.DataFrame, name: str, stage: str) -> pd.DataFrame:
    own = frame[frame["participant"] == name]
    return own if stage == OVERALL else own[own["stage"] == stage]


def _agents(turns: pd.DataFrame, speeches: int) -> dict[str, AgentShare]:
    return {
        str(agent): AgentShare(turns=len(own) / speeches, tokens=float(own["tokens"].mean()))
        for agent, own in turns.groupby("agent", sort=False)
    }


def _inner(speeches: pd.DataFrame) -> InnerDebateResult | None:
    judged = speeches[speeches["verdict"].isin(_VERDICTS)]
    if judged.empty:
        return None
    tally = Counter(judged["verdict"])
    return InnerDebateResult(
        verdicts={verdict: tally[verdict] for verdict in _VERDICTS},
        disagreement=float(judged["disagreement"].mean()),
        diversity=float(judged["diversity"].mean()),
    )
