"""The results of a search, and the search tool as a debater calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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


class Search(Protocol):
    """A search tool as a debater calls it."""

    async def __call__(self, query: str, *, path: str) -> Results:
        """Return the results for a query; a failed search is reported in them, never raised."""
        ...
