"""LiteLLM itself: imported late, called once at a time, its connections closed."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from arena.llm.faults import LiteLLMObject

#: LiteLLM's lists of what is run after each call, in a thread. Its code for Gemini registers a
#: cache there that nobody asked for; from then on, each call to Ollama, for one, would be followed
#: by a question for the model's abilities.
_CALLBACKS = ("input_callback", "success_callback", "_async_success_callback")


@cache
def load_litellm() -> ModuleType:
    """Import LiteLLM with its own retries and messages turned off."""
    # Importing it takes seconds, loads prices from the network, and reads any .env file.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm  # noqa: PLC0415 - see above
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler  # noqa: PLC0415

    litellm.suppress_debug_info = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # When a connection breaks, it sends the request again, uncounted; that may be billed twice.
    setattr(AsyncHTTPHandler, "single_connection_post_request", _reraise)  # noqa: B010
    return litellm


async def call(function: str, arguments: Mapping[str, Any], seconds: float) -> LiteLLMObject:
    """Call one of LiteLLM's asynchronous functions.

    Raises:
        TimeoutError: it took longer than `seconds`.
        Exception: one of LiteLLM's.
    """
    litellm = load_litellm()
    from litellm._internal_context import is_internal_call  # noqa: PLC0415 - with LiteLLM

    # An internal call leaves no logging tasks behind: measured, a tenth faster.
    token = is_internal_call.set(True)
    try:
        async with asyncio.timeout(seconds):
            return await getattr(litellm, function)(**arguments)
    finally:
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


async def _reraise(*_: object, **__: object) -> None:
    raise sys.exception() or AssertionError("called outside of an error")
