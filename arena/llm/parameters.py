"""Call parameters that a provider may refuse, and the `response_format` of structured answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from arena.llm.faults import LONGEST_MESSAGE, REFUSED, TOO_LONG, error_body, message_of, status_of
from arena.llm.request import Request, Schema

#: Parameters that may be left out when a provider refuses them, in this order.
_OPTIONAL = ("response_format", "top_p", "seed", "temperature")
#: Values that are providers' defaults, so that leaving them out changes nothing.
_NEUTRAL: Mapping[str, float] = {"top_p": 1.0, "temperature": 1.0}


def optional_parameters(request: Request) -> dict[str, float]:
    """Return the sampling parameters of a request that a provider may refuse."""
    sampling = request.sampling
    return {"temperature": sampling.temperature, "top_p": sampling.top_p, "seed": request.seed}


def response_format(schema: Schema) -> dict[str, Any]:
    """Return a schema in OpenAI's format; strict where it satisfies the rules of strict mode."""
    json_schema: dict[str, Any] = {"name": schema.name, "schema": dict(schema.body)}
    if _is_closed(schema.body):
        json_schema["strict"] = True
    return {"type": "json_schema", "json_schema": json_schema}


def refused_parameter(error: BaseException, arguments: Mapping[str, Any]) -> str | None:
    """Find the parameter that the provider, or LiteLLM, refuses and that can be left out.

    Args:
        error: what the call raised.
        arguments: of the call.

    Returns:
        The name of a parameter; `None` where the error has another reason.
    """
    if status_of(error) not in (400, 422) or type(error).__name__ in (REFUSED, TOO_LONG):
        return None
    body, message = error_body(error), message_of(error)[:LONGEST_MESSAGE]
    neutral_first = sorted(_OPTIONAL, key=lambda name: not is_default(name, arguments.get(name)))
    refused = [
        name
        for name in neutral_first
        if name in arguments and (body.get("param") == name or re.search(rf"\b{name}\b", message))
    ]
    if not refused and "max_tokens" in arguments and "max_completion_tokens" in message:
        return "max_tokens"  # the same limit under its newer name
    return refused[0] if refused else None


def is_default(name: str, value: float | None) -> bool:
    """Return whether a sampling parameter has the value that providers use by default."""
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
