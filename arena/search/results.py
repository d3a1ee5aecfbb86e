"""What a search returns, and the search tool as a debater sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a search returned: where it is from, and what it says."""

    origin: str
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What became of a search.

    Attributes:
        findings: best first; empty where there are none.
        failure: why the search failed, for the trace; empty where it did not.
    """

    findings: tuple[Finding, ...] = ()
    failure: str = ""


class Search(Protocol):
    """A search tool as a debater sees it."""

    async def __call__(self, query: str, *, path: str) -> Results:
        """The results for a query; a search that fails finds nothing, it never raises."""
        ...
