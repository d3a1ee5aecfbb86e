"""Search in a motion's brief: its points, both sides', ranked by BM25."""

from __future__ import annotations

import re
from functools import lru_cache

import bm25s

from arena.debater import Finding
from arena.languages import Language
from motions import Brief

#: Findings per query.
RESULTS = 3

_WORD = re.compile(r"[^\W\u3400-\u9fff]+")
_RUN = re.compile(r"[\u3400-\u9fff]+")
_COMMON = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split()
)


class BriefSearch:
    """The points of one motion's brief in one language, as a search tool."""

    def __init__(self, brief: Brief, language: Language) -> None:
        self._brief = brief
        self._language = language

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """The points nearest to a query, best first; none without a word in common."""
        findings, index = _index(self._brief, self._language.terms["brief"])
        asked = [word for word in tokens(query) if word in index.vocab_dict]
        if not asked:
            return ()
        found, scores = index.retrieve([asked], k=min(RESULTS, len(findings)), show_progress=False)
        return tuple(
            findings[number] for number, score in zip(found[0], scores[0], strict=True) if score > 0
        )


@lru_cache(maxsize=512)
def _index(brief: Brief, unnamed: str) -> tuple[tuple[Finding, ...], bm25s.BM25]:
    findings = tuple(
        Finding(origin=point.source or unnamed, excerpt=f"{point.claim} {point.evidence}")
        for point in (*brief.pro, *brief.con)
    )
    index = bm25s.BM25()
    index.index([tokens(one.excerpt) for one in findings], show_progress=False)
    return findings, index


def tokens(text: str) -> list[str]:
    """Lower-case words without the commonest, and the character pairs of Chinese.

    >>> tokens("The 4-day week 四天工作")
    ['4', 'day', 'week', '四天', '天工', '工作']
    """
    words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
    pairs = [run[i : i + 2] for run in _RUN.findall(text) for i in range(max(1, len(run) - 1))]
    return words + pairs
