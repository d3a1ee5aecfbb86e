"""A look at a server: whether it answers, what it lists, and what it is told."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from arena.llm.catalogue import Look, look_at
from tests.servers.openai_server import ServerSettings, serving
from tests.servers.threads import LoopbackServer, in_loop

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Answering(LoopbackServer):
    """A server that answers each GET in one way."""

    root = "/v1"

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/{any:.*}", self._handler)
        return app


async def look(address: str, *, key: str | None = None, seconds: float = 5.0) -> Look:
    return await look_at(address, api_key=key, seconds=seconds)


async def test_it_lists_the_models() -> None:
    async with serving(ServerSettings(models=("b", "a"))) as server:
        assert await look(server.url) == Look(models=("a", "b"))
        assert await look(f"{server.url}/") == Look(models=("a", "b"))


async def test_the_configured_key_is_used_and_without_it_nothing_is_wrong() -> None:
    async with serving(ServerSettings(models=("a",), key="secret")) as server:
        assert await look(server.url, key="secret") == Look(models=("a",))
        assert await look(server.url) == Look(), "it answers; what it serves is not known"
        refused = await look(server.url, key="of another server")
    assert refused == Look(fault="it refuses the key (status 401)", is_refused=True)


async def test_a_key_is_not_sent_to_where_an_address_redirects() -> None:
    asked: list[str | None] = []

    async def collect(request: web.Request) -> web.StreamResponse:
        asked.append(request.headers.get("Authorization"))
        return web.json_response({"data": []})

    async with in_loop(Answering(collect)) as elsewhere:

        async def redirect(_request: web.Request) -> web.StreamResponse:
            raise web.HTTPFound(f"{elsewhere.url}/models")

        async with in_loop(Answering(redirect)) as server:
            assert await look(server.url, key="secret") == Look()
    assert asked == []


async def test_nobody_there_is_connection_refused() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert (await look(f"http://127.0.0.1:{port}/v1")).fault == "connection refused"
    assert (await look(f"http://localhost:{port}/v1")).fault == "connection refused"


async def test_a_server_that_never_answers_does_not_hold_anybody_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        assert (await look(address, seconds=0.05)).fault == "no answer within 0.05 s"


@pytest.mark.parametrize("address", ["nonsense", "http://", "ftp://127.0.0.1/v1", "http://[/v1"])
async def test_what_is_no_address_is_a_fault(address: str) -> None:
    assert (await look(address)).fault


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (503, "loading", "it answers with status 503"),
        (404, "not found", ""),
        (200, "<html>", ""),
        (200, '{"data": 7}', ""),
        (200, '["data"]', ""),
        (200, " " * (5 * 2**20), ""),
    ],
)
async def test_other_answers(status: int, body: str, fault: str) -> None:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body)

    async with in_loop(Answering(answer)) as server:
        assert await look(server.url) == Look(fault=fault)
