"""A search index ranked by BM25, for English and Chinese; the search in motions' briefs.

BM25: Robertson and Zaragoza 2009, doi 10.1561/1500000019, computed by bm25s (Lù 2024, arXiv
2407.03618).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import bm25s
import numpy as np

from arena.languages import Language
from arena.search.tool import Finding
from motions import Brief

_WORD = re.compile(r"[^\W\u3400-\u9fff]+")
_RUN = re.compile(r"[\u3400-\u9fff]+")
_COMMON = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split()
)


class SearchIndex:
    """An index of findings; findings with equal scores keep their order."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        self._index = bm25s.BM25()
        documents = [tokens(finding.excerpt) for finding in self.findings]
        if any(documents):  # bm25s cannot index nothing; `best` then finds no known word
            self._index.index(documents, show_progress=False)
        self._known = frozenset(word for document in documents for word in document)

    def best(self, query: str, *, most: int) -> tuple[Finding, ...]:
        """Return the best findings for a query; only those that share a word with it."""
        words = [word for word in tokens(query) if word in self._known]
        if not words:
            return ()
        scores = self._index.get_scores(words)
        order = np.argsort(-scores, kind="stable")[:most]
        return tuple(self.findings[number] for number in order if scores[number] > 0)


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words without the commonest, and pairs of Chinese characters.

    >>> tokens("The 4-day week 四天工作")
    ['4', 'day', 'week', '四天', '天工', '工作']
    """
    words = [word for word in _WORD.findall(text.lower()) if word not in _COMMON]
    pairs = [run[i : i + 2] for run in _RUN.findall(text) for i in range(max(1, len(run) - 1))]
    return words + pairs


#: Excerpts of a page that are read, at most.
LONGEST_PAGE = 12


def select_excerpts(page: Sequence[Finding], question: str) -> tuple[Finding, ...]:
    """Return the excerpts of a page that match a question best, at most LONGEST_PAGE, in its order.

    A page in which no word of the question occurs is read from its beginning.
    """
    distinct = tuple(dict.fromkeys(page))
    if len(distinct) <= LONGEST_PAGE:
        return distinct
    best = SearchIndex(distinct).best(question, most=LONGEST_PAGE) or distinct[:LONGEST_PAGE]
    return tuple(finding for finding in distinct if finding in best)


#: Findings per query.
RESULTS = 3


@dataclass(frozen=True, slots=True)
class BriefSearch:
    """A search tool for the points of one motion's brief in one language."""

    brief: Brief
    language: Language

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the best points for a query; only those that share a word with it."""
        return self._index.best(query, most=RESULTS)

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:
        """Return the points of a source, in the brief's order."""
        page = [finding for finding in self._index.findings if finding.origin == origin]
        return select_excerpts(page, question)

    @property
    def _index(self) -> SearchIndex:
        return _index_brief(self.brief, self.language.terms["brief"])


@lru_cache(maxsize=512)
def _index_brief(brief: Brief, unsourced: str) -> SearchIndex:
    return SearchIndex(
        [
            Finding(origin=point.source or unsourced, excerpt=f"{point.claim} {point.evidence}")
            for point in (*brief.pro, *brief.con)
        ]
    )
