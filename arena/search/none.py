"""No search: the tool answers, and finds nothing."""

from __future__ import annotations

from arena.search.results import Finding


class NoSearch:
    """A search tool without anything to search in."""

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Nothing, whatever is asked."""
        return ()
