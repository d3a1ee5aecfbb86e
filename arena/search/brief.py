"""Search in a motion's brief: its points, both sides'."""

from __future__ import annotations

from functools import lru_cache

from arena.languages import Language
from arena.search.bm25 import Ranking
from arena.search.results import Finding
from motions import Brief

#: Findings per query.
RESULTS = 3


class BriefSearch:
    """The points of one motion's brief in one language, as a search tool."""

    def __init__(self, brief: Brief, language: Language) -> None:
        self._brief = brief
        self._language = language

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """The points nearest to a query, best first; none without a word in common."""
        return _ranking(self._brief, self._language.terms["brief"]).best(query, most=RESULTS)


@lru_cache(maxsize=512)
def _ranking(brief: Brief, unnamed: str) -> Ranking:
    return Ranking(
        [
            Finding(origin=point.source or unnamed, excerpt=f"{point.claim} {point.evidence}")
            for point in (*brief.pro, *brief.con)
        ]
    )
