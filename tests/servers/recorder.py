"""A server for models, web searches and recordings that keeps what it is sent, keys too."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.servers.openai_server import OpenAIServer, ServerSettings


class Recorder(OpenAIServer):
    """The server.

    Attributes:
        seen: of each request, its address, headers and body, as one text.
    """

    def __init__(self, *models: str) -> None:
        super().__init__(ServerSettings(models=models))
        self.seen: list[str] = []

    def application(self) -> web.Application:
        app = super().application()
        app.middlewares.insert(0, self._record)
        app.router.add_post("/v1/audio/transcriptions", _transcribe)
        app.router.add_route("*", "/{path:.*}", _answer_anything)
        return app

    @web.middleware
    async def _record(self, request: web.Request, handler: Any) -> web.StreamResponse:  # noqa: ANN401
        # aiohttp passes `handler` by that name.
        body = (await request.read()).decode("utf-8", "replace")
        self.seen.append(f"{request.method} {request.path_qs}\n{request.headers}\n{body}")
        answered: web.StreamResponse = await handler(request)
        return answered


async def _transcribe(_: web.Request) -> web.Response:
    return web.json_response({"text": "Trams run on time."})


async def _answer_anything(_: web.Request) -> web.Response:
    return web.json_response({"results": []})
