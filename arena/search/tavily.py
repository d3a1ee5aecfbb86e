"""Search on the web with Tavily: `POST /search` and `POST /extract`, JSON in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.calls import LONGEST_HINT
from arena.llm.faults import fault_of, status_of
from arena.llm.traffic.rate_limiter import RateLimiter, RateLimiterSettings
from arena.search.bm25 import select_excerpts
from arena.search.documents import flatten, split_excerpts
from arena.search.tool import Finding
from arena.text import as_sentence

#: Address of the service.
API_BASE = "https://api.tavily.com"
#: The environment variable that holds the key.
API_KEY = "env:TAVILY_API_KEY"
#: Findings per query.
RESULTS = 5
#: Longest query that the service accepts, in characters.
LONGEST_QUERY = 400
#: Longest excerpt, in characters: the excerpts of all results must fit into a prompt.
LONGEST_EXCERPT = 1200

#: Concurrent searches.
_CONCURRENCY = 16
#: Advice by HTTP status, for refusals that every further search would get as well.
_REMEDIES = {
    401: "Check the key in TAVILY_API_KEY (or in the variable that [search] api_key names).",
    403: "Check the permissions of the key in TAVILY_API_KEY.",
    432: "The quota of the Tavily plan is used up. Raise it, or wait until it is renewed.",
    433: "The pay-as-you-go limit is reached. Raise it in Tavily's settings.",
}


class _Result(BaseModel):
    url: str
    content: str
    title: str = ""


class _Answer(BaseModel):
    results: list[_Result]


class _Page(BaseModel):
    raw_content: str | None = None


class _Unread(BaseModel):
    error: str = ""


class _Extract(BaseModel):
    results: list[_Page]
    failed_results: list[_Unread] = []


_Form = TypeVar("_Form", bound=BaseModel)


class TavilySearch:
    """A search tool for the web, shared by all debates of a run.

    Args:
        api_base: address of the service, without `/search` and `/extract`.
        requests_per_minute: how many searches may start in a minute; `None` for no limit.
    """

    def __init__(
        self,
        *,
        api_base: str,
        api_key: str,
        timeout_seconds: float,
        requests_per_minute: float | None = None,
    ) -> None:
        self._address = api_base.rstrip("/")
        self._key = api_key
        self._timeout = timeout_seconds
        self._gate = RateLimiter(
            RateLimiterSettings(most=_CONCURRENCY, requests_per_minute=requests_per_minute),
            model="Tavily",
        )
        self._client: httpx.AsyncClient | None = None

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the best pages for a query; a query that is too long is cut after a word.

        Raises:
            InfrastructureFault: no answer, or not one of the documented form; `ProviderRejected`
                where the key or its quota is refused.
        """
        body = {"query": shorten_query(query), "max_results": RESULTS, "search_depth": "basic"}
        answer = await self._post("search", body, _Answer)
        return tuple(_to_finding(result) for result in answer.results if result.content.strip())

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:
        """Return excerpts of the page of a finding, in its order; it raises like a search.

        A page that the service cannot open is refused for good: `ProviderRejected` with its reason.
        """
        address = origin.rpartition(", ")[2]
        body = {"urls": [address], "extract_depth": "basic", "format": "text"}
        answer = await self._post("extract", body, _Extract)
        if not answer.results:
            reason = "; ".join(filter(None, (one.error for one in answer.failed_results)))
            raise ProviderRejected(f"Tavily: {address} cannot be read: {reason or 'no reason'}.")
        text = answer.results[0].raw_content or ""
        page = [Finding(origin=origin, excerpt=excerpt) for excerpt in split_excerpts(text)]
        return select_excerpts(page, question)

    async def _post(self, endpoint: str, body: Mapping[str, object], form: type[_Form]) -> _Form:
        async with self._gate.open():
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"}
                self._client = httpx.AsyncClient(timeout=self._timeout, headers=headers)
            try:
                response = await self._client.post(f"{self._address}/{endpoint}", json=body)
                response.raise_for_status()
            except httpx.HTTPError as error:
                raise self._fault_of(error) from None
        try:
            return form.model_validate_json(response.content)
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the body"
            raise InfrastructureFault(f"Tavily: the answer is malformed at {place}.") from None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _fault_of(self, error: httpx.HTTPError) -> InfrastructureFault:
        fault = fault_of(error, "Tavily", keys=[self._key])
        if fault.retry_after is not None and fault.retry_after > LONGEST_HINT:
            fault.retry_after = None  # a speech does rather without the search's results
        remedy = _REMEDIES.get(status_of(error) or 0)
        return ProviderRejected(f"{as_sentence(str(fault))} {remedy}") if remedy else fault


def shorten_query(query: str) -> str:
    """Put a query on one line and cut it, after a word if possible, to LONGEST_QUERY."""
    line = " ".join(query.split())
    if len(line) <= LONGEST_QUERY:
        return line
    cut = line[: LONGEST_QUERY + 1].rpartition(" ")[0]
    return cut if len(cut) > LONGEST_QUERY // 2 else line[:LONGEST_QUERY]


def _to_finding(result: _Result) -> Finding:
    title = " ".join(result.title.split())
    excerpt = flatten(result.content)
    if len(excerpt) > LONGEST_EXCERPT:
        excerpt = f"{excerpt[:LONGEST_EXCERPT].rstrip()}…"
    return Finding(origin=f"{title}, {result.url}" if title else result.url, excerpt=excerpt)
