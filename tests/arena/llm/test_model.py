"""A model as its users see it: plain texts, answers of a form, and the faults between them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from arena.errors import EmptyReply, Refusal, TruncatedReply, UnparseableReply
from arena.llm.model import LanguageModel, parse, schema_of
from arena.llm.request import Completion, Request
from arena.prompts import Message, Rendered
from tests.scripted import Script, ScriptedBackend, completion
from tests.seats import SAMPLING, language_model

PROMPT = Rendered(
    task="write.test",
    language="en",
    prompt_hash="abc",
    messages=(Message(role="system", text="You write."), Message(role="user", text="Write it.")),
    variables={"it": "it"},
)


class Part(BaseModel):
    """A part."""

    title: str
    default: int = Field(default=3, description="How many.", title="Number")


class Answer(BaseModel):
    """An answer with awkward names of fields."""

    model_config = ConfigDict(extra="forbid")
    title: str
    description: str = ""
    properties: list[Part] = []
    mark: int = Field(default=5, ge=1, le=10, description="A mark.")
    kind: Literal["title", "description"] = "title"
    note: Annotated[int, Field(description="Deep inside.")] | None = None


GOOD = '{"title": "T", "mark": 7}'
CUT = completion('{"title": "T', finish="length")


def attempts(*answers: str | Completion) -> Script:
    """The first answer to attempt 0, the second to attempt 1, and so on."""
    return lambda request: answers[request.attempt]


class Asked:
    """A model and what it was asked."""

    def __init__(self, folder: Path, *answers: str | Completion) -> None:
        self.backend = ScriptedBackend(attempts(*answers))
        self.model: LanguageModel = language_model(self.backend, folder, prefix="pro/")

    @property
    def requests(self) -> list[Request]:
        return self.backend.requests


async def test_a_text_is_one_request(tmp_path: Path) -> None:
    asked = Asked(tmp_path, "  A text.\n")
    assert await asked.model.write(PROMPT, path="rebuttal/writer/1") == "A text."
    (request,) = asked.requests
    assert request.messages == PROMPT.messages
    assert (request.task, request.language, request.prompt_hash) == ("write.test", "en", "abc")
    assert request.variables == {"it": "it"}
    assert (request.path, request.attempt) == ("pro/rebuttal/writer/1", 0)
    assert (request.model, request.sampling) == ("scripted/model", SAMPLING)
    assert request.schema is None


async def test_a_prefix_is_added_to_the_path(tmp_path: Path) -> None:
    asked = Asked(tmp_path, "A text.")
    await asked.model.under("inner/").under("deep/").write(PROMPT, path="1")
    assert asked.requests[0].path == "pro/inner/deep/1"


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_no_text_is_an_empty_reply(text: str, tmp_path: Path) -> None:
    asked = Asked(tmp_path, text)
    with pytest.raises(
        EmptyReply, match=r"scripted/model returned an empty answer \(write\.test\)"
    ):
        await asked.model.write(PROMPT, path="1")
    assert len(asked.requests) == 1


async def test_a_refusal_is_told_with_its_words(tmp_path: Path) -> None:
    asked = Asked(tmp_path, completion("I cannot do that.", finish="refusal"))
    with pytest.raises(Refusal, match=r"refused \(write\.test\): I cannot do that\."):
        await asked.model.write(PROMPT, path="1")
    with pytest.raises(Refusal):
        await asked.model.ask(PROMPT, Answer, path="2")
    assert [one.attempt for one in asked.requests] == [0, 0]


async def test_a_text_that_was_cut_off_is_asked_once_with_twice_the_limit(tmp_path: Path) -> None:
    asked = Asked(
        tmp_path,
        completion("Half a", finish="length"),
        "Half a text, and the rest.",
    )
    assert await asked.model.write(PROMPT, path="1") == "Half a text, and the rest."
    first, second = asked.requests
    assert (first.sampling.max_tokens, second.sampling.max_tokens) == (500, 1000)
    assert (first.attempt, second.attempt) == (0, 1)
    assert first.seed != second.seed
    assert first.path == second.path
    assert first.messages == second.messages
    assert second.sampling.temperature == first.sampling.temperature


async def test_a_text_cut_off_twice_is_truncated(tmp_path: Path) -> None:
    asked = Asked(tmp_path, *[completion("Half", finish="length")] * 2)
    with pytest.raises(TruncatedReply, match="cut off at 1000 tokens"):
        await asked.model.write(PROMPT, path="1")
    assert len(asked.requests) == 2


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"```JSON\n{GOOD}```",
    ],
)
async def test_an_answer_of_the_form_is_read(text: str, tmp_path: Path) -> None:
    asked = Asked(tmp_path, text)
    assert await asked.model.ask(PROMPT, Answer, path="1") == Answer(title="T", mark=7)
    (request,) = asked.requests
    assert request.schema == schema_of(Answer)
    assert request.messages == PROMPT.messages


INVALID = {
    "prose": ("Sorry, here you go.", "$: json_invalid"),
    "prose around it": (f"Sure! {GOOD}", "$: json_invalid"),
    "prose around a fence": (f"Sure:\n```json\n{GOOD}\n```", "$: json_invalid"),
    "two fences": (f"```\n```json\n{GOOD}\n```\n```", "$: json_invalid"),
    "wrong type": ('{"title": 5}', "title: string_type"),
    "a number as text": ('{"title": "T", "mark": "7"}', "mark: int_type"),
    "out of range": ('{"title": "T", "mark": 11}', "mark: less_than_equal"),
    "missing": ('{"mark": 7}', "title: missing"),
    "too much": ('{"title": "T", "extra": 1}', "extra: extra_forbidden"),
    "a choice that is none": ('{"title": "T", "kind": "prose"}', "kind: literal_error"),
    "a list": (f"[{GOOD}]", "$: model_type"),
    "nothing": ("", "$: json_invalid"),
}


def told(problem: str) -> str:
    """A problem in the words of the repair's prompt."""
    place, _, code = problem.partition(": ")
    said = {
        "json_invalid": "it is no valid JSON, or not JSON alone",
        "string_type": "it must be a text",
        "int_type": "it must be a whole number",
        "less_than_equal": "it is too large",
        "missing": "it is missing",
        "extra_forbidden": "the schema has no such field",
        "literal_error": "the schema offers no such value",
        "model_type": "it must be an object",
    }[code]
    return said if place == "$" else f"`{place}`: {said}"


@pytest.mark.parametrize(("text", "problem"), INVALID.values(), ids=INVALID)
async def test_an_invalid_answer_is_repaired_once(text: str, problem: str, tmp_path: Path) -> None:
    asked = Asked(tmp_path, text, GOOD)
    assert await asked.model.ask(PROMPT, Answer, path="1") == Answer(title="T", mark=7)
    first, repair = asked.requests
    assert repair.messages[:2] == PROMPT.messages
    assert repair.messages[2] == Message(role="assistant", text=text or "…")
    assert repair.messages[3].role == "user"
    assert f"Error: {told(problem)}\n" in repair.messages[3].text
    assert schema_of(Answer).text() in repair.messages[3].text
    assert len(repair.messages) == 4
    assert (repair.path, repair.attempt) == (first.path, 1)
    assert repair.seed != first.seed
    assert repair.schema == first.schema
    assert (repair.task, repair.variables) == (first.task, first.variables)


@pytest.mark.parametrize(("text", "problem"), INVALID.values(), ids=INVALID)
async def test_an_answer_invalid_twice_is_unparseable(
    text: str, problem: str, tmp_path: Path
) -> None:
    asked = Asked(tmp_path, "First prose.", text)
    with pytest.raises(UnparseableReply) as raised:
        await asked.model.ask(PROMPT, Answer, path="1")
    assert str(raised.value) == (
        f"scripted/model returned no valid Answer, even after a repair request: {told(problem)}."
    )
    assert len(asked.requests) == 2


async def test_an_answer_that_was_cut_off_is_not_a_repair(tmp_path: Path) -> None:
    asked = Asked(tmp_path, CUT, GOOD)
    assert (await asked.model.ask(PROMPT, Answer, path="1")).mark == 7
    first, second = asked.requests
    assert second.messages == first.messages
    assert (second.sampling.max_tokens, second.attempt) == (1000, 1)
    assert second.schema == first.schema


async def test_an_answer_cut_off_twice_is_truncated_even_if_it_can_be_read(tmp_path: Path) -> None:
    asked = Asked(tmp_path, *[completion(GOOD, finish="length")] * 2)
    with pytest.raises(TruncatedReply):
        await asked.model.ask(PROMPT, Answer, path="1")
    assert len(asked.requests) == 2


async def test_every_request_of_one_answer_has_an_attempt_and_a_seed_of_its_own(
    tmp_path: Path,
) -> None:
    asked = Asked(tmp_path, CUT, "Prose.", CUT, GOOD)
    assert (await asked.model.ask(PROMPT, Answer, path="1")).mark == 7
    assert [one.attempt for one in asked.requests] == [0, 1, 2, 3]
    assert len({one.seed for one in asked.requests}) == 4
    assert [one.sampling.max_tokens for one in asked.requests] == [500, 1000, 500, 1000]
    assert asked.requests[3].messages == asked.requests[2].messages
    assert asked.requests[2].messages[2].text == "Prose."


def test_parsing_is_strict() -> None:
    assert parse(GOOD, Answer).mark == 7
    with pytest.raises(ValueError, match="mark"):
        parse('{"title": "T", "mark": true}', Answer)


def keys(schema: object) -> set[str]:
    """The keywords of a schema; names of fields and of definitions are none."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema))
    if not isinstance(schema, Mapping):
        return set()
    result = set(schema)
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            result |= set().union(*map(keys, value.values()))
        else:
            result |= keys(value)
    return result


def test_a_schema_is_bare() -> None:
    schema = schema_of(Answer)
    assert schema.name == "Answer"
    assert not keys(schema.body) & {"title", "description", "default"}
    assert not [one for one in ("An answer", "How many", "Deep") if one in schema.text()]


def test_a_schema_keeps_fields_whatever_their_name() -> None:
    body = schema_of(Answer).body
    assert set(body["properties"]) == {
        *("title", "description", "properties", "mark", "kind", "note")
    }
    assert set(body["$defs"]["Part"]["properties"]) == {"title", "default"}
    assert body["required"] == ["title"]
    assert body["properties"]["mark"] == {"type": "integer", "minimum": 1, "maximum": 10}
    assert body["properties"]["kind"]["enum"] == ["title", "description"]
    assert body["additionalProperties"] is False


def test_a_schema_in_a_prompt_is_its_json() -> None:
    assert json.loads(schema_of(Answer).text()) == schema_of(Answer).body
