"""What a search tool is, and how one side of a debate uses it: journalled, and never raising."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Protocol

from arena.languages import Side
from arena.llm.session import CallSession
from arena.search.results import Finding, Results


class SearchTool(Protocol):
    """Somewhere to search, for one motion in one language."""

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Findings for a query, best first.

        Raises:
            InfrastructureFault: no answer; tried again unless it is a `ProviderRejected`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSearch:
    """A side's search: what became of it is journalled, so a replay is told the same."""

    unit: CallSession
    tool: SearchTool
    side: Side

    async def __call__(self, query: str, *, path: str) -> Results:
        """The results for a query; a failure is one of them."""

        async def find() -> list[dict[str, str]]:
            return [asdict(finding) for finding in await self.tool(query)]

        found, failure = await self.unit.search(query, path=f"{self.side}/{path}", find=find)
        return Results(findings=tuple(Finding(**one) for one in found), failure=failure)
