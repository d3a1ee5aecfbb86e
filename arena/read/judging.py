"""Ballots of several benches on a selection of debates as frames, with what they came of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.boards.participation import MEASURED_BALLOTS
from arena.boards.selection import CHOSEN_DEBATES, Selection
from arena.records import ORDER
from arena.store.database import Store

if TYPE_CHECKING:
    import pandas as pd

_SELECTED = f"""{CHOSEN_DEBATES}, taken AS (
        SELECT b.*, chosen.matchup_id FROM chosen JOIN {MEASURED_BALLOTS} b USING (debate_id)
        WHERE list_contains(CAST($benches AS TEXT[]), b.bench)
          AND NOT list_contains(CAST($without AS TEXT[]), b.voter)
    )
"""
_BALLOTS = f"""{_SELECTED}
    SELECT b.debate_id, b.matchup_id, b.bench, b.voter, b.status, b.asked, b.usd, b.seconds,
           s.outcome
    FROM taken b
    LEFT JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = $dimension
"""
_CALLS = f"""{_SELECTED}
    SELECT b.bench, CASE WHEN contains(c.path, 'member/')
                    THEN regexp_extract(c.path, '(^|/)member/([0-9]+)/', 2) ELSE '' END AS member,
           count(*) AS calls,
           count(DISTINCT (b.ballot_id, split_part(c.path, 'member/', 1))) AS askings,
           sum(c.input_tokens) AS input_tokens, sum(c.output_tokens) AS output_tokens
    FROM taken b JOIN calls c ON c.unit = b.ballot_id GROUP BY ALL
"""
_TRACES = f"""{_SELECTED}
    SELECT b.bench, b.ballot_id, b.trace, s.outcome
    FROM taken b JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND s.dimension = 'overall'
    WHERE b.status = 'valid' AND list_contains(CAST($traced AS TEXT[]), b.bench)
    ORDER BY b.ballot_id
"""
_ORDERS = f"""{_SELECTED}, steps AS (
        SELECT b.bench, b.matchup_id, b.ballot_id, unnest(from_json(b.trace, '[{{
                   "agent": "VARCHAR", "order": "VARCHAR",
                   "verdicts": [{{"dimension": "VARCHAR", "outcome": "DOUBLE"}}]
               }}]')) AS step
        FROM taken b WHERE b.status = 'valid' AND b.swapped
    ), orders AS (
        SELECT bench, matchup_id, ballot_id, step."order" AS placed,
               list_filter(step.verdicts, lambda verdict: verdict.dimension = $dimension)[1].outcome
                   AS outcome
        FROM steps WHERE step.agent = '{ORDER}'
    )
    SELECT bench, matchup_id, max(outcome) FILTER (placed = 'given') AS given,
           max(outcome) FILTER (placed = 'exchanged') AS exchanged
    FROM orders GROUP BY bench, matchup_id, ballot_id
    HAVING given IS NOT NULL AND exchanged IS NOT NULL
    ORDER BY bench, matchup_id, ballot_id
"""
_LENGTHS = f"""{_SELECTED}
    SELECT debate_id, sum(words) FILTER (side = 'pro') AS pro_words,
           sum(words) FILTER (side = 'con') AS con_words
    FROM chosen JOIN speeches USING (debate_id) GROUP BY debate_id
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgingFrames:
    """Frames on the finished debates of one selection.

    Values of debate_id and matchup_id are labels of any type, the same in all frames.

    Attributes:
        ballots: a row per ballot: debate_id, matchup_id, bench, voter, status, asked, usd (as far
            as bills are known), seconds, outcome (Pro's; NaN where it failed).
        calls: a row per bench and member of a jury ('' outside of one): calls, askings (how often
            the member was asked; twice for both orders), input_tokens, output_tokens.
        traces: a row per valid ballot of a bench that is traced: bench, ballot_id, trace (JSON),
            outcome (overall).
        orders: a row per valid ballot that was taken in both orders: bench, matchup_id, given,
            exchanged (Pro's outcomes in the two orders).
        lengths: a row per debate: debate_id, pro_words, con_words.
    """

    ballots: pd.DataFrame
    calls: pd.DataFrame
    traces: pd.DataFrame
    orders: pd.DataFrame
    lengths: pd.DataFrame


def read_judging(
    store: Store,
    selection: Selection,
    *,
    participants: Sequence[str],
    benches: Sequence[str],
    traced: Sequence[str],
) -> JudgingFrames:
    """Read the ballots of some benches on a selection's dimension, and what they came of.

    Args:
        participants: the ids of those between whom debates count.
        traced: the benches whose traces are read.
    """
    asked = selection.parameters | {
        "without": list(selection.without),
        "ids": list(participants),
        "benches": list(benches),
    }
    in_dimension = asked | {"dimension": selection.dimension}
    return JudgingFrames(
        ballots=store.read(_BALLOTS, in_dimension),
        calls=store.read(_CALLS, asked),
        traces=store.read(_TRACES, asked | {"traced": list(traced)}),
        orders=store.read(_ORDERS, in_dimension),
        lengths=store.read(_LENGTHS, asked),
    )
