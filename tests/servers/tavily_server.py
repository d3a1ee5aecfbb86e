"""Tavily's search and extract on loopback: as strict as their documented JSON, faulty on request.

Documented are: POST /search, `Authorization: Bearer KEY`, a JSON object with a `query` of at most
400 characters, answers with `query`, `results` of `title`, `url`, `content`, `score`, and
`response_time`; POST /extract with `urls`, one or at most 20, answers with `results` of `url`,
`raw_content`, `failed_results` of `url`, `error`, and `response_time`; errors as
`{"detail": {"error": "..."}}` with status 400, 401, 429, 432, 433, 500.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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
_EXTRACT_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "urls": (str, list),
    "query": str,
    "chunks_per_source": int,
    "extract_depth": str,
    "format": str,
    "include_images": bool,
    "include_favicon": bool,
    "include_usage": bool,
    "timeout": (int, float),
}


class TavilyServer(LoopbackServer):
    """The server.

    Attributes:
        asked: the queries it was sent, faults included, in order.
        faults: what the next requests meet: a status, a kind of fault, or `None` for an answer.
        pages: what is found: (title, url, content); `None` for one page about each query.
        contents: the full text of pages, by address; others cannot be read.
        read: the addresses of the pages that were asked for, in order.
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
        self.read: list[str] = []
        self.contents: dict[str, str] = {}
        self.faults = list(faults)
        self.pages = pages
        self.retry_after = retry_after
        self._always = always

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/search", self._search)
        app.router.add_post("/extract", self._extract)
        return app

    async def _search(self, request: web.Request) -> web.StreamResponse:
        body = await self._read_body(request, _problem)
        if isinstance(body, web.Response):
            return body
        self.asked.append(body["query"])
        fault = await self._meet_fault(request)
        if isinstance(fault, web.Response):
            return fault
        return self._answer(body, fault)

    async def _extract(self, request: web.Request) -> web.StreamResponse:
        body = await self._read_body(request, _extract_problem)
        if isinstance(body, web.Response):
            return body
        urls = [body["urls"]] if isinstance(body["urls"], str) else body["urls"]
        self.read += urls
        fault = await self._meet_fault(request)
        if isinstance(fault, web.Response):
            return fault
        known = [url for url in urls if url in self.contents]
        read = [{"url": url, "raw_content": self.contents[url]} for url in known]
        failed = [
            {"url": url, "error": "Failed to fetch url"} for url in urls if url not in self.contents
        ]
        answered = {
            "results": "none" if fault == "wrong_form" else read,
            "failed_results": failed,
            "response_time": 0.02,
            "request_id": "00000000-0000-0000-0000-000000000000",
        }
        return web.json_response(answered)

    async def _read_body(
        self, request: web.Request, find_problem: Callable[[object], str]
    ) -> dict[str, Any] | web.Response:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return self._error(401)
        if request.content_type != "application/json":
            return self._error(400, f"{request.content_type} is not JSON.")
        body: dict[str, Any] = await request.json()
        problem = find_problem(body)
        return self._error(400, problem) if problem else body

    async def _meet_fault(self, request: web.Request) -> web.Response | Fault | None:
        """Answer the next fault, or return it where it is one of the answer."""
        fault = self.faults.pop(0) if self.faults else self._always
        if isinstance(fault, int):
            return self._error(fault)
        if fault == "drop" and isinstance(request.transport, asyncio.Transport):
            request.transport.abort()
        if fault == "malformed":
            return web.Response(text='{"results": [{"ti', content_type="application/json")
        if fault == "slow":
            await asyncio.sleep(0.5)
        return fault

    def _answer(self, body: Mapping[str, Any], fault: Fault | None) -> web.StreamResponse:
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
    if problem := _field_problem(body, _FIELDS):
        return problem
    if not 0 <= body.get("max_results", 5) <= 20:
        return "max_results must be between 0 and 20."
    if body.get("search_depth", "basic") not in ("basic", "advanced"):
        return "Invalid search_depth."
    return _ERRORS[400] if len(body["query"]) > 400 else ""


def _extract_problem(body: object) -> str:
    if not isinstance(body, dict) or not body.get("urls"):
        return "URLs are missing."
    if problem := _field_problem(body, _EXTRACT_FIELDS):
        return problem
    urls = [body["urls"]] if isinstance(body["urls"], str) else body["urls"]
    if len(urls) > 20:
        return "Max 20 URLs are allowed."
    problems = {
        "Invalid URL.": not all(str(url).startswith(("http://", "https://")) for url in urls),
        "chunks_per_source needs a query.": "chunks_per_source" in body and "query" not in body,
        "timeout must be between 1 and 60.": not 1 <= body.get("timeout", 10) <= 60,
        "Invalid format.": body.get("format", "markdown") not in ("markdown", "text"),
        "Invalid extract_depth.": body.get("extract_depth", "basic") not in ("basic", "advanced"),
    }
    return next((problem for problem, holds in problems.items() if holds), "")


def _field_problem(
    body: Mapping[str, object], fields: Mapping[str, type | tuple[type, ...]]
) -> str:
    for name, value in body.items():
        if name not in fields:
            return f"Unknown field {name}."
        if not isinstance(value, fields[name]):
            return f"Invalid {name}."
    return ""


def _result(title: str, url: str, content: str) -> dict[str, Any]:
    return {"title": title, "url": url, "content": content, "score": 0.9, "raw_content": None}
