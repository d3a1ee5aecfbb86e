"""What Debate-to-Write publishes of our debaters' essays, by the names of our figures."""

from __future__ import annotations

from collections.abc import Mapping

from arena.papers.published import PublishedTable, published_table

_PAPER = "debate_to_write"
#: The columns of the paper's Table 1 by the names of our marks and measures.
COLUMNS = {
    "relevance": "relevance ↑",
    "preference": "preference ↑",
    "self_bleu": "self-BLEU ↓",
    "self_emb": "self-Emb ↓",
    "perspective": "persp. ↓",
}


def published_quality() -> PublishedTable:
    """Return quality and diversity by framework, the paper's Table 1."""
    return published_table(_PAPER, "T1")


def published_rankings() -> PublishedTable:
    """Return people's rankings by framework, the paper's Table 2."""
    return published_table(_PAPER, "T2")


def published_figures(*names: str) -> dict[str, Mapping[str, float]]:
    """Return figures of Table 1 by debater, and by the names of our marks and measures."""
    table = published_quality()
    columns = {name: table.numbers(COLUMNS[name]) for name in names}
    debaters = [str(row[0]) for row in table.rows]
    return {debater: {name: columns[name][debater] for name in names} for debater in debaters}


def published_name(debater: str, *, personas: bool) -> str:
    """Return the name that a debater has in the paper's file.

    >>> published_name("debate_to_write", personas=False)
    'without personas'
    """
    return debater if personas else "without personas"
