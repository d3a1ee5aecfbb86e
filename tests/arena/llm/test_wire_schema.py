"""Schemas as they are sent: what strict modes refuse stays with our own validation."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from arena.llm.model import schema_of
from arena.llm.request import Schema
from arena.llm.wire_schema import response_format, wire_schema


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: Annotated[str, Field(min_length=1, max_length=80, pattern="^[A-Z]")]
    page: int | None = None


class Finding(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["fact", "value"]
    always: Literal[1] = 1
    mark: int = Field(ge=1, le=10)
    share: float = Field(default=0.5, multiple_of=0.1)
    sources: list[Source] = Field(min_length=1, max_length=3)
    pair: tuple[int, int] = (1, 2)
    best: Source


class Tree(BaseModel):
    name: str
    parts: list[Tree] = []


REFUSED_SOMEWHERE = (
    "default minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum "
    "minItems maxItems multipleOf uniqueItems title prefixItems oneOf"
).split()
SOURCE = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "page": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["title", "page"],
    "additionalProperties": False,
}


def test_everything_is_required_and_nothing_else_is_allowed() -> None:
    assert wire_schema(schema_of(Finding).body) == {
        "type": "object",
        "properties": {
            "kind": {"enum": ["fact", "value"], "type": "string"},
            "always": {"const": 1, "type": "integer"},
            "mark": {"type": "integer"},
            "share": {"type": "number"},
            "sources": {"type": "array", "items": SOURCE},
            "pair": {"type": "array", "items": {"type": "integer"}},
            "best": SOURCE,
        },
        "required": ["kind", "always", "mark", "share", "sources", "pair", "best"],
        "additionalProperties": False,
    }


def test_a_field_may_have_the_name_of_a_keyword() -> None:
    class Odd(BaseModel):
        pattern: str
        default: str
        minimum: int

    sent = wire_schema(schema_of(Odd).body)
    assert list(sent["properties"]) == sent["required"] == ["pattern", "default", "minimum"]


def test_a_schema_that_refers_to_itself_keeps_its_references() -> None:
    sent = wire_schema(Tree.model_json_schema())
    assert sent["$ref"] == "#/$defs/Tree"
    assert sent["$defs"]["Tree"]["properties"]["parts"]["items"] == {"$ref": "#/$defs/Tree"}
    assert sent["$defs"]["Tree"]["required"] == ["name", "parts"]


@pytest.mark.parametrize("form", [Finding, Source, Tree])
def test_no_keyword_is_sent_that_strict_modes_refuse(form: type[BaseModel]) -> None:
    class Lookalike(BaseModel):
        inner: form  # type: ignore[valid-type]

    text = json.dumps(wire_schema(Lookalike.model_json_schema()))
    assert [name for name in REFUSED_SOMEWHERE if f'"{name}":' in text and name != "title"] == []


def test_strict_unless_keys_are_free() -> None:
    class Free(BaseModel):
        marks: dict[str, int]

    def is_strict(form: type[BaseModel]) -> bool:
        asked = response_format(Schema(name="Form", body=form.model_json_schema()))
        return bool(asked["json_schema"].get("strict", False))

    assert is_strict(Finding)
    assert not is_strict(Free)
    assert wire_schema(Free.model_json_schema())["properties"]["marks"] == {
        "type": "object",
        "additionalProperties": {"type": "integer"},
    }
