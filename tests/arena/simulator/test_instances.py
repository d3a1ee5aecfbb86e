"""Answers brought into the form of a JSON schema."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from arena.llm.request import Request, Schema
from arena.prompts import Message
from arena.simulator import OfflineBackend
from arena.simulator.instances import SchemaFiller


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = Field(ge=3, le=9)
    name: str = Field(min_length=2)


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["a", "b"]
    fixed: Literal["only"]
    parts: list[Inner] = Field(min_length=2, max_length=4)
    perhaps: Inner | None
    share: float = Field(gt=0, lt=1)
    flag: bool
    extra: str = "left out"


@pytest.mark.parametrize("answer", [{}, {"kind": "c", "parts": [{"number": 99}, 7], "share": 5}])
def test_fills_what_a_form_requires(answer: dict[str, Any]) -> None:
    result = SchemaFiller(Outer.model_json_schema(), Random(1)).fill(answer)
    parsed = Outer.model_validate(result)
    assert parsed.extra == "left out"
    assert parsed.parts[0].number in (3, 9)


def test_keeps_what_fits() -> None:
    part = {"number": 5, "name": "five"}
    answer = {"kind": "b", "fixed": "x", "parts": [part] * 5, "perhaps": part, "share": 0.25}
    result = Outer.model_validate(SchemaFiller(Outer.model_json_schema(), Random(1)).fill(answer))
    assert (result.kind, result.fixed, len(result.parts), result.share) == ("b", "only", 4, 0.25)
    assert result.perhaps == Inner(number=5, name="five")


def test_choices_are_not_always_the_first() -> None:
    schema = {"properties": {"winner": {"enum": ["Pro", "Con"]}}, "required": ["winner"]}
    found = {SchemaFiller(schema, Random(seed)).fill({})["winner"] for seed in range(20)}
    assert found == {"Pro", "Con"}


class Node(BaseModel):
    children: list[Node] = Field(min_length=1)


def test_a_form_without_end_ends() -> None:
    assert SchemaFiller(Node.model_json_schema(), Random(1)).fill({})["children"]


async def test_an_unknown_task_gets_an_instance() -> None:
    schema = Outer.model_json_schema()
    request = Request(
        model="offline/good",
        messages=(Message(role="user", text="Sing."),),
        task="opera.sing",
        schema=Schema(name="Outer", body=schema),
        path="x",
        seed=3,
    )
    backend = OfflineBackend()
    first, second = await backend.complete(request), await backend.complete(request)
    assert first == second
    Outer.model_validate(json.loads(first.text))
