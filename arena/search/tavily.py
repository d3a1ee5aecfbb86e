"""Search on the web with Tavily: POST /search, a bearer key, JSON both ways."""

from __future__ import annotations

import httpx
from pydantic import BaseModel, ValidationError

from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.calls import LONGEST_HINT
from arena.llm.faults import fault_of, status_of
from arena.llm.limits import Gate
from arena.search.excerpts import plain
from arena.search.results import Finding

#: Where the service is.
API_BASE = "https://api.tavily.com"
#: The variable that holds the key.
API_KEY = "env:TAVILY_API_KEY"
#: Findings per query.
RESULTS = 5
#: The longest query that the service takes, in characters.
LONGEST_QUERY = 400
#: The longest excerpt, in characters: a page of raw results has to fit into a prompt.
LONGEST_EXCERPT = 1200

#: Searches in flight.
_CONCURRENCY = 16
#: What to do about refusals that every further search would meet as well.
_REMEDIES = {
    401: "Check the key in TAVILY_API_KEY (or in the variable that [search] api_key names).",
    403: "Check what the key in TAVILY_API_KEY is allowed to do.",
    432: "The plan's quota is used up: raise it, or wait until it is renewed.",
    433: "The pay-as-you-go limit is reached: raise it in Tavily's settings.",
}


class _Result(BaseModel):
    url: str
    content: str
    title: str = ""


class _Answer(BaseModel):
    results: list[_Result]


class TavilySearch:
    """The web as a search tool, shared by all debates of a run.

    Args:
        api_base: address of the service, without `/search`.
        api_key: the key itself.
        timeout_seconds: of one request.
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
        self._address = f"{api_base.rstrip('/')}/search"
        self._key = api_key
        self._timeout = timeout_seconds
        self._gate = Gate(_CONCURRENCY, requests_per_minute)
        self._client: httpx.AsyncClient | None = None

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """The pages nearest to a query, best first; a longer query is cut after a word.

        Raises:
            InfrastructureFault: no answer, or none of the documented form; `ProviderRejected`
                where the key or its quota is refused.
        """
        asked = {"query": shortened(query), "max_results": RESULTS, "search_depth": "basic"}
        async with self._gate.open():
            try:
                content = await self._post(asked)
            except httpx.HTTPError as error:
                raise self._fault(error) from None
        try:
            answer = _Answer.model_validate_json(content)
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the body"
            raise InfrastructureFault(f"Tavily: the answer is broken at {place}.") from None
        return tuple(_finding(one) for one in answer.results if one.content.strip())

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _post(self, asked: dict[str, object]) -> bytes:
        if self._client is None:
            self._client = httpx.AsyncClient(
                timeout=self._timeout, headers={"Authorization": f"Bearer {self._key}"}
            )
        answered = await self._client.post(self._address, json=asked)
        answered.raise_for_status()
        return answered.content

    def _fault(self, error: httpx.HTTPError) -> InfrastructureFault:
        fault = fault_of(error, "Tavily", keys=[self._key])
        if fault.retry_after is not None and fault.retry_after <= LONGEST_HINT:
            self._gate.pause(fault.retry_after)
        remedy = _REMEDIES.get(status_of(error) or 0)
        return ProviderRejected(f"{fault} {remedy}") if remedy else fault


def shortened(query: str) -> str:
    """A query on one line, as long as the service takes."""
    line = " ".join(query.split())
    if len(line) <= LONGEST_QUERY:
        return line
    cut = line[: LONGEST_QUERY + 1].rpartition(" ")[0]
    return cut if len(cut) > LONGEST_QUERY // 2 else line[:LONGEST_QUERY]


def _finding(result: _Result) -> Finding:
    title = " ".join(result.title.split())
    excerpt = plain(result.content)
    if len(excerpt) > LONGEST_EXCERPT:
        excerpt = f"{excerpt[:LONGEST_EXCERPT].rstrip()}…"
    return Finding(origin=f"{title}, {result.url}" if title else result.url, excerpt=excerpt)
