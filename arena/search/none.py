"""The search tool of tournaments without search."""

from __future__ import annotations

from arena.search.results import Finding


class NoSearch:
    """A search tool that finds nothing."""

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return no findings."""
        return ()
