"""Stored calls of models as records, each with whoever made it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from arena.boards.selection import Selection
from arena.read.heading import Heading
from arena.read.selected import (
    ALL,
    BALLOTS,
    IN_ORDER,
    OF_BENCH,
    SELECTED,
    Narrowing,
    columns_of,
    parameters,
)
from arena.records import Call
from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow(Call):
    """A stored call, of a participant or of a bench.

    Attributes:
        participant: whose speech it served; '' of a judge's call.
        bench: whose ballot it served; '' of a debater's call.
        unit: the id of the debate or ballot.
    """

    debate_id: Annotated[str, Heading("debate", style=lambda text: text[:8])]
    participant: Annotated[str, Heading("participant")]
    bench: Annotated[
        str,
        Heading("bench"),
        Heading("call", str, lambda row: row.path),
        Heading("model", str, lambda row: row.model),
        Heading("input tokens", ",", lambda row: row.input_tokens),
        Heading("output tokens", ",", lambda row: row.output_tokens),
        Heading("seconds", ".1f", lambda row: row.seconds),
        Heading("USD", ".6f", lambda row: row.cost_usd),
    ]
    unit: str


_CALLS: Final = f"""{SELECTED}, units AS (
        SELECT debate_id AS unit, debate_id, '' AS bench, pro, con, {IN_ORDER} FROM selected
        UNION ALL
        SELECT b.ballot_id, b.debate_id, b.bench, '', '', {IN_ORDER}
        FROM ballots b JOIN selected USING (debate_id) WHERE {OF_BENCH}
    )
    SELECT u.debate_id, u.bench, unit, {columns_of(Call, "c")},
           CASE split_part(path, '/', 1) WHEN 'pro' THEN pro WHEN 'con' THEN con ELSE '' END
               AS participant
    FROM calls c JOIN units u USING (unit)
    ORDER BY {IN_ORDER}, u.bench, unit, path, attempt
"""


_EXCHANGES: Final = """
    SELECT requests_and_answers AS blob FROM exchanges WHERE unit = $unit ORDER BY part
"""


def read_exchanges(store: Store, unit: str) -> list[dict[str, Any]]:
    """Read the requests and answers of a unit's calls, a debate's or a ballot's."""
    rows = store.plain_rows(_EXCHANGES, {"unit": unit})
    return [call for row in rows for call in json.loads(zlib.decompress(row["blob"]))]


_LAST_EXCHANGES: Final = """
    SELECT unit, arg_max(requests_and_answers, part) AS blob FROM exchanges
    WHERE list_contains($units, unit) GROUP BY unit ORDER BY unit
"""


def read_last_exchanges(
    store: Store, units: Iterable[str]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each of some units with the requests and answers of the last time it was asked for."""
    for row in store.plain_rows(_LAST_EXCHANGES, {"units": list(units)}):
        yield row["unit"], json.loads(zlib.decompress(row["blob"]))


def read_calls(store: Store, selection: Selection, narrowing: Narrowing = ALL) -> list[CallRow]:
    """Read the calls of a selection's debates, and of its benches' ballots on them.

    Unfinished debates keep theirs in a journal, which is not read.
    """
    asked = parameters(selection, narrowing, *BALLOTS)
    return [CallRow(**row) for row in store.plain_rows(_CALLS, asked)]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCost:
    """What the calls of a unit took, of a debate, a ballot or a trial.

    Attributes:
        tokens: of prompts and answers.
        reserved_usd: the part of their cost whose bill is not known, at its worst case.
    """

    tokens: int
    reserved_usd: float


_UNIT_COSTS: Final = """
    SELECT unit, CAST(sum(input_tokens + output_tokens) AS BIGINT) AS tokens,
           sum(reserved_usd) AS reserved_usd
    FROM calls WHERE unit IN (SELECT unnest(CAST($units AS TEXT[]))) GROUP BY unit
"""


def read_unit_costs(store: Store, units: Iterable[str]) -> dict[str, UnitCost]:
    """Read what the calls of some units took, by unit; those without a call are left out."""
    rows = store.plain_rows(_UNIT_COSTS, {"units": list(units)})
    return {row.pop("unit"): UnitCost(**row) for row in rows}
