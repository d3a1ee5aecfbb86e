"""Parameters of a call that a provider may refuse, and the form of structured answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.llm.faults import LONGEST_MESSAGE, REFUSED, TOO_LONG, error_body, message_of, status_of
from arena.llm.request import Request, Schema

#: What may be left out when a provider refuses it, in this order.
_OPTIONAL = ("response_format", "top_p", "seed", "temperature")
#: Values that are a provider's own default, so that leaving them out changes nothing.
_NEUTRAL: Mapping[str, float] = {"top_p": 1.0, "temperature": 1.0}


def optional_parameters(request: Request) -> dict[str, float]:
    """What a request asks for and a provider may refuse."""
    sampling = request.sampling
    return {"temperature": sampling.temperature, "top_p": sampling.top_p, "seed": request.seed}


def response_format(schema: Schema) -> dict[str, Any]:
    """A schema as OpenAI's interface wants it; strict where it satisfies the rules for that."""
    form: dict[str, Any] = {"name": schema.name, "schema": dict(schema.body)}
    if _is_closed(schema.body):
        form["strict"] = True
    return {"type": "json_schema", "json_schema": form}


def blamed_parameter(error: BaseException, asked: Mapping[str, Any]) -> str | None:
    """The parameter of a call that the provider (or LiteLLM for it) refuses, and that can go."""
    if status_of(error) not in (400, 422) or type(error).__name__ in (REFUSED, TOO_LONG):
        return None
    body, message = error_body(error), message_of(error)[:LONGEST_MESSAGE]
    neutral_first = sorted(_OPTIONAL, key=lambda name: not changes_nothing(name, asked.get(name)))
    named = [
        name
        for name in neutral_first
        if name in asked and (body.get("param") == name or re.search(rf"\b{name}\b", message))
    ]
    if not named and "max_tokens" in asked and "max_completion_tokens" in message:
        return "max_tokens"  # the same limit under its newer name
    return named[0] if named else None


def changes_nothing(name: str, value: float | None) -> bool:
    """Whether a sampling parameter has the value that providers take by default."""
    return name in _NEUTRAL and value == _NEUTRAL[name]


def _is_closed(schema: object) -> bool:
    # OpenAI's strict mode: every object lists all of its fields as required and allows no others.
    if isinstance(schema, list):
        return all(_is_closed(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        fields = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            return False
        if set(schema.get("required", ())) != set(fields):
            return False
    return all(_is_closed(part) for part in schema.values())
