"""An OpenAI-compatible server on loopback whose capacity varies: it shrinks, refuses, goes away."""

from __future__ import annotations

import asyncio
import heapq
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.servers.chat_bodies import completion, refusal, usage
from tests.servers.ledger import identity

WORDS = "A shorter week keeps people healthy because rest prevents errors at work. "


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """How a server is for some time.

    Attributes:
        seconds: how long; the last phase goes on.
        slots: answers that it computes at once.
        beyond: what becomes of a call when all slots are taken: it waits, or is refused with 429,
            with or without `Retry-After`.
        away: whether nobody listens; connections are refused, and open ones break.
    """

    seconds: float = 0.0
    slots: int = 2
    beyond: Literal["wait", "refuse", "refuse with a hint"] = "wait"
    away: bool = False


@dataclass(slots=True)
class VaryingLedger:
    """What a server saw; times in seconds since its first request.

    Attributes:
        arrivals, answers: when calls came and were answered.
        refused, cut: how many were refused with 429, and broken off by the server going away.
        abandoned: how many callers hung up although the server worked for them.
        identities: a hash of each call that was answered.
        busiest: the most calls that were there at once.
    """

    arrivals: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    refused: int = 0
    cut: int = 0
    abandoned: int = 0
    identities: list[str] = field(default_factory=list)
    busiest: int = 0


class VaryingServer:
    """The server; see `serving_varyingly`.

    Args:
        phases: how it is, one after the other, from the first request on.
        token_seconds: that a slot takes for one token of an answer.
        answer_tokens: the shortest and the longest answer.
        missing: models that it does not have.

    Attributes:
        ledger: what it saw.
        url: where it listens, `http://127.0.0.1:<port>/v1`.
    """

    def __init__(
        self,
        phases: Sequence[Phase],
        *,
        token_seconds: float,
        answer_tokens: tuple[int, int] = (40, 60),
        missing: Sequence[str] = (),
    ) -> None:
        self._phases, self._token_seconds = list(phases), token_seconds
        self._tokens, self._missing = answer_tokens, set(missing)
        self.ledger = VaryingLedger()
        self.url = ""
        self._phase = self._phases[0]
        self._free_at: list[float] = []
        self._here: set[asyncio.Task[Any] | None] = set()
        self._began: float | None = None
        self._port = 0
        self._runner: web.AppRunner | None = None
        self._director: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen on loopback, at a free port."""
        await self._listen()
        self.url = f"http://127.0.0.1:{self._port}/v1"
        if self._phase.away:
            self._direct()
            await asyncio.sleep(0)

    async def stop(self) -> None:
        """Close the server and its connections."""
        if self._director is not None:
            self._director.cancel()
            with suppress(asyncio.CancelledError):
                await self._director
        if self._runner is not None:
            await self._runner.cleanup()

    async def _listen(self) -> None:
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.001, handler_cancellation=True
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self._port, backlog=4096, reuse_address=True).start()
        self._port, self._runner = runner.addresses[0][1], runner

    def _direct(self) -> None:
        if self._director is None:
            self._began = time.monotonic()
            self._director = asyncio.create_task(self._go_through_phases())

    async def _go_through_phases(self) -> None:
        for phase in self._phases:
            self._phase = phase
            if phase.away and self._runner is not None:
                runner, self._runner = self._runner, None
                self.ledger.cut += len(self._here)
                await runner.cleanup()
                self._free_at.clear()
            elif not phase.away and self._runner is None:
                await self._listen()
            await asyncio.sleep(phase.seconds)

    async def _list(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": []})

    async def _chat(self, request: web.Request) -> web.Response:
        self._direct()
        body = await request.json()
        self.ledger.arrivals.append(self._now())
        if body["model"] in self._missing:
            words = f"The model `{body['model']}` does not exist."
            return refusal(404, words, kind="error", code="model_not_found")
        phase = self._phase
        if phase.beyond != "wait" and len(self._here) >= phase.slots:
            self.ledger.refused += 1
            hint = {"Retry-After": "0.2"} if phase.beyond == "refuse with a hint" else {}
            words, code = "Too many requests at once.", "rate_limit_exceeded"
            return refusal(429, words, kind="error", code=code, headers=hint)
        task = asyncio.current_task()
        self._here.add(task)
        self.ledger.busiest = max(self.ledger.busiest, len(self._here))
        try:
            tokens = self._length(body)
            await asyncio.sleep(self._finish(tokens) - time.monotonic())
        except asyncio.CancelledError:
            self.ledger.abandoned += not self._phase.away
            raise
        finally:
            self._here.discard(task)
        self.ledger.answers.append(self._now())
        self.ledger.identities.append(identity(body))
        text = (WORDS * (tokens // 12 + 1)).strip()
        return web.json_response(completion(body["model"], text, usage=usage(200, tokens)))

    def _now(self) -> float:
        return time.monotonic() - (self._began or 0.0)

    def _length(self, body: dict[str, Any]) -> int:
        shortest, longest = self._tokens
        return shortest + int(identity(body)[:6], 16) % (longest - shortest + 1)

    def _finish(self, tokens: int) -> float:
        """When a call that arrives now is answered: the slots work in the order of arrival."""
        now, slots = time.monotonic(), self._phase.slots
        while len(self._free_at) < slots:
            heapq.heappush(self._free_at, now)
        while len(self._free_at) > slots:
            heapq.heappop(self._free_at)
        end = max(now, heapq.heappop(self._free_at)) + tokens * self._token_seconds
        heapq.heappush(self._free_at, end)
        return end


@asynccontextmanager
async def serving_varyingly(server: VaryingServer) -> AsyncIterator[VaryingServer]:
    """Run a server in this event loop."""
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
