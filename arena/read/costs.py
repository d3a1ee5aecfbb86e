"""What the stored calls of a tournament cost, as records: added up by who made them, for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from arena.read.heading import Heading
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """The calls of a participant or judge at one stage, in one role, of one model, added up.

    Attributes:
        participant: '' of what judges spent.
        judge: the bench; '' of what participants spent.
        stage: of the debate; `judging` and `diversity` of calls outside of it.
        role: the agent within the debater, or the judge's task.
        cached_tokens: those of the input that the provider had cached.
        usd: as far as bills are known.
        reserved_usd: the rest, at its worst case.
    """

    participant: Annotated[str, Heading("participant")]
    judge: Annotated[str, Heading("judge")]
    stage: Annotated[str, Heading("stage")]
    role: Annotated[str, Heading("role")]
    model: Annotated[str, Heading("model")]
    calls: Annotated[int, Heading("calls", ",")]
    input_tokens: Annotated[int, Heading("input tokens", ",")]
    cached_tokens: Annotated[int, Heading("cached", ",")]
    output_tokens: Annotated[int, Heading("output tokens", ",")]
    usd: Annotated[float, Heading("USD", ".4f")]
    reserved_usd: Annotated[float, Heading("reserved USD", ".4f")]


_SPENT: Final = """
    WITH made AS (
        SELECT unit, model, split_part(path, '/', 1) AS part, split_part(path, '/', 2) AS stage,
               split_part(path, '/', 3) AS role, task, count(*) AS calls,
               sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens,
               sum(output_tokens) AS output_tokens, sum(cost_usd - reserved_usd) AS usd,
               sum(reserved_usd) AS reserved_usd
        FROM calls GROUP BY ALL
    ), named AS (
        SELECT coalesce(p.name, '') AS participant, '' AS judge, made.*
        FROM made JOIN debates d ON d.debate_id = made.unit
        LEFT JOIN participants p ON p.tournament = d.tournament AND p.participant_id =
            CASE made.part WHEN 'pro' THEN d.pro WHEN 'con' THEN d.con END
        WHERE d.tournament = $name
        UNION ALL
        SELECT '', b.bench, made.* REPLACE ('judging' AS stage, split_part(task, '.', 2) AS role)
        FROM made JOIN ballots b ON b.ballot_id = made.unit JOIN debates d USING (debate_id)
        WHERE d.tournament = $name
        UNION ALL
        SELECT v.participant, '', made.* REPLACE ('diversity' AS stage, 'measuring' AS role)
        FROM made JOIN diversity v ON v.unit = made.unit WHERE v.tournament = $name
    )
    SELECT participant, judge, stage, role, model, sum(calls) AS calls,
           sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens,
           sum(output_tokens) AS output_tokens, sum(usd) AS usd, sum(reserved_usd) AS reserved_usd
    FROM named GROUP BY participant, judge, stage, role, model ORDER BY ALL
"""


def read_costs(store: Store, tournament: str) -> list[CostRow]:
    """Read the stored calls of a tournament, added up."""
    return [CostRow(**row) for row in store.plain_rows(_SPENT, {"name": tournament})]
