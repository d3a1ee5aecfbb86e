"""Search tools and their results, and a side's search: journalled, and never raising."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Protocol, TypeAlias

from arena.languages import Side
from arena.llm.session import CallSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One result of a search: an excerpt and its origin (title, file or address)."""

    origin: str
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The outcome of a search.

    Attributes:
        findings: best first.
        failure: why the search failed, for the trace; empty where it succeeded.
    """

    findings: tuple[Finding, ...] = ()
    failure: str = ""


#: A search tool for one motion in one language: from a query to findings, best first. It raises
#: `InfrastructureFault` where there is no answer; that is retried unless it is `ProviderRejected`.
SearchTool: TypeAlias = Callable[[str], Awaitable[tuple[Finding, ...]]]


class Search(Protocol):
    """A search tool as a debater calls it."""

    async def __call__(self, query: str, *, path: str) -> Results:
        """Return the results for a query; a failed search is reported in them, never raised."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSearch:
    """The search of one side; results are journalled, so that a resumed debate gets the same."""

    unit: CallSession
    tool: SearchTool
    side: Side

    async def __call__(self, query: str, *, path: str) -> Results:
        """Return the results for a query; a failed search is reported in them."""

        async def find() -> list[dict[str, str]]:
            return [asdict(finding) for finding in await self.tool(query)]

        findings, failure = await self.unit.search(query, path=f"{self.side}/{path}", find=find)
        return Results(findings=tuple(Finding(**fields) for fields in findings), failure=failure)


class NoSearch:
    """A search tool that finds nothing."""

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return no findings."""
        return ()
