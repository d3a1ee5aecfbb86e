"""What the stored calls of a tournament cost, as records: added up by who made them, for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from arena.boards.selection import Selection
from arena.read.heading import Heading
from arena.read.selected import ALL, SELECTED, Narrowing, parameters
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
        retries: of calls that the provider or the network failed.
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
    retries: int
    usd: Annotated[float, Heading("USD", ".4f")]
    reserved_usd: Annotated[float, Heading("reserved USD", ".4f")]

    @property
    def usd_most(self) -> float:
        """All of it, if the answers that never arrived are billed at their worst case."""
        return self.usd + self.reserved_usd


#: The stage of calls that measured essays; they belong to no debate.
MEASURING: Final = "diversity"
_SPENT: Final = f"""{SELECTED}, made AS (
        SELECT unit, model, split_part(path, '/', 1) AS part, split_part(path, '/', 2) AS stage,
               split_part(path, '/', 3) AS role, task, input_tokens, cached_tokens, output_tokens,
               retries, cost_usd - reserved_usd AS usd, reserved_usd
        FROM calls
    ), named AS (
        SELECT CASE part WHEN 'pro' THEN pro WHEN 'con' THEN con ELSE '' END AS participant,
               '' AS judge, made.*
        FROM made JOIN selected d ON d.debate_id = made.unit
        UNION ALL
        SELECT '', b.bench, made.* REPLACE ('judging' AS stage, split_part(task, '.', 2) AS role)
        FROM made JOIN ballots b ON b.ballot_id = made.unit JOIN selected USING (debate_id)
        UNION ALL
        SELECT v.participant, '', made.* REPLACE ('{MEASURING}' AS stage, 'measuring' AS role)
        FROM made JOIN diversity v ON v.unit = made.unit
        WHERE v.tournament = $tournament AND $whole
    )
    SELECT participant, judge, stage, role, model, count(*) AS calls,
           sum(input_tokens) AS input_tokens, sum(cached_tokens) AS cached_tokens,
           sum(output_tokens) AS output_tokens, sum(retries) AS retries, sum(usd) AS usd,
           sum(reserved_usd) AS reserved_usd
    FROM named GROUP BY participant, judge, stage, role, model ORDER BY ALL
"""


def read_costs(store: Store, tournament: str, narrowing: Narrowing = ALL) -> list[CostRow]:
    """Read the stored calls of a tournament, or of some of its debates and their ballots."""
    asked = parameters(Selection(tournament=tournament, bench="all"), narrowing)
    rows = store.plain_rows(_SPENT, asked | {"whole": narrowing == ALL})
    return [CostRow(**row) for row in rows]
