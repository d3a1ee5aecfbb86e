"""What the model behind the server says: the same to the same seed and messages."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from arena.llm.request import Completion, Request
from arena.prompts import Message
from arena.records import Sampling
from tests.servers.ledger import identity, limit

Answer: TypeAlias = Callable[[Mapping[str, Any]], str | Awaitable[str]]

_SENTENCES = (
    "The motion stands or falls with its consequences for ordinary people.",
    "Our opponents describe a danger without showing how likely it is.",
    "The strongest evidence points in one direction, and it is ours.",
    "A rule that nobody can enforce protects nobody.",
    "Costs that fall on a few weigh more heavily than they seem.",
    "What worked in one country has since been repeated in three others.",
    "Freedom of choice matters most where mistakes can be undone.",
    "The other side has not answered this point, and it decides the debate.",
    "Even if their figures were right, the conclusion would not follow.",
    "We should prefer the option that remains open to correction.",
)
_CHINESE = (
    "这一辩题的关键在于它对普通人的影响。",
    "对方描述了风险，却没有说明其可能性。",
    "最有力的证据支持我方的立场。",
    "无法执行的规则保护不了任何人。",
    "对方至今没有回应我方的核心论点。",
    "即使对方的数据正确，结论也不能成立。",
)
#: What a prompt says that asks for a text after an object.
_TEXT_FOLLOWS = ("after a blank line", "空一行")
_SPEECHES = frozenset({"speech", "text"})


class Completes(Protocol):
    """Anything that answers requests, for example the offline simulator."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request."""
        ...


def canned(text: str = "Understood.") -> Answer:
    """Always the same text."""
    return lambda body: text


def speech() -> str:
    """Always the same speech."""
    return " ".join(_SENTENCES)


def debater(body: Mapping[str, Any]) -> str:
    """A valid instance of the schema that the prompt shows, else a short speech."""
    rng = random.Random(identity(body))
    chinese = _is_chinese(body)
    schema = schema_in(body)
    if schema is None:
        return _speech(rng, chinese=chinese)
    made = Instance(schema, rng, chinese=chinese).make()
    answer = json.dumps(_agreeing(made), ensure_ascii=False)
    followed = any(sign in body["messages"][-1]["content"] for sign in _TEXT_FOLLOWS)
    if not followed or made.get("marker") == "needs_material":
        return answer
    return f"{answer}\n\n{_speech(rng, chinese=chinese)}"


def _agreeing(made: Any) -> Any:  # noqa: ANN401 - whatever the schema asks for
    """A verdict whose winner has the higher mark; anything else as it is."""
    if not isinstance(made, dict) or not {"winner", "pro_mark", "con_mark"} <= set(made):
        return made
    low, high = sorted((made["pro_mark"], made["con_mark"]))
    pro, con = (low, high) if made["winner"] == "Con" else (high, low)
    return {**made, "pro_mark": pro, "con_mark": con}


def by_backend(backend: Completes, model: str) -> Answer:
    """Answers of a backend. No task travels over HTTP, so it is asked for plain text."""

    async def answer(body: Mapping[str, Any]) -> str:
        completion = await backend.complete(
            Request(
                model=model,
                messages=tuple(
                    Message(role=message["role"], text=message["content"])
                    for message in body["messages"]
                ),
                task="unknown",
                sampling=Sampling(max_tokens=limit(body)),
                path="http",
                seed=body.get("seed") or 0,
            )
        )
        return completion.text

    return answer


def schema_in(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema in the prompt's last line that ends with one, else that of `response_format`.

    The one that is sent lacks the limits that some providers refuse.
    """
    for message in reversed(body["messages"]):
        for line in reversed(message["content"].splitlines()):
            if (document := _schema(line)) is not None:
                return document
    asked = body.get("response_format") or {}
    return dict(asked["json_schema"]["schema"]) if asked.get("type") == "json_schema" else None


def _schema(line: str) -> dict[str, Any] | None:
    if "{" not in line:
        return None
    try:
        document = json.loads(line[line.index("{") :])
    except ValueError:
        return None
    known = isinstance(document, dict) and (
        isinstance(document.get("type"), str) or "anyOf" in document or "$ref" in document
    )
    return document if known else None


class Instance:
    """A random value that satisfies a JSON schema."""

    def __init__(self, schema: Mapping[str, Any], rng: random.Random, *, chinese: bool) -> None:
        self._root = schema
        self._rng = rng
        self._chinese = chinese

    def make(self) -> Any:  # noqa: ANN401 - whatever the schema asks for
        """The value."""
        return self._value(self._root, "")

    def _value(self, schema: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401
        if "$ref" in schema:
            return self._value(self._root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], key)
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return self._value(schema[choice][0], key)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        kind = schema.get("type", "object")
        return self._of_kind(kind[0] if isinstance(kind, list) else kind, schema, key)

    def _of_kind(self, kind: str, schema: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401
        match kind:
            case "object":
                parts = schema.get("properties", {})
                return {name: self._value(part, name) for name, part in parts.items()}
            case "array":
                return self._array(schema, key)
            case "integer" | "number":
                return self._number(kind, schema)
            case "boolean":
                return self._rng.random() < 0.5
            case "string":
                return self._string(schema, key)
            case _:
                return None

    def _array(self, schema: Mapping[str, Any], key: str) -> list[Any]:
        fewest = schema.get("minItems", 1)
        count = self._rng.randint(fewest, max(fewest, min(schema.get("maxItems", 2), fewest + 2)))
        if "prefixItems" in schema:
            return [self._value(part, key) for part in schema["prefixItems"]]
        return [self._value(schema.get("items", {"type": "string"}), key) for _ in range(count)]

    def _number(self, kind: str, schema: Mapping[str, Any]) -> float:
        lowest: float = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        highest: float = schema.get("maximum", schema.get("exclusiveMaximum", lowest + 10))
        if kind == "number":
            return round(lowest + (highest - lowest) * self._rng.uniform(0.1, 0.9), 3)
        first: int = int(lowest) + ("exclusiveMinimum" in schema)
        return self._rng.randint(first, int(highest) - ("exclusiveMaximum" in schema))

    def _string(self, schema: Mapping[str, Any], key: str) -> str:
        sentences = _CHINESE if self._chinese else _SENTENCES
        speech = key in _SPEECHES
        made = _speech(self._rng, chinese=self._chinese) if speech else self._rng.choice(sentences)
        made = made.ljust(schema.get("minLength", 0), ".")
        return made[: schema.get("maxLength", len(made))]


def _speech(rng: random.Random, *, chinese: bool) -> str:
    # Ten of the sentences above are about 120 words.
    chosen = [rng.choice(_CHINESE if chinese else _SENTENCES) for _ in range(10)]
    if rng.random() < 0.5:
        chosen[0] = f"{chosen[0]} [1]"
    return ("" if chinese else " ").join(chosen)


def _is_chinese(body: Mapping[str, Any]) -> bool:
    # Prompts are in one language: an English one has no ideograph, quoted material may have some.
    text = "".join(message["content"] for message in body["messages"])
    return sum("\u4e00" <= char <= "\u9fff" for char in text) > len(text) / 20
