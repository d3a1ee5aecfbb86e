"""Search in a motion's brief, the points of both sides."""

from __future__ import annotations

from functools import lru_cache

from arena.languages import Language
from arena.search.bm25 import SearchIndex
from arena.search.results import Finding
from motions import Brief

#: Findings per query.
RESULTS = 3


class BriefSearch:
    """A search tool for the points of one motion's brief in one language."""

    def __init__(self, brief: Brief, language: Language) -> None:
        self._brief = brief
        self._language = language

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the best points for a query; only those that share a word with it."""
        return _index_brief(self._brief, self._language.terms["brief"]).best(query, most=RESULTS)


@lru_cache(maxsize=512)
def _index_brief(brief: Brief, unsourced: str) -> SearchIndex:
    return SearchIndex(
        [
            Finding(origin=point.source or unsourced, excerpt=f"{point.claim} {point.evidence}")
            for point in (*brief.pro, *brief.con)
        ]
    )
