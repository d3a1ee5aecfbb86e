"""What a participant's side of a debate and the judging of one cost, at list price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.config.resolve import ResolvedConfig
from arena.store.database import Store
from arena.tournament.forecast import CostForecast, Price

#: How many debates a forecast counts for, beside those that are done.
_FORECAST_DEBATES = 2

_SIDES = """
    SELECT CASE split_part(c.path, '/', 1) WHEN 'pro' THEN d.pro ELSE d.con END AS owner,
           c.model, sum(c.input_tokens) AS input, sum(c.output_tokens) AS output
    FROM calls c JOIN debates d ON d.debate_id = c.unit
    WHERE list_contains(CAST($ids AS TEXT[]), d.debate_id)
      AND split_part(c.path, '/', 1) IN ('pro', 'con')
    GROUP BY ALL ORDER BY ALL
"""
_JUDGING = """
    SELECT '' AS owner, c.model, sum(c.input_tokens) AS input, sum(c.output_tokens) AS output
    FROM calls c JOIN ballots b ON b.ballot_id = c.unit
    WHERE list_contains(CAST($ids AS TEXT[]), b.debate_id)
    GROUP BY ALL ORDER BY ALL
"""
_SEATS = """
    SELECT owner, count(*) AS debates FROM (
        SELECT unnest([pro, con]) AS owner FROM debates
        WHERE list_contains(CAST($ids AS TEXT[]), debate_id)
    ) GROUP BY owner
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrices:
    """What debates cost on average, in USD.

    Attributes:
        sides: one side of one debate, by participant's id.
        judging: all ballots on one debate.
    """

    sides: Mapping[str, float]
    judging: float


def list_prices(
    store: Store, resolved: ResolvedConfig, debate_ids: Sequence[str], *, price: Price
) -> ListPrices:
    """Work out what debates cost, from the tokens of accepted answers.

    Answers that were lost, repeated or are reserved do not count, so that the same debates always
    give the same prices. A forecast counts like two further debates.

    Args:
        store: holds the debates.
        resolved: their tournament.
        debate_ids: of the debates that count, all of them judged.
        price: looks up a model's list price: USD per input token and per output token.
    """
    forecast = CostForecast(resolved, price=price)
    rows = store.rows(_SEATS, {"ids": list(debate_ids)}) if debate_ids else []
    debates = {row["owner"]: row["debates"] for row in rows}
    paid = _paid(store, _SIDES, debate_ids, price)
    judging = _paid(store, _JUDGING, debate_ids, price).get("", 0.0)
    return ListPrices(
        sides={
            participant.participant_id: _blend(
                paid.get(participant.participant_id, 0.0),
                debates.get(participant.participant_id, 0),
                forecast.side(participant.participant_id),
            )
            for participant in resolved.participants
        },
        judging=_blend(judging, len(debate_ids), forecast.judging()),
    )


def _paid(store: Store, query: str, debate_ids: Sequence[str], price: Price) -> dict[str, float]:
    """Return the sums in USD by owner."""
    paid: dict[str, float] = {}
    for row in store.rows(query, {"ids": list(debate_ids)}) if debate_ids else ():
        read, written = price(row["model"])
        usd = float(row["input"]) * read + float(row["output"]) * written
        paid[row["owner"]] = paid.get(row["owner"], 0.0) + usd
    return paid


def _blend(paid: float, debates: int, forecast: float) -> float:
    return (paid + _FORECAST_DEBATES * forecast) / (debates + _FORECAST_DEBATES)
