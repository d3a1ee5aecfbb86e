"""How speeches were made: the work of every debater's agents and its cost, from the traces.

A turn is an answer of the model under one path; repeated requests belong to the same turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import pandas as pd

from arena.records import LEAVE_OUT
from arena.report.paper_source import AGENT, CALLS, SPEECHES, STAGE
from arena.report.traces.interactions import OVERALL

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.store.database import Store

#: Caps, faults and fallbacks in the making of a speech, each counted once per speech.
_EVENTS = f"""
    list_distinct(list_concat(
        list_transform(json_extract_string(s.trace, '$[*].cap'), lambda x: 'cap ' || x),
        list_transform(json_extract_string(s.trace, '$[*].fault'), lambda x: 'fault ' || x),
        list_transform(json_extract(s.trace, '$[*].failed'), lambda x: 'failed search'),
        list_transform(json_extract_string(s.trace, '$[*].removed[*]'), lambda x: 'removed ' || x),
        list_transform(
            list_filter(json_extract_string(s.trace, '$[*].fallback'), lambda x: x <> 'false'),
            lambda x: 'fallback'
        ),
        list_transform(
            list_filter(json_extract_string(s.trace, '$[*].action'), lambda x: x = 'letter'),
            lambda x: 'marks without a letter'
        ),
        list_transform(
            list_filter(json_extract_string(s.trace, '$[*].action'), lambda x: x = '{LEAVE_OUT}'),
            lambda x: 'prompt cut to fit'
        ),
        list_transform(
            list_filter(json_extract_string(s.trace, '$[*].action'), lambda x: x = 'doubt'),
            lambda x: 'played in doubt'
        ),
        if(s.trimmed, ['cut at the limit'], [])
    ))
"""
_SPEECHES = f"""
    SELECT p.name AS participant, p.debater, s.debate_id AS unit, s.side, s.stage,
           len(json_extract(s.trace, '$[*].queries[*]'))
               + len(json_extract(s.trace, '$[*].query')) AS searches,
           len(list_filter(json_extract_string(s.trace, '$[*].marker'),
                           lambda x: x = 'revise')) AS revisions,
           len(list_filter(json_extract_string(s.trace, '$[*].action'),
                           lambda x: x = 'again')) AS again,
           len(list_filter(json_extract_string(s."references", '$[*].given'),
                           lambda x: x = 'false')) AS flagged,
           {_EVENTS} AS events,
           json_extract_string(s.trace, '$[*].verdict')[-1] AS verdict,
           TRY_CAST(json_extract_string(s.trace, '$[*].disagreement')[-1] AS DOUBLE)
               AS disagreement,
           TRY_CAST(json_extract_string(s.trace, '$[*].diversity')[-1] AS DOUBLE) AS diversity
    {SPEECHES}
    ORDER BY participant, unit, s.side, s.stage
"""
#: An answer that was cut off is asked for again with more room; any other is asked to be repaired.
_TURNS = f"""
    WITH answers AS (
        SELECT *, lag(finish_reason) OVER (PARTITION BY unit, path ORDER BY attempt) AS earlier
        FROM calls
    )
    SELECT p.name AS participant, c.unit, split_part(c.path, '/', 1) AS side, {STAGE} AS stage,
           {AGENT} AS agent, c.path, sum(c.output_tokens) AS tokens,
           count(*) FILTER (c.earlier <> 'length') AS repairs,
           count(*) FILTER (c.earlier = 'length') AS lengthened,
           sum(c.cost_usd - c.reserved_usd) AS usd, sum(c.seconds) AS seconds
    {CALLS.replace("JOIN calls c", "JOIN answers c")}
    GROUP BY ALL ORDER BY c.unit, c.path
"""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraceFrames:
    """Frames of one tournament's finished debates.

    Attributes:
        turns: a row per turn: participant, unit, side, stage, agent, path, tokens, repairs,
            lengthened, usd, seconds.
    """

    speeches: pd.DataFrame
    turns: pd.DataFrame


def read_trace_frames(store: Store, resolved: ResolvedConfig) -> TraceFrames:
    """Read both frames of a tournament."""
    return read_frames_of(store, resolved.name)


def read_frames_of(store: Store, tournament: str) -> TraceFrames:
    """Read both frames of a tournament by its name."""
    parameters = {"tournament": tournament}
    return TraceFrames(
        speeches=store.read(_SPEECHES, parameters), turns=store.read(_TURNS, parameters)
    )


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
