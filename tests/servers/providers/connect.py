"""Asking the stand-in of a provider through the real backend."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from arena.errors import ArenaError, InfrastructureFault, PromptTooLong, ProviderRejected
from arena.llm.model_table import find_listed
from arena.llm.provider_backend import ProviderBackend
from arena.llm.request import Completion, Request, Schema
from arena.llm.settings import ModelSettings
from arena.prompts import Message
from arena.records import Sampling, Structured
from tests.servers.providers.base import KEY, Failure, ProviderServer, Reply

SYSTEM, USER = "Be brief.", "Should cities ban private cars?"
OBJECT = '{"winner": "pro"}'
#: The form of a structured answer; it satisfies the strict modes of all providers.
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"winner": {"enum": ["pro", "con"], "type": "string"}},
    "required": ["winner"],
    "additionalProperties": False,
}
OPENAI_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Verdict", "schema": FORM, "strict": True},
}
#: What either way puts before a message, where the server says nothing by itself.
_ADDED = re.compile(r": (?:\w+: \w+Exception -|status \d+:?) ?")
#: What becomes of a failed call: what a person must mend or `final`, or the kind of the fault;
#: and the seconds that it says to wait.
Outcome = tuple[str, float | None]


def prompt(
    model: str,
    *,
    schema: bool = False,
    system: str = SYSTEM,
    extra_body: Mapping[str, Any] | None = None,
    **sampling: Any,  # noqa: ANN401
) -> Request:
    """Return a request with a system and a user message, and perhaps a form."""
    settings = {"temperature": 0.2, "top_p": 0.75, "max_tokens": 512} | sampling
    return Request(
        model=model,
        messages=(Message(role="system", text=system), Message(role="user", text=USER)),
        task="write.constructive",
        schema=Schema(name="Verdict", body=FORM) if schema else None,
        sampling=Sampling(**settings),
        path="pro/constructive/writer/0",
        seed=7,
        extra_body=extra_body or {},
    )


async def ask(
    server: ProviderServer,
    request: Request | str,
    reply: Reply | Failure | None = None,
    *,
    learned: Mapping[str, Structured] | None = None,
    **settings: Any,  # noqa: ANN401
) -> Completion:
    """Ask the stand-in, as a configuration with these settings of the model would.

    A model that is called directly is asked through LiteLLM as well: bodies, answers and faults are
    the same.
    """
    request = prompt(request) if isinstance(request, str) else request
    own = replace(ModelSettings(api_base=server.address, api_key=KEY), **settings)
    ask_by = partial(_ask_once, server, request, reply or Reply(), learned=learned)
    if find_listed(request.model, own) is None:
        return await ask_by(own)
    other = await _end_of(ask_by(replace(own, client="litellm")))
    calls = [call.body for call in server.calls]
    end = await _end_of(ask_by(own))
    assert [call.body for call in server.calls] == calls, f"{server.calls}\n{calls}"
    assert _facts(end) == _facts(other), f"{end}\n{other}"
    if isinstance(end, ArenaError):
        raise end
    return end


def _facts(end: Completion | ArenaError) -> object:
    """Return what two ways of one call have in common: all but LiteLLM's words for a fault."""
    if isinstance(end, Completion | PromptTooLong):
        return type(end) if isinstance(end, PromptTooLong) else end
    return type(end), vars(end), _ADDED.sub(": ", str(end)).strip()


async def _ask_once(
    server: ProviderServer,
    request: Request,
    reply: Reply | Failure,
    own: ModelSettings,
    *,
    learned: Mapping[str, Structured] | None,
) -> Completion:
    server.next = reply
    server.calls.clear()
    backend = ProviderBackend({request.model: own}, learned=learned)
    try:
        return await backend.complete(request)
    finally:
        await backend.aclose()


async def _end_of(asked: Awaitable[Completion]) -> Completion | ArenaError:
    try:
        return await asked
    except ArenaError as fault:
        return fault


async def outcome(
    server: ProviderServer,
    request: Request | str,
    failure: Reply | Failure,
    **settings: Any,  # noqa: ANN401
) -> Outcome:
    """Return what becomes of a call that fails, or of its answer if that is no failure."""
    try:
        completion = await ask(server, request, failure, **settings)
    except ProviderRejected as fault:
        return fault.remedy or "final", fault.retry_after
    except InfrastructureFault as fault:
        return fault.kind, fault.retry_after
    except ArenaError as fault:
        return type(fault).__name__, None
    return completion.finish_reason, None


async def check_errors(
    server: ProviderServer,
    request: Request | str,
    cases: Mapping[str | Outcome, Sequence[Reply | Failure]],
    *,
    calls: int = 1,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Check what becomes of each failure, and after how many calls."""
    wrong = []
    for name, failures in cases.items():
        expected = (name, None) if isinstance(name, str) else name
        for failure in failures:
            got = await outcome(server, request, failure, **settings)
            if got != expected or len(server.calls) != calls:
                wrong.append(f"{failure}: {got}, not {expected}, {len(server.calls)} calls")
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


def usd(*parts: tuple[int, float]) -> float:
    """Return a cost by a price list: tokens, and USD per million of them."""
    return sum(tokens * price for tokens, price in parts) / 1e6


def counted(completion: Completion) -> tuple[int, int, int, int]:
    """Return the tokens of the prompt, of it from the cache, of the answer, of it thinking."""
    usage = completion.usage
    return usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.reasoning_tokens
