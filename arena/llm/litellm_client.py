"""LiteLLM itself: imported late, called once at a time, its connections closed."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from arena.llm.attempt import Attempt, current_attempt
from arena.llm.faults import LiteLLMObject
from arena.llm.wire.faults import LimitPassed
from arena.llm.wire.pace import Route, current_route
from arena.llm.wire.transport import WireTransport
from arena.llm.wire.watch import format_arrived

#: LiteLLM's lists of what is run after each call, in a thread. Its code for Gemini registers a
#: cache there that nobody asked for; from then on, each call to Ollama, for one, would be followed
#: by a question for the model's abilities.
_CALLBACKS = ("input_callback", "success_callback", "_async_success_callback")


@cache
def load_litellm() -> ModuleType:
    """Import LiteLLM with its own retries and messages turned off, and our transport below it."""
    # Importing it takes seconds, loads prices from the network, and reads any .env file.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    # OpenAI's interface without OpenAI's package: half of the work per call, measured.
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")
    import litellm  # noqa: PLC0415 - see above
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: PLC0415

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    create = AsyncHTTPHandler.create_aiohttp_transport

    def create_async_transport(**options: Any) -> WireTransport:  # noqa: ANN401 - LiteLLM's own
        return WireTransport(create(**options))

    # All of its clients, those for OpenAI's interface included, take their transport from here.
    setattr(AsyncHTTPHandler, "create_async_transport", staticmethod(create_async_transport))  # noqa: B010
    return litellm


async def call(function: str, arguments: Mapping[str, Any], route: Route) -> LiteLLMObject:
    """Call one of LiteLLM's asynchronous functions.

    Raises:
        LimitPassed: one of the limits of time has passed.
        Exception: one of LiteLLM's.
    """
    litellm = load_litellm()
    from litellm._internal_context import is_internal_call  # noqa: PLC0415 - with LiteLLM

    seconds = route.limits.call_seconds
    # An internal call leaves no logging tasks behind: measured, a tenth faster.
    token, route_token = is_internal_call.set(True), current_route.set(route)
    attempt = current_attempt.get() or Attempt()
    attempt_token = current_attempt.set(attempt)
    try:
        async with asyncio.timeout(seconds) as limit:
            return await getattr(litellm, function)(**arguments)
    except TimeoutError:
        if not limit.expired():
            raise
        raise LimitPassed(
            f"the call took longer than {seconds:g} s; {format_arrived(attempt)} "
            "arrived. If an answer takes that long, raise `call_seconds` in [limits]."
        ) from None
    finally:
        current_attempt.reset(attempt_token)
        current_route.reset(route_token)
        is_internal_call.reset(token)
        for name in _CALLBACKS:
            getattr(litellm, name).clear()


async def close_connections() -> None:
    """Close the connections that were opened in this event loop."""
    if not load_litellm.cache_info().currsize:
        return
    clients = load_litellm().in_memory_llm_clients_cache
    mine = f"-{id(asyncio.get_running_loop())}"
    for key in [key for key in clients.cache_dict if key.endswith(mine)]:
        client = clients.cache_dict.pop(key)
        clients.ttl_dict.pop(key, None)
        close = getattr(client, "close", None) or getattr(client, "aclose", None)
        if close is not None and inspect.isawaitable(closing := close()):
            await closing
