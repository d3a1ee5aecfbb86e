"""The arguments of a call, and which of them a provider refuses."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from arena.errors import InfrastructureFault
from arena.llm.faults import (
    LONGEST_MESSAGE,
    blamed_fields,
    error_body,
    http_response,
    is_explained,
    is_timeout,
    message_of,
    status_of,
)
from arena.llm.lenient_json import find_objects
from arena.llm.request import Completion, Request, Schema
from arena.llm.request_shape import RequestShape, most_output, shape_messages
from arena.llm.sayings import says
from arena.llm.schemas import response_format
from arena.llm.thinking import strip_thinking
from arena.llm.usage import estimate_tokens
from arena.records import Structured

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
    request: Request, mode: Structured, *, accepts: frozenset[str], shape: RequestShape
) -> dict[str, Any]:
    """Return the arguments of LiteLLM's call that follow from a request.

    Raises:
        PromptTooLong: the window that the server states leaves no room for the answer.
    """
    limit = "max_completion_tokens" if "max_tokens" in shape.refused else "max_tokens"
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    arguments: dict[str, Any] = {
        "messages": shape_messages(messages, shape),
        limit: most_output(request, shape),
    }
    sendable = accepts.union(_ALWAYS_SENT) - shape.refused
    optional = optional_parameters(request).items()
    arguments |= {name: value for name, value in optional if name in sendable}
    if (schema := request.sent_schema) and mode != "prompt":
        arguments[FORM] = response_format(schema) if mode == "schema" else {"type": "json_object"}
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
    """Return the sampling parameter that an error blames; raise the error where it blames none.

    Raises:
        FormRefused: it blames the form, or something unknown while a form was asked for.
    """
    name = refused_argument(error, arguments)
    if name == FORM:
        raise FormRefused(error, blamed=True) from None
    if name is not None:
        return name
    is_unexplained = (
        status_of(error) in (400, 422)
        and http_response(error) is not None
        and not is_explained(error)
        and not blamed_fields(error)
    )
    if FORM in arguments and is_unexplained:
        # False where the model failed to keep to the form, while its provider accepted it.
        lasting = error_body(error).get("code") not in _MISSED_CODES
        raise FormRefused(error, blamed=False, lasting=lasting) from None
    raise error


def refused_argument(error: BaseException, arguments: Mapping[str, Any]) -> str | None:
    """Find the argument that the provider, or LiteLLM, refuses and that can be left out.

    `None` where the error has another reason, or gives none.
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
    return FORM in message or says("form", message)


#: Providers that cache only what is marked.
ASKED: Final = frozenset({"anthropic"})
#: The shortest part that any of their models caches, in tokens.
_SHORTEST_CACHED = 1024


def mark_beginning(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages, in OpenAI's form, whose system part is to be cached if it is long enough."""
    first, *others = messages
    text = first["content"]
    if first["role"] != "system" or estimate_tokens(text) < _SHORTEST_CACHED:
        return list(messages)
    block = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return [{**first, "content": [block]}, *others]


#: The modes, in the order in which they are tried.
MODES: Final[tuple[Structured, ...]] = ("schema", "object", "prompt")
#: Providers without schemas, for which LiteLLM would turn one into a prompt of its own.
_WITHOUT_SCHEMAS: Final = ("bigmodel/", "zai/")
#: Calls a model once in a mode; raises `FormRefused` where the mode may be to blame.
Send: TypeAlias = Callable[[Structured], Awaitable[Completion]]

#: Schemas refused in a mode that others were answered in, before the mode itself is given up.
_MOST_REFUSED = 2
_SILENT = "{model}: timed out before it was known how to ask it for structured answers."
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


class FormRefused(Exception):
    """A call that was refused because of its `response_format`, or for a reason nobody knows.

    Attributes:
        blamed: whether the provider named the form as the reason.
        lasting: whether the same would happen again; False where the model failed this once.
    """

    def __init__(self, error: Exception, *, blamed: bool, lasting: bool = True) -> None:
        super().__init__(str(error))
        self.error = error
        self.blamed = blamed
        self.lasting = lasting


@dataclass(slots=True, kw_only=True)
class _Known:
    """What is known of a model.

    Attributes:
        judged: whether an answer has shown that the mode is not ignored.
        lower: the modes of schemas that the model's own mode was refused for, by their names.
    """

    mode: Structured
    judged: bool = False
    lower: dict[str, Structured] = field(default_factory=dict)


class FormNegotiation:
    """The modes of the models of one run.

    Args:
        fixed: the modes that the configuration sets; they are kept to.
        learned: the modes that earlier runs have found.
    """

    def __init__(
        self,
        fixed: Mapping[str, Structured],
        learned: Mapping[str, Structured] | None = None,
    ) -> None:
        self._fixed = fixed
        known = (learned or {}).items()
        self._known = {model: _Known(mode=mode, judged=True) for model, mode in known}
        self._silent: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def learned(self) -> dict[str, Structured]:
        """Return the modes that were found, by model; those of earlier runs included."""
        return {
            model: known.mode for model, known in self._known.items() if model not in self._fixed
        }

    async def ask(self, model: str, schema: Schema, send: Send) -> Completion:
        """Call a model for a structured answer in the highest mode that it takes.

        It raises what `send` raised, or the error within its `FormRefused`. A call that waited for
        another one fails where that was not answered in time: to wait for each in turn would take
        their number times as long.
        """
        if model in self._fixed:
            return (await _descend([self._fixed[model]], send))[0]
        if model not in self._known:
            waited = self._locks[model].locked()
            async with self._locks[model]:
                if model not in self._known:
                    if waited and model in self._silent:
                        raise InfrastructureFault(_SILENT.format(model=model), billed_usd=0.0)
                    return await self._find(model, schema, send)
        return await self._ask_known(self._known[model], schema, send)

    async def _find(self, model: str, schema: Schema, send: Send) -> Completion:
        self._silent.discard(model)
        try:
            first = int(model.startswith(_WITHOUT_SCHEMAS))
            completion, mode, _ = await _descend(MODES[first:], send)
        except Exception as error:
            if is_timeout(error):
                self._silent.add(model)
            raise
        self._known[model] = _Known(mode=mode)
        _judge(self._known[model], completion, schema)
        return completion

    async def _ask_known(self, known: _Known, schema: Schema, send: Send) -> Completion:
        start = known.lower.get(schema.name, known.mode)
        completion, mode, lasting = await _descend(MODES[MODES.index(start) :], send)
        if mode == start:
            if not known.judged and mode == known.mode:
                _judge(known, completion, schema)
        elif lasting:
            known.lower[schema.name] = mode
            if len(known.lower) >= _MOST_REFUSED and MODES.index(mode) > MODES.index(known.mode):
                known.mode = mode
        return completion


async def _descend(
    modes: tuple[Structured, ...] | list[Structured], send: Send
) -> tuple[Completion, Structured, bool]:
    """Return the first answer that is not refused, its mode, and whether refusals would last.

    Where every mode failed and none was named as the reason, it raises the first error; else that
    of the last mode.
    """
    refusals: list[FormRefused] = []
    for mode in modes:
        try:
            completion = await send(mode)
        except FormRefused as refusal:
            refusals.append(refusal)
        except Exception as error:
            if not refusals or refusals[0].blamed or status_of(error) not in (400, 422):
                raise
            break
        else:
            return completion, mode, all(refusal.lasting for refusal in refusals)
    # Raised outside of the handlers: they would replace its cause, the server's response.
    raise refusals[0].error


def _judge(known: _Known, completion: Completion, schema: Schema) -> None:
    """Judge by an answer whether the model's mode is ignored; then the prompt alone is left."""
    if known.mode == "prompt":
        known.judged = True
    elif completion.finish_reason == "stop" and completion.text.strip():
        known.judged = True
        fields = schema.body.get("properties", {}) if known.mode == "schema" else {}
        objects = find_objects(strip_thinking(completion.text)[0])
        if not any(fields.keys() <= item.value.keys() for item in objects):
            known.mode = "prompt"
