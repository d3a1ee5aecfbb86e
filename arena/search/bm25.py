"""Texts ranked against a query by BM25, in English and Chinese.

BM25: Robertson and Zaragoza 2009, doi 10.1561/1500000019, as bm25s computes it (Lù 2024, arXiv
2407.03618).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import bm25s
import numpy as np

from arena.search.results import Finding

_WORD = re.compile(r"[^\W\u3400-\u9fff]+")
_RUN = re.compile(r"[\u3400-\u9fff]+")
_COMMON = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split()
)


class Ranking:
    """Findings that can be searched; equally good ones keep their order."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        self._index = bm25s.BM25()
        words = [tokens(one.excerpt) for one in self.findings]
        if any(words):  # bm25s makes no index of nothing; without one no word is known
            self._index.index(words, show_progress=False)
        self._known = frozenset(word for found in words for word in found)

    def best(self, query: str, *, most: int) -> tuple[Finding, ...]:
        """The findings nearest to a query, best first; none without a word in common."""
        asked = [word for word in tokens(query) if word in self._known]
        if not asked:
            return ()
        scores = self._index.get_scores(asked)
        order = np.argsort(-scores, kind="stable")[:most]
        return tuple(self.findings[number] for number in order if scores[number] > 0)


def tokens(text: str) -> list[str]:
    """Lower-case words without the commonest, and the character pairs of Chinese.

    >>> tokens("The 4-day week 四天工作")
    ['4', 'day', 'week', '四天', '天工', '工作']
    """
    words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
    pairs = [run[i : i + 2] for run in _RUN.findall(text) for i in range(max(1, len(run) - 1))]
    return words + pairs
