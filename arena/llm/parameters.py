"""The arguments of a call, and which of them an error blames."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from arena.llm.faults import (
    LONGEST_MESSAGE,
    blamed_fields,
    error_body,
    http_response,
    is_explained,
    message_of,
    status_of,
)
from arena.llm.request import Request, Structured
from arena.llm.structured import FormRefused
from arena.llm.wire_schema import response_format

#: The argument that asks for a structured answer.
FORM: Final = "response_format"
#: Arguments that are sent even where LiteLLM does not know that the model takes them.
_ALWAYS_SENT = (FORM, "reasoning_effort")
#: Parameters that may be left out when a provider refuses them, in this order.
_OPTIONAL = (FORM, "top_p", "seed", "temperature", "reasoning_effort")
#: What providers call the parameters that have other names there.
_OWN_NAMES: Mapping[str, str] = {
    "reasoning_effort": "thinking|reasoning",
    "seed": "random_seed",
    "top_p": "topP",
}
#: Values that are providers' defaults, so that leaving them out changes nothing.
_NEUTRAL: Mapping[str, float] = {"top_p": 1.0, "temperature": 1.0}

#: Words with which servers blame the form of an answer without naming `response_format`.
_FORM_WORDS = re.compile(
    r"json[_ ]?(?:schema|object|mode)|structured[ _]?output|guided[_ ]|grammar|output_(?:format|"
    r"config)|\bschemas?\b|tool_choice|json_tool_call|requested parameters",
    re.IGNORECASE,
)
#: Statuses other than 400 and 422 with which some servers refuse a form that they cannot make.
_FORM_STATUSES = frozenset({404, 415, 500, 501})
#: Codes with which a provider says that the model failed to keep to the form this once.
_MISSED_CODES = frozenset({"json_validate_failed", "tool_use_failed"})


def optional_parameters(request: Request) -> dict[str, float | str]:
    """Return the sampling parameters of a request that a provider may refuse."""
    sampling = request.sampling
    parameters: dict[str, float | str] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": request.seed,
    }
    if sampling.reasoning_effort is not None:
        parameters["reasoning_effort"] = sampling.reasoning_effort
    return parameters


def call_arguments(
    request: Request, mode: Structured, *, accepts: frozenset[str], refused: frozenset[str]
) -> dict[str, Any]:
    """Return the arguments of LiteLLM's call that follow from a request.

    Args:
        request: what is asked.
        mode: how its form is asked for, if it has one.
        accepts: the parameters that LiteLLM knows how to send to the model.
        refused: the parameters that the model has refused.
    """
    limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    arguments: dict[str, Any] = {
        "messages": [
            {"role": message.role, "content": message.text} for message in request.messages
        ],
        limit: request.output_limit,
    }
    sendable = accepts.union(_ALWAYS_SENT) - refused
    optional = optional_parameters(request).items()
    arguments |= {name: value for name, value in optional if name in sendable}
    if request.sent_schema and mode != "prompt":
        whole = (
            response_format(request.sent_schema) if mode == "schema" else {"type": "json_object"}
        )
        arguments[FORM] = whole
    if request.extra_body:
        arguments["extra_body"] = dict(request.extra_body)
        if request.model.startswith("mistral/") and "seed" in arguments:
            # LiteLLM sends Mistral's seed in `extra_body`, and forgets it where there is one.
            arguments["extra_body"]["random_seed"] = arguments.pop("seed")
    # Only what LiteLLM would hold back: what it translates must not be sent a second time.
    if held := [name for name in _ALWAYS_SENT if name in arguments and name not in accepts]:
        arguments["allowed_openai_params"] = held
    return arguments


def find_refused(error: Exception, arguments: Mapping[str, Any]) -> str:
    """Return the sampling parameter that an error blames.

    Raises:
        FormRefused: it blames the form, or something unknown while a form was asked for.
        Exception: the error itself.
    """
    name = refused_argument(error, arguments)
    if name == FORM:
        raise FormRefused(error, blamed=True) from None
    if name is not None:
        return name
    if FORM in arguments and _is_unexplained(error):
        lasting = not _is_missed_form(error)
        raise FormRefused(error, blamed=False, lasting=lasting) from None
    raise error


def refused_argument(error: BaseException, arguments: Mapping[str, Any]) -> str | None:
    """Find the argument that the provider, or LiteLLM, refuses and that can be left out.

    Args:
        error: what the call raised.
        arguments: of the call.

    Returns:
        The name of an argument; `None` where the error has another reason, or gives none.
    """
    if is_explained(error):
        return None
    message = message_of(error)[:LONGEST_MESSAGE]
    if status_of(error) not in (400, 422):
        blames = FORM in arguments and http_response(error) is not None
        known = status_of(error) in _FORM_STATUSES
        return FORM if blames and known and _blames_form(message) else None
    fields = blamed_fields(error)
    neutral_first = sorted(_OPTIONAL, key=lambda name: not is_default(name, arguments.get(name)))
    refused = [
        name
        for name in neutral_first
        if name in arguments and (_names(name, fields) or _pattern(name).search(message))
    ]
    refused.sort(key=lambda name: not _names(name, fields))
    if not refused and "max_tokens" in arguments and "max_completion_tokens" in message:
        return "max_tokens"  # the same limit under its newer name
    if not refused and not fields and FORM in arguments and _blames_form(message):
        return FORM
    return refused[0] if refused else None


def _is_unexplained(error: BaseException) -> bool:
    """Return whether a provider refused a call without naming a reason that is known here."""
    return (
        status_of(error) in (400, 422)
        and http_response(error) is not None
        and not is_explained(error)
        and not blamed_fields(error)
    )


def _is_missed_form(error: BaseException) -> bool:
    """Return whether the model failed to keep to the form, while its provider accepted it."""
    return error_body(error).get("code") in _MISSED_CODES


def find_dropped(request: Request, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sampling parameters of a request that are not among a call's arguments."""
    body = arguments.get("extra_body", {})
    return tuple(
        name
        for name, value in optional_parameters(request).items()
        if name not in arguments
        and not any(_pattern(name).fullmatch(field) for field in body)
        and not is_default(name, value)
    )


def is_default(name: str, value: float | str | None) -> bool:
    """Return whether a sampling parameter has the value that providers use by default."""
    return name in _NEUTRAL and value == _NEUTRAL[name]


def _pattern(name: str) -> re.Pattern[str]:
    names = f"{name}|{_OWN_NAMES[name]}" if name in _OWN_NAMES else name
    return re.compile(rf"\b(?:{names})\b")


def _names(name: str, fields: frozenset[str]) -> bool:
    return any(_pattern(name).fullmatch(field) for field in fields)


def _blames_form(message: str) -> bool:
    return FORM in message or _FORM_WORDS.search(message) is not None
