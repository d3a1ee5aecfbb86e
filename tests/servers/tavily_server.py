"""Tavily's search on loopback: as strict as its documented JSON, and faulty on request.

Documented are: POST /search, `Authorization: Bearer KEY`, a JSON object with a `query` of at most
400 characters, answers with `query`, `results` of `title`, `url`, `content`, `score`, and
`response_time`; errors as `{"detail": {"error": "..."}}` with status 400, 401, 429, 432, 433, 500.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

from aiohttp import web

from tests.servers.threads import LoopbackServer, in_loop

Fault: TypeAlias = Literal["drop", "malformed", "wrong_form", "slow"] | int
KEY = "tvly-very-secret-0123456789"

_ERRORS: Mapping[int, str] = {
    400: "Query is too long. Max query length is 400 characters.",
    401: "Unauthorized: missing or invalid API key.",
    429: "Your request has been blocked due to excessive requests.",
    432: "This request exceeds your plan's set usage limit.",
    433: "This request exceeds the pay-as-you-go limit.",
    500: "Internal Server Error",
}
_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "query": str,
    "max_results": int,
    "search_depth": str,
    "topic": str,
    "include_answer": (bool, str),
    "include_raw_content": (bool, str),
    "include_domains": list,
    "exclude_domains": list,
}


class TavilyServer(LoopbackServer):
    """The server.

    Attributes:
        asked: the queries it was sent, faults included, in order.
        faults: what the next requests meet: a status, a kind of fault, or `None` for an answer.
        pages: what is found: (title, url, content); `None` for one page about each query.
        retry_after: what an error says in that header; empty for no such header.
    """

    def __init__(
        self,
        *faults: Fault | None,
        pages: Sequence[tuple[str, str, str]] | None = None,
        retry_after: str = "0",
        always: Fault | None = None,
    ) -> None:
        self.asked: list[str] = []
        self.faults = list(faults)
        self.pages = pages
        self.retry_after = retry_after
        self._always = always

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/search", self._search)
        return app

    async def _search(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return self._error(401)
        if request.content_type != "application/json":
            return self._error(400, f"{request.content_type} is not JSON.")
        body = await request.json()
        if problem := _problem(body):
            return self._error(400, problem)
        self.asked.append(body["query"])
        fault = self.faults.pop(0) if self.faults else self._always
        if isinstance(fault, int):
            return self._error(fault)
        return await self._answer(request, body, fault)

    async def _answer(
        self, request: web.Request, body: Mapping[str, Any], fault: Fault | None
    ) -> web.StreamResponse:
        if fault == "drop" and isinstance(request.transport, asyncio.Transport):
            request.transport.abort()
        if fault == "malformed":
            return web.Response(text='{"results": [{"ti', content_type="application/json")
        if fault == "slow":
            await asyncio.sleep(0.5)
        found = [_result(*page) for page in self._found(body["query"])[: body["max_results"]]]
        answered = {
            "query": body["query"],
            "follow_up_questions": None,
            "answer": None,
            "images": [],
            "results": "none" if fault == "wrong_form" else found,
            "response_time": 0.01,
            "request_id": "00000000-0000-0000-0000-000000000000",
        }
        return web.json_response(answered)

    def _found(self, query: str) -> Sequence[tuple[str, str, str]]:
        if self.pages is not None:
            return self.pages
        return [("A page", "https://example.org/page", f"What is known of this: {query[:60]}")]

    def _error(self, status: int, words: str = "") -> web.Response:
        headers = {"Retry-After": self.retry_after} if self.retry_after else None
        body = {"detail": {"error": words or _ERRORS[status]}}
        return web.json_response(body, status=status, headers=headers)


@asynccontextmanager
async def tavily(
    *faults: Fault | None,
    pages: Sequence[tuple[str, str, str]] | None = None,
    retry_after: str = "0",
) -> AsyncIterator[TavilyServer]:
    """A server in the running loop."""
    async with in_loop(TavilyServer(*faults, pages=pages, retry_after=retry_after)) as server:
        yield server


def _problem(body: object) -> str:
    if not isinstance(body, dict) or not isinstance(body.get("query"), str) or not body["query"]:
        return "Query is missing."
    for name, value in body.items():
        if name not in _FIELDS:
            return f"Unknown field {name}."
        if not isinstance(value, _FIELDS[name]):
            return f"Invalid {name}."
    if not 0 <= body.get("max_results", 5) <= 20:
        return "max_results must be between 0 and 20."
    if body.get("search_depth", "basic") not in ("basic", "advanced"):
        return "Invalid search_depth."
    return _ERRORS[400] if len(body["query"]) > 400 else ""


def _result(title: str, url: str, content: str) -> dict[str, Any]:
    return {"title": title, "url": url, "content": content, "score": 0.9, "raw_content": None}
