"""Texts that a model did not deliver on the way to a verdict: the judge goes on without them."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from arena.errors import ContentFault
from arena.judge import Judgement
from arena.languages import Language
from arena.records import Step

_Result = TypeVar("_Result")

_NOTES: Mapping[str, str] = {
    "en": "(Judged without what the model did not deliver: {}.)",
    "zh": "（评判时缺少模型未能给出的内容：{}。）",
}


def count_missing(trace: Iterable[Step]) -> int:
    """Count the steps of a judge's trace that stand for something missing.

    >>> count_missing([{"agent": "missing", "path": "a"}, {"agent": "juror", "winner": "Pro"}])
    1
    """
    return sum(step["agent"] == "missing" or "missing" in step for step in trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absences:
    """What is missing in one run of a judge.

    Attributes:
        language: of the note that is added to the rationale.
        faults: why, by the path of the call.
    """

    language: Language
    faults: dict[str, ContentFault] = field(default_factory=dict)

    async def attempt(self, work: Awaitable[_Result], path: str) -> _Result | None:
        """Await a text that the judge can do without; return None where there is none."""
        try:
            return await work
        except ContentFault as fault:
            self.faults[path] = fault
            return None

    def check_half(self, paths: Iterable[str]) -> None:
        """Raise the first fault of some paths where fewer than half of them were answered."""
        asked = list(paths)
        faults = [self.faults[path] for path in asked if path in self.faults]
        if 2 * len(faults) > len(asked):
            raise faults[0]

    def describe(self, path: str) -> str:
        """Return the fault of a path on one line, for a trace."""
        fault = self.faults[path]
        return " ".join(f"{type(fault).__name__}: {fault}".split())

    def add_to(self, judgement: Judgement, *, traced: Iterable[str] = ()) -> Judgement:
        """Add what is missing to a judgement's trace, and a note to its rationale."""
        if not self.faults:
            return judgement
        known = set(traced)
        paths = sorted(self.faults)  # not in the order in which the calls ended
        steps: tuple[Step, ...] = tuple(
            {"agent": "missing", "path": path, "reason": self.describe(path)}
            for path in paths
            if path not in known
        )
        note = _NOTES[self.language.code].format(", ".join(paths))
        return replace(
            judgement,
            rationale=f"{judgement.rationale}\n{note}",
            trace=(*judgement.trace, *steps),
        )
