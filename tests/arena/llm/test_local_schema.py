"""Schemas for the small model's server."""

from __future__ import annotations

from typing import Any

import pytest

from arena.llm.local_schema import list_numbers
from arena.llm.model import schema_of
from arena.llm.wire_schema import wire_schema
from judges.methods.criteria import Card


def test_the_scores_of_a_card_are_a_choice_where_it_is_sent() -> None:
    sent = wire_schema(list_numbers(schema_of(Card).body))
    score = sent["properties"]["pro"]["properties"]["depth"]
    assert score == {"type": "integer", "enum": list(range(1, 21))}
    assert sent["properties"]["judgement"] == {"type": "string"}


@pytest.mark.parametrize(
    "body",
    [
        {"type": "number"},
        {"type": "number", "minimum": 1},
        {"type": "number", "minimum": 0.5, "maximum": 2},
        {"type": "integer", "minimum": 1, "maximum": 1000},
        {"enum": ["minimum", "maximum"]},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    ],
)
def test_everything_else_stays(body: dict[str, Any]) -> None:
    assert list_numbers(body) == body


def test_numbers_are_found_in_lists_of_choices() -> None:
    bounded = {"type": "integer", "minimum": 1, "maximum": 2}
    chosen = list_numbers({"anyOf": [bounded, {"type": "null"}]})
    assert chosen == {"anyOf": [{"type": "integer", "enum": [1, 2]}, {"type": "null"}]}
