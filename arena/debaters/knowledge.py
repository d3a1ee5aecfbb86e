"""What a side's searches have returned, numbered once for the whole debate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.records import Reference
from arena.search.results import Finding


class Knowledge:
    """A side's motion knowledge base: all that its searches returned, and what was kept of it.

    Attributes:
        found: everything found, numbered from 1 in the order of finding.
    """

    def __init__(self) -> None:
        self.found: list[Reference] = []
        self._kept: set[int] = set()

    def add(self, findings: tuple[Finding, ...]) -> list[Reference]:
        """Number some findings; one that is known already keeps its number."""
        known = {(one.origin, one.excerpt): one for one in self.found}
        for one in findings:
            if (one.origin, one.excerpt) not in known:
                new = Reference(number=len(self.found) + 1, origin=one.origin, excerpt=one.excerpt)
                self.found.append(new)
                known[(one.origin, one.excerpt)] = new
        numbered = [known[(one.origin, one.excerpt)] for one in findings]
        return list({one.number: one for one in numbered}.values())

    def keep(self, numbers: list[int]) -> list[Reference]:
        """Keep the numbers that exist, for the rest of the debate."""
        exist = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(self.found)]
        self._kept.update(exist)
        return [self.found[n - 1] for n in exist]

    @property
    def kept(self) -> list[Reference]:
        """What was kept, by number."""
        return [self.found[n - 1] for n in sorted(self._kept)]


def listed(references: Iterable[Reference]) -> list[dict[str, Any]]:
    """References as they stand in a trace, by number."""
    ordered = sorted(references, key=lambda one: one.number)
    return [{"number": one.number, "origin": one.origin, "excerpt": one.excerpt} for one in ordered]
