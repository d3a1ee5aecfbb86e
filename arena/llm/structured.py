"""How each model is asked for structured answers: found out by asking, and remembered.

A request with a schema is sent with the JSON schema first, whatever is known of the model, then
with `json_object`, and then with the prompt alone, which shows the schema in any case. One call
at a time finds the mode of a model; the others wait for it, so that no more than two calls are
refused.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from arena.errors import InfrastructureFault
from arena.llm.faults import is_timeout, status_of
from arena.llm.request import Completion, Schema, Structured

#: The modes, in the order in which they are tried.
MODES: Final[tuple[Structured, ...]] = ("schema", "object", "prompt")
#: Calls a model once in a mode; raises `FormRefused` where the mode may be to blame.
Send: TypeAlias = Callable[[Structured], Awaitable[Completion]]

#: Schemas refused in a mode that others were answered in, before the mode itself is given up.
_MOST_REFUSED = 2
_SILENT = "{model}: timed out before it was known how to ask it for structured answers."
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


class FormRefused(Exception):
    """A call that was refused because of its `response_format`, or for a reason nobody knows.

    Attributes:
        error: what the call raised.
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
    judged: bool
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
        self._known = {
            model: _Known(mode=mode, judged=True) for model, mode in (learned or {}).items()
        }
        self._silent: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def learned(self) -> dict[str, Structured]:
        """Return the modes that were found, by model; those of earlier runs included."""
        return {
            model: known.mode for model, known in self._known.items() if model not in self._fixed
        }

    async def ask(self, model: str, schema: Schema, send: Send) -> Completion:
        """Call a model for a structured answer in the highest mode that it takes.

        Raises:
            InfrastructureFault: the call that this one waited for was not answered in time. To
                wait for each call in turn would take their number times as long.
            Exception: what `send` raised, or the error within its `FormRefused`.
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
            completion, mode, _ = await _descend(MODES, send)
        except Exception as error:
            if is_timeout(error):
                self._silent.add(model)
            raise
        self._known[model] = _Known(mode=mode, judged=False)
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
    """Call in one mode after the other until one is not refused.

    Returns:
        The answer, its mode, and whether the refusals before it would happen again.

    Raises:
        Exception: the first error if every mode failed and none was named as the reason; else the
            error of the last mode.
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
        if _is_ignored(completion.text, schema, known.mode):
            known.mode = "prompt"


def _is_ignored(text: str, schema: Schema, mode: Structured) -> bool:
    """Return whether an answer holds no JSON object, or none with the fields of the schema."""
    fields = schema.body.get("properties", {}) if mode == "schema" else {}
    return not any(fields.keys() <= value.keys() for value in _objects(text))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, outside of thinking; of nested ones the outer."""
    text, decoder = _THINKING.sub("", text), json.JSONDecoder(strict=False)
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value
        start = text.find("{", end)
