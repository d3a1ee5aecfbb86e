"""JSON schemas as they are sent to providers and to the server of the small model."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from arena.llm.request import Schema
from arena.llm.schemas import fit_schema, list_numbers, response_format, schema_of, wire_schema
from judges.methods.criteria import Card


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


def test_bounds_that_leave_one_number_are_a_choice_of_it() -> None:
    only = {"type": "integer", "minimum": 2, "maximum": 2}
    assert list_numbers(only) == {"type": "integer", "enum": [2]}
    turned = only | {"maximum": 1}
    assert list_numbers(turned) == turned


def test_numbers_are_found_in_lists_of_choices() -> None:
    bounded = {"type": "integer", "minimum": 1, "maximum": 2}
    chosen = list_numbers({"anyOf": [bounded, {"type": "null"}]})
    assert chosen == {"anyOf": [{"type": "integer", "enum": [1, 2]}, {"type": "null"}]}


TEXT = {"type": "string"}


def sent(properties: dict[str, Any], tokens: int) -> dict[str, Any]:
    """Return the fields of a form as they are sent."""
    schema = Schema(name="Form", body={"type": "object", "properties": properties})
    fields: dict[str, Any] = response_format(fit_schema(schema, tokens))["json_schema"]["schema"]
    return dict(fields["properties"])


@pytest.mark.parametrize("tokens", [100, 250, 1000])
def test_the_longest_answer_fits_into_the_limit(tokens: int) -> None:
    fields = sent({"reason": TEXT, "winner": {"enum": ["Pro", "Con"]}, "advice": TEXT}, tokens)
    reason, advice = fields["reason"]["maxLength"], fields["advice"]["maxLength"]
    longest = {"reason": "r" * reason, "winner": "Pro", "advice": "a" * advice}
    assert 2.5 * tokens < len(json.dumps(longest)) <= 3 * tokens
    assert "maxLength" not in fields["winner"]


def test_the_texts_of_a_list_share_the_limit() -> None:
    most = {"type": "array", "items": TEXT, "maxItems": 5, "minItems": 1}
    fields = sent({"queries": most}, 400)
    longest = {"queries": ["q" * fields["queries"]["items"]["maxLength"]] * 5}
    assert 1000 < len(json.dumps(longest)) <= 1200
    assert (fields["queries"]["minItems"], fields["queries"]["maxItems"]) == (1, 5)
    unlimited = sent({"queries": {"type": "array", "items": TEXT}}, 400)["queries"]
    assert "maxItems" not in unlimited and unlimited["items"]["maxLength"] > 200


def test_a_limit_of_the_form_is_kept() -> None:
    fields = sent({"name": TEXT | {"minLength": 1, "maxLength": 20}, "reason": TEXT}, 400)
    assert fields["name"] == {"type": "string", "minLength": 1, "maxLength": 20}


def test_texts_that_may_be_missing_have_a_longest_length_too() -> None:
    fields = sent({"claim": {"anyOf": [TEXT, {"type": "null"}]}}, 200)
    assert fields["claim"]["anyOf"][0]["maxLength"] > 500
    assert fields["claim"]["anyOf"][1] == {"type": "null"}


def test_where_little_room_is_left_texts_keep_a_line() -> None:
    assert sent({"reason": TEXT}, 16)["reason"]["maxLength"] == 60
