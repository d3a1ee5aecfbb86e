"""A slow OpenAI-compatible server on loopback: few slots, few tokens a second, streams on request.

python -m tests.servers.slow --slots 2 --tokens-per-second 20
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import click
from aiohttp import web

from tests.servers.chat_bodies import completion, usage
from tests.servers.ledger import tokens
from tests.servers.threads import LoopbackServer, in_loop

WORD = "word "


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSettings:
    """How a slow server behaves.

    Attributes:
        slots: answers that it computes at once; the others wait.
        tokens_per_second: of each slot.
        pieces: the answer, token by token.
        reasoning: what is thought before the answer, token by token.
        finish_reason: why the answer ends.
        stream: whether `stream` is served, ignored or refused.
        counting: whether `stream_options` is served, ignored or refused.
        comment_seconds: pause between comments to whoever waits for a slot; `None` for none.
        drop_after: tokens after which the connection breaks; `None` for never.
        fail_after: tokens after which an event reports an error; `None` for never.
        error: that error.
        silent_after: tokens after which nothing follows; `None` for never.
    """

    slots: int = 2
    tokens_per_second: float = 20.0
    pieces: tuple[str, ...] = (WORD,) * 20
    reasoning: tuple[str, ...] = ()
    finish_reason: str = "stop"
    stream: Literal["served", "ignored", "refused"] = "served"
    counting: Literal["served", "ignored", "refused"] = "served"
    comment_seconds: float | None = None
    drop_after: int | None = None
    fail_after: int | None = None
    error: Any = field(default_factory=lambda: {"message": "out of memory", "code": 503})
    silent_after: int | None = None


@dataclass(slots=True)
class SlowLedger:
    """What a slow server saw: the bodies of calls, and how many it began, finished and lost."""

    bodies: list[dict[str, Any]] = field(default_factory=list)
    begun: int = 0
    finished: int = 0
    lost: int = 0


class SlowServer(LoopbackServer):
    """The server. Use `serving_slowly` to run one.

    Attributes:
        ledger: what it saw.
    """

    root = "/v1"
    options: ClassVar = {"shutdown_timeout": 0.1, "handler_cancellation": True}

    def __init__(self, settings: SlowSettings | None = None) -> None:
        self.settings = settings or SlowSettings()
        self.ledger = SlowLedger()
        self._slots = asyncio.Semaphore(self.settings.slots)

    def application(self) -> web.Application:
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "slow", "object": "model"}]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.ledger.bodies.append(body)
        if fault := self._refused(body):
            return web.json_response({"error": {"message": fault, "param": None}}, status=400)
        self.ledger.begun += 1
        try:
            if body.get("stream") and self.settings.stream == "served":
                answered = await self._stream(request, body)
            else:
                answered = await self._whole(request, body)
        except (asyncio.CancelledError, ConnectionError):
            self.ledger.lost += 1
            raise
        self.ledger.finished += 1
        return answered

    def _refused(self, body: dict[str, Any]) -> str:
        settings = self.settings
        if "stream_options" in body and not body.get("stream"):
            return "stream_options without stream"
        if "stream_options" in body and settings.counting == "refused":
            return "Unrecognized request argument supplied: stream_options"
        if body.get("stream") and settings.stream == "refused":
            return "Your organization must be verified to stream this model."
        return ""

    async def _whole(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        settings = self.settings
        async with self._slots:
            for count in range(len(settings.reasoning + settings.pieces)):
                await self._compute(request, count)
        message = {"role": "assistant", "content": "".join(settings.pieces), "refusal": None}
        if settings.reasoning:
            message["reasoning_content"] = "".join(settings.reasoning)
        answer = completion(body["model"], message, finish_reason=settings.finish_reason)
        answer |= _head(body, "chat.completion") | {"usage": self._usage(body)}
        return web.json_response(answer)

    async def _stream(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        settings = self.settings
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await answer.prepare(request)
        async with self._slot(answer):
            fields = ["reasoning_content"] * len(settings.reasoning)
            fields += ["content"] * len(settings.pieces)
            for count, piece in enumerate(settings.reasoning + settings.pieces):
                await self._compute(request, count)
                if count == settings.fail_after:
                    await _send(answer, {"error": settings.error})
                    return answer
                delta = {"content": "", "role": "assistant"} if count == 0 else {}
                await _send(answer, _chunk(body, delta | {fields[count]: piece}))
        await _send(answer, _chunk(body, {}, finish_reason=settings.finish_reason))
        if "stream_options" in body and settings.counting == "served":
            head = _head(body, "chat.completion.chunk")
            await _send(answer, head | {"choices": [], "usage": self._usage(body)})
        await answer.write(b"data: [DONE]\n\n")
        return answer

    @asynccontextmanager
    async def _slot(self, answer: web.StreamResponse) -> AsyncIterator[None]:
        """Wait for a slot, with comments if they are set."""
        waiting = asyncio.ensure_future(self._slots.acquire())
        try:
            while not (await asyncio.wait([waiting], timeout=self.settings.comment_seconds))[0]:
                await answer.write(b": waiting for a slot\n\n")
        except BaseException:
            if not waiting.cancel():
                self._slots.release()
            raise
        try:
            yield
        finally:
            self._slots.release()

    async def _compute(self, request: web.Request, count: int) -> None:
        settings = self.settings
        if count == settings.drop_after and isinstance(request.transport, asyncio.Transport):
            request.transport.abort()
            raise ConnectionResetError
        if count == settings.silent_after:
            await asyncio.Event().wait()
        await asyncio.sleep(1 / settings.tokens_per_second)

    def _usage(self, body: dict[str, Any]) -> dict[str, int]:
        asked = sum(tokens(message["content"]) for message in body["messages"])
        return usage(asked, len(self.settings.reasoning + self.settings.pieces))


@asynccontextmanager
async def serving_slowly(settings: SlowSettings | None = None) -> AsyncIterator[SlowServer]:
    """A slow server in the running loop."""
    async with in_loop(SlowServer(settings)) as server:
        yield server


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    head = {"id": "chatcmpl-slow", "object": kind, "created": 0, "model": body["model"]}
    return head | {"system_fingerprint": "fp_slow"}


def _chunk(
    body: dict[str, Any], delta: dict[str, Any], *, finish_reason: str | None = None
) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return _head(body, "chat.completion.chunk") | {"choices": [choice], "usage": None}


async def _send(answer: web.StreamResponse, event: dict[str, Any]) -> None:
    await answer.write(f"data: {json.dumps(event)}\n\n".encode())


@click.command()
@click.option("--port", default=0, show_default=True, help="0 takes any free one.")
@click.option("--slots", default=2, show_default=True, help="Answers computed at once.")
@click.option("--tokens-per-second", default=20.0, show_default=True, help="Of each slot.")
@click.option("--tokens", "count", default=200, show_default=True, help="Of each answer.")
def main(port: int, slots: int, tokens_per_second: float, count: int) -> None:
    """Serve until interrupted."""

    async def serve() -> None:
        pieces = (WORD,) * count
        server = SlowServer(
            SlowSettings(slots=slots, tokens_per_second=tokens_per_second, pieces=pieces)
        )
        await server.start(port)
        click.echo(f"listening on {server.url}")
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
