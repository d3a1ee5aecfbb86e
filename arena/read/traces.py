"""How speeches were made, as frames: a row for each speech, and for each turn of an agent.

A turn is an answer of the model under one path; repeated requests belong to the same turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from arena.boards.selection import Selection
from arena.read.selected import SELECTED, Narrowing, parameters
from arena.records import LEAVE_OUT

if TYPE_CHECKING:
    import pandas as pd

    from arena.store.database import Store

#: Caps, faults and fallbacks in the making of a speech, each counted once per speech.
_EVENTS: Final = f"""
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
_SPEAKER: Final = """
           CASE {0} WHEN 'pro' THEN pro ELSE con END AS participant,
           CASE {0} WHEN 'pro' THEN pro_debater ELSE con_debater END AS debater"""
_SPEECHES: Final = f"""{SELECTED}
    SELECT {_SPEAKER.format("s.side")}, s.debate_id AS unit, s.side, s.stage,
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
           TRY_CAST(json_extract_string(s.trace, '$[*].diversity')[-1] AS DOUBLE) AS diversity,
           json_extract_string(s.trace, '$[*].agent') AS agents,
           json_extract_string(s.trace, '$[*].speaker')[1] AS speaker
    FROM selected JOIN speeches s USING (debate_id)
    ORDER BY participant, unit, s.side, s.stage
"""
#: An answer that was cut off is asked for again with more room; any other is asked to be repaired.
_TURNS: Final = f"""{SELECTED}, answers AS (
        SELECT *, split_part(path, '/', 1) AS side,
               lag(finish_reason) OVER (PARTITION BY unit, path ORDER BY attempt) AS earlier
        FROM calls
    )
    SELECT {_SPEAKER.format("side")}, unit, side, split_part(path, '/', 2) AS stage,
           upper(split_part(path, '/', 3)[1]) || split_part(path, '/', 3)[2:] AS agent, path,
           sum(output_tokens) AS tokens, count(*) FILTER (earlier <> 'length') AS repairs,
           count(*) FILTER (earlier = 'length') AS lengthened,
           sum(answers.cost_usd - reserved_usd) AS usd, sum(seconds) AS seconds
    FROM selected JOIN answers ON unit = debate_id
    GROUP BY ALL ORDER BY unit, path
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TraceFrames:
    """Frames of one tournament's finished debates.

    Attributes:
        speeches: a row per speech: participant, debater, unit (the debate's id), side, stage, the
            numbers of searches, revisions, again and flagged (see `SpeechMaking`), events, agents
            (lists of words), verdict, disagreement and diversity (of inner debates), speaker (of
            several people who share a side; else missing).
        turns: a row per turn: participant, debater, unit, side, stage, agent, path, tokens,
            repairs, lengthened, usd, seconds.
    """

    speeches: pd.DataFrame
    turns: pd.DataFrame


def read_traces(store: Store, tournament: str) -> TraceFrames:
    """Read both frames of a tournament."""
    selection = Selection(tournament=tournament, bench="all")
    asked = parameters(selection, Narrowing(statuses=("finished",)))
    return TraceFrames(speeches=store.read(_SPEECHES, asked), turns=store.read(_TURNS, asked))
