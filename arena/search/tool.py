"""Search tools and their results, and a side's search: journalled, and never raising."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Protocol

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


class SearchTool(Protocol):
    """A search tool for one motion in one language.

    Both raise `InfrastructureFault` where there is no answer; that is retried unless it is
    `ProviderRejected`.
    """

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the findings for a query, best first."""
        ...

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:
        """Return what the page of a finding says on a question, in the page's order."""
        ...


class Search(Protocol):
    """A search tool as a debater calls it; a failure is reported in the results, never raised."""

    async def __call__(self, query: str, *, path: str) -> Results:
        """Return the results for a query."""
        ...

    async def read(self, origin: str, question: str, *, path: str) -> Results:
        """Return what the page of a finding says on a question, in the page's order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSearch:
    """The search of one side; results are journalled, so that a resumed debate gets the same."""

    unit: CallSession
    tool: SearchTool
    side: Side

    async def __call__(self, query: str, *, path: str) -> Results:
        """Return the results for a query."""
        return await self._find(query, lambda: self.tool(query), path)

    async def read(self, origin: str, question: str, *, path: str) -> Results:
        """Return what the page of a finding says on a question, in the page's order."""
        return await self._find(
            f"{origin}\n{question}", lambda: self.tool.read(origin, question), path
        )

    async def _find(
        self, asked: str, search: Callable[[], Awaitable[tuple[Finding, ...]]], path: str
    ) -> Results:
        async def find() -> list[dict[str, str]]:
            return [asdict(finding) for finding in await search()]

        findings, failure = await self.unit.search(asked, path=f"{self.side}/{path}", find=find)
        return Results(findings=tuple(Finding(**fields) for fields in findings), failure=failure)


class NoSearch:
    """A search tool that finds nothing."""

    async def __call__(self, query: str) -> tuple[Finding, ...]:  # noqa: ARG002
        """Return no findings."""
        return ()

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:  # noqa: ARG002
        """Return no findings."""
        return ()
