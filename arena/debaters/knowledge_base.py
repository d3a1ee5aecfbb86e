"""The results of a side's searches, numbered once for the whole debate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.languages import Side
from arena.records import Reference
from arena.search.results import Finding


class KnowledgeBase:
    """A side's motion knowledge base: the results of its searches, and which of them it kept.

    Args:
        side: whose results they are; its letter stands in their marks.

    Attributes:
        references: all results, numbered from 1 in the order in which they were found.
    """

    def __init__(self, side: Side) -> None:
        self._side = side
        self.references: list[Reference] = []
        self._kept: set[int] = set()

    def add(self, findings: tuple[Finding, ...]) -> list[Reference]:
        """Number the findings and return them without repeats; known ones keep their number."""
        known = {(old.origin, old.excerpt): old for old in self.references}
        numbered: dict[int, Reference] = {}
        for finding in findings:
            key = (finding.origin, finding.excerpt)
            if key not in known:
                number = len(self.references) + 1
                known[key] = Reference(
                    number=number,
                    origin=finding.origin,
                    excerpt=finding.excerpt,
                    side=self._side,
                )
                self.references.append(known[key])
            numbered[known[key].number] = known[key]
        return list(numbered.values())

    def keep(self, numbers: list[int]) -> list[Reference]:
        """Keep the references of the given numbers, and return those that exist."""
        existing = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(self.references)]
        self._kept.update(existing)
        return [self.references[n - 1] for n in existing]

    @property
    def kept(self) -> list[Reference]:
        """The references that were kept, by number."""
        return [self.references[n - 1] for n in sorted(self._kept)]


def trace_references(references: Iterable[Reference]) -> list[dict[str, Any]]:
    """Return references as JSON for a trace, by number."""
    ordered = sorted(references, key=lambda reference: reference.number)
    return [
        {"number": reference.number, "origin": reference.origin, "excerpt": reference.excerpt}
        for reference in ordered
    ]
