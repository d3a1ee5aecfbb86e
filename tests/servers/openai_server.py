"""A strict and, on request, faulty OpenAI-compatible server on loopback.

    python -m tests.servers.openai_server --port 8000

It checks requests as OpenAI does, answers the same to the same seed and messages, fails as it is
told to, and keeps its own count of what it was asked and of what was spent.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import random
import runpy
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.servers.answers import Answer, debater
from tests.servers.breaking import break_off, stop_short
from tests.servers.chat_bodies import completion, refusal, usage
from tests.servers.faults import STOPPED, Fault, Faults, spoil
from tests.servers.ledger import Bill, Ledger, identity, limit, tokens
from tests.servers.strict import Refusal, Rejected, check_chat, check_embeddings
from tests.servers.threads import LoopbackServer, in_loop, in_thread

_DIMENSIONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How a server behaves.

    Attributes:
        models: the names it serves; empty for any.
        key: what a request must carry as its bearer; `None` to accept all.
        delay_seconds: how long each answer takes.
        slots: how many answers it works on at a time, the others wait; `None` for all.
        usage: whether answers say how many tokens they took; `absurd` is below zero, or 10**12.
        faults: what goes wrong.
        usd_per_token: price of input and of output.
        usd_per_cached: price of input that was cached; that of input where it is `None`.
        refused_parameters: sampling parameters that are refused.
        refusal: how that is said: in OpenAI's `param`, in the message alone, or as FastAPI does.
        context_tokens: the longest prompt; `None` for any.
        cached_tokens: how much of each prompt is cached, at most.
        reasoning_tokens: how much is thought for each answer.
        reasoning: whether `completion_tokens` counts that, or only `total_tokens` does.
        fingerprint: the `system_fingerprint` of its answers; empty for none.
    """

    models: tuple[str, ...] = ("local-model",)
    key: str | None = None
    delay_seconds: float = 0.0
    slots: int | None = None
    usage: Literal["present", "absent", "absurd"] = "present"
    faults: Faults = field(default_factory=Faults)
    usd_per_token: tuple[float, float] = (0.0, 0.0)
    usd_per_cached: float | None = None
    refused_parameters: frozenset[str] = frozenset()
    refusal: Refusal = "param"
    context_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    reasoning: Literal["within", "on_top"] = "within"
    fingerprint: str = ""


class OpenAIServer(LoopbackServer):
    """The server. Use `serving` or `serving_in_thread` to run one.

    Attributes:
        ledger: what it saw and what it would have billed.
    """

    root = "/v1"

    def __init__(self, settings: ServerSettings | None = None, answer: Answer = debater) -> None:
        self.settings = settings or ServerSettings()
        self.ledger = Ledger(
            self.settings.usd_per_token, usd_per_cached=self.settings.usd_per_cached
        )
        self._answer = answer
        self._arrivals = 0
        self._slots = asyncio.Semaphore(self.settings.slots) if self.settings.slots else None

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._admit], client_max_size=32 * 2**20)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embed)
        return app

    @web.middleware
    async def _admit(self, request: web.Request, handler: Any) -> web.StreamResponse:  # noqa: ANN401
        # aiohttp passes `handler` by that name.
        self.ledger.http_requests += 1
        self.ledger.connections.add(id(request.transport))
        key = self.settings.key
        if key is not None and request.headers.get("Authorization") != f"Bearer {key}":
            given = request.headers.get("Authorization", "").removeprefix("Bearer ")
            return refusal(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")
        try:
            answered: web.StreamResponse = await handler(request)
        except Rejected as error:
            body, status = error.answer(self.settings.refusal)
            return web.json_response(body, status=status)
        except json.JSONDecodeError:
            return refusal(400, "We could not parse the JSON body of your request.")
        return answered

    async def _models(self, request: web.Request) -> web.Response:
        served = [
            {"id": name, "object": "model", "created": 0, "owned_by": "loopback"}
            for name in self.settings.models
        ]
        return web.json_response({"object": "list", "data": served})

    async def _embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        texts = check_embeddings(body, models=self.settings.models)
        found = [
            {"object": "embedding", "index": place, "embedding": _vector(text)}
            for place, text in enumerate(texts)
        ]
        count = sum(len(text) // 4 + 1 for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        return web.json_response(
            {"object": "list", "data": found, "model": body["model"], "usage": usage}
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        settings, ledger = self.settings, self.ledger
        body = check_chat(
            await request.json(), models=settings.models, refused=settings.refused_parameters
        )
        ledger.last_body = body
        digest, started = identity(body), time.monotonic()
        times = ledger.arrive(digest)
        fault = settings.faults.draw(arrival=self._arrivals, digest=digest, times=times)
        self._arrivals += 1
        fate, status = "lost", 0
        try:
            fate, answered = await self._reply(request, body, fault, started)
            status = answered.status
            return answered
        finally:
            ledger.leave(
                seed=body.get("seed"), digest=digest, started=started, status=status, fate=fate
            )

    async def _reply(
        self, request: web.Request, body: dict[str, Any], fault: Fault | None, started: float
    ) -> tuple[str, web.StreamResponse]:
        if fault == "rate_limit":
            hint = self.settings.faults.retry_after
            headers = {"Retry-After": hint} if hint else {}
            return fault, refusal(
                429, "Rate limit reached for requests.", kind="requests", headers=headers
            )
        if fault == "server_error":
            return fault, refusal(500, "The server had an error.", kind="server_error")
        text = await self._text(body)
        bill = self.ledger.bill(
            body,
            text,
            cached=self.settings.cached_tokens,
            reasoning=self.settings.reasoning_tokens,
        )
        self._check_context(bill)
        if self._slots is not None:
            async with self._slots:
                await asyncio.sleep(self.settings.delay_seconds)
        elif self.settings.delay_seconds:  # counted from the arrival: our own work is part of it
            await asyncio.sleep(started + self.settings.delay_seconds - time.monotonic())
        if request.transport is None or request.transport.is_closing():
            self.ledger.lose(bill)
            return "lost", web.Response(status=499)
        if fault in ("drop", "malformed", *STOPPED):
            self.ledger.lose(bill)
            if fault in STOPPED:
                await stop_short(request, fault)
            return fault, break_off(request, fault)
        return fault or "answered", self._success(body, text, bill, fault)

    async def _text(self, body: Mapping[str, Any]) -> str:
        answered = self._answer(body)
        return await answered if inspect.isawaitable(answered) else answered

    def _check_context(self, bill: Bill) -> None:
        most = self.settings.context_tokens
        if most is not None and bill.input_tokens > most:
            raise Rejected(
                f"This model's maximum context length is {most} tokens. However, your messages "
                f"resulted in {bill.input_tokens} tokens.",
                param="messages",
                code="context_length_exceeded",
            )

    def _success(
        self, body: dict[str, Any], text: str, bill: Bill, fault: Fault | None
    ) -> web.Response:
        message, finish_reason = spoil(fault, text)
        if fault is None and tokens(text) > limit(body):
            message["content"] = text.encode()[: 4 * limit(body)].decode(errors="ignore")
            finish_reason = "length"
        answered = completion(body["model"], message, finish_reason=finish_reason)
        answered["id"] = f"chatcmpl-{identity(body)}"
        if fault == "empty_choices":
            answered["choices"] = []
        if self.settings.fingerprint:
            answered["system_fingerprint"] = self.settings.fingerprint
        if self.settings.usage != "absent":
            answered["usage"] = _usage(bill, self.settings)
        if self.settings.usage == "absurd":
            answered["usage"]["prompt_tokens"] = -5 if bill.output_tokens % 2 else 10**12
        self.ledger.charge(bill)
        return web.json_response(answered)


@asynccontextmanager
async def serving(
    settings: ServerSettings | None = None, answer: Answer = debater, *, port: int = 0
) -> AsyncIterator[OpenAIServer]:
    """A server in the running loop."""
    async with in_loop(OpenAIServer(settings, answer), port=port) as server:
        yield server


@contextmanager
def serving_in_thread(
    settings: ServerSettings | None = None, answer: Answer = debater, *, port: int = 0
) -> Iterator[OpenAIServer]:
    """A server in a loop of its own, for commands and subprocesses that call it."""
    with in_thread(OpenAIServer(settings, answer), port=port) as server:
        yield server


def _usage(bill: Bill, settings: ServerSettings) -> dict[str, Any]:
    hidden = bill.reasoning_tokens if settings.reasoning == "on_top" else 0
    return usage(bill.input_tokens, bill.output_tokens) | {
        "completion_tokens": bill.output_tokens - hidden,
        "prompt_tokens_details": {"cached_tokens": bill.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": bill.reasoning_tokens},
    }


def _vector(text: str) -> list[float]:
    rng = random.Random(hashlib.sha256(text.encode()).digest())
    return [round(rng.uniform(-1, 1), 6) for _ in range(_DIMENSIONS)]


if __name__ == "__main__":
    runpy.run_module("tests.servers.command", run_name="__main__")
