"""Answers of a good model, bent out of shape in the ways in which models bend theirs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, TypeAlias

from arena.llm.answer_places import find_answer
from arena.llm.request import Backend, Completion, Embeddings, Request
from arena.llm.wire.bodies import normalise_answer

_Schema: TypeAlias = Mapping[str, Any]
#: A deformed answer: its text, or the message of a server.
Deformed: TypeAlias = str | Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer in its parts.

    Attributes:
        text: the text, or the text after the object; empty where there is none.
        fields: the object; None where none was asked for.
        schema: of the object.
        language: code of the prompt's language.
    """

    text: str
    fields: Mapping[str, Any] | None = None
    schema: _Schema = field(default_factory=dict)
    language: str = "en"

    def render(self, shape: Callable[[str], str] = str) -> str:
        """Return the answer with its object (or the whole text, without one) in a shape."""
        if self.fields is None:
            return shape(self.text)
        body = shape(json.dumps(self.fields, ensure_ascii=False))
        return f"{body}\n\n{self.text}" if self.text else body


def _before(answer: Answer) -> str:
    return f"Sure, here is my answer:\n\n{answer.render()}"


def _extra_key(answer: Answer) -> str:
    if answer.fields is None:
        return f"# {'发言' if answer.language == 'zh' else 'Speech'}\n\n{answer.text}"
    return replace(answer, fields={**answer.fields, "confidence_level": "high"}).render()


def _number_as_string(answer: Answer) -> str:
    if answer.fields is None:
        return f"{answer.text}\n\n({'480字' if answer.language == 'zh' else '148 words'})"
    return replace(answer, fields=_map_numbers(answer.fields)).render()


def _letter_case(answer: Answer) -> str:
    if answer.fields is None:
        first, stop, rest = answer.text.partition("\n")
        return f"**{first}**{stop}{rest}"
    fields = _map_choices(answer.fields, answer.schema, answer.schema)
    return replace(answer, fields=fields).render()


def _after(answer: Answer) -> str:
    return f"{answer.render()}\n\nLet me know if you need anything else!"


def _fence(answer: Answer) -> str:
    return answer.render(lambda text: f"```json\n{text}\n```")


def _thinking(answer: Answer) -> str:
    return f"<think>\nFirst {{the motion}}, then the answer.\n</think>\n\n{answer.render()}"


def _closing_tag(answer: Answer) -> str:
    return f"First the motion, then the answer.\n</think>\n\n{answer.render()}"


def _line_break(answer: Answer) -> str:
    if answer.fields is None:
        return answer.text.replace(". ", ".\n").replace("。", "。\n")
    broken = _map_texts(answer.fields, lambda text: f"{text[:4]}\x00{text[4:]}" if text else text)
    text = replace(answer, fields=broken).render()
    return text.replace("\\u0000", "\n").replace("\x00", "\n")


def _list(answer: Answer) -> str:
    if answer.fields is None:
        return f"- {answer.text}"
    return answer.render(lambda text: f"[{text}]")


def _other_language(answer: Answer) -> str:
    if answer.language == "zh":
        return f"Sure, here is my answer:\n\n{answer.render()}\n\nI hope this helps!"
    return f"好的，以下是我的回答：\n\n{answer.render()}\n\n希望这个回答对你有帮助！"


def _cut(answer: Answer) -> str:
    text = answer.render()
    return text[: len(text) * 4 // 5]


#: What is done to an answer, by name; the first twelve leave its meaning alone.
DEFORMATIONS: Mapping[str, Callable[[Answer], str]] = {
    "text before": _before,
    "extra key": _extra_key,
    "number as string": _number_as_string,
    "letter case": _letter_case,
    "text after": _after,
    "fence": _fence,
    "<think>": _thinking,
    "lone </think>": _closing_tag,
    "raw line break": _line_break,
    "list around": _list,
    "other language around": _other_language,
    "cut tail": _cut,
}


def read_answer(text: str, request: Request) -> Answer:
    """Return the parts of a good answer to a request."""
    if request.schema is None:
        return Answer(text=text, language=request.language)
    fields, end = json.JSONDecoder().raw_decode(text)
    return Answer(
        text=text[end:].strip(),
        fields=fields,
        schema=request.schema.body,
        language=request.language,
    )


@dataclass(slots=True, kw_only=True)
class DeformingBackend(Backend):
    """A backend whose answers are deformed: the first to every call, or all.

    Attributes:
        kind: a name of `DEFORMATIONS`; empty for answers as they are.
        always: whether repeated requests meet it too.
        structured_only: whether plain texts are left alone.
        kinds: what is done, by name.
    """

    inner: Backend
    kind: str = ""
    always: bool = False
    structured_only: bool = False
    kinds: Mapping[str, Callable[[Answer], Deformed]] = field(default_factory=lambda: DEFORMATIONS)
    deformed: Counter[str] = field(default_factory=Counter)

    async def complete(self, request: Request) -> Completion:
        """Return the inner backend's answer, deformed; one with a cut tail says that it was cut."""
        completion = await self.inner.complete(request)
        if not self.kind or (request.attempt and not self.always):
            return completion
        if self.structured_only and request.schema is None:
            return completion
        self.deformed[request.task] += 1
        answer = self.kinds[self.kind](read_answer(completion.text, request))
        if not isinstance(answer, str):
            return _read_message(answer, request, completion)
        reason = "length" if self.kind == "cut tail" else completion.finish_reason
        return replace(completion, text=answer, finish_reason=reason)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Return the inner backend's embeddings."""
        return await self.inner.embed(model, texts)

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        """Return the inner backend's price."""
        return self.inner.price(model, prompt_tokens)


def _read_message(
    message: Mapping[str, Any], request: Request, completion: Completion
) -> Completion:
    """Read a server's message as it is read from the wire, and as the client library shows it."""
    body = {"choices": [{"message": message}]}
    _, sent = normalise_answer(json.dumps(body, ensure_ascii=False).encode())
    fields = json.loads(sent)["choices"][0]["message"]
    shown = json.loads(json.dumps(fields), object_hook=lambda part: SimpleNamespace(**part))
    shown.provider_specific_fields = fields
    is_whole = completion.finish_reason == "stop"
    text, place = find_answer(shown, request, is_whole=is_whole)
    return replace(completion, text=text, place=place)


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - JSON
    """Change the texts in a value that are no choices: those with a blank or many characters."""
    if isinstance(value, dict):
        return {name: _map_texts(part, change) for name, part in value.items()}
    if isinstance(value, list):
        return [_map_texts(part, change) for part in value]
    return change(value) if isinstance(value, str) and len(value) > 16 else value


def _map_numbers(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _map_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_map_numbers(part) for part in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _map_choices(value: Any, part: _Schema, schema: _Schema) -> Any:  # noqa: ANN401 - JSON
    """Change the letter case of the values for which a schema offers a choice."""
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        parts = part.get("properties", {})
        return {
            name: _map_choices(item, parts.get(name, {}), schema) for name, item in value.items()
        }
    if isinstance(value, list):
        return [_map_choices(item, part.get("items", {}), schema) for item in value]
    if isinstance(value, str) and ("enum" in part or "const" in part):
        return value.capitalize() if value != value.capitalize() else value.upper()
    return value
