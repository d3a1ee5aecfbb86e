"""What a configuration asks of a tournament: its schedule, its target, whose verdicts decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from arena.config.resolved import ResolvedConfig
from arena.config.schedule_section import ScheduleSection, TargetSection

#: The kinds of schedules that are known as a whole before anything is played.
_WHOLE = ("round_robin", "gauntlet", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a tournament: a schedule, and a target if there is one.

    Attributes:
        bench: the name of the bench whose verdicts decide.
    """

    schedule: ScheduleSection
    target: TargetSection | None
    bench: str

    @classmethod
    def of(cls, resolved: ResolvedConfig) -> Self:
        """Return what a configuration asks."""
        target = resolved.config.target
        default = next(iter(resolved.model_benches), resolved.benches[0])
        bench = (target and target.bench) or default.name
        return cls(schedule=resolved.config.schedule, target=target, bench=bench)

    @property
    def in_waves(self) -> bool:
        """Whether who meets whom depends on what was played before."""
        schedule = self.schedule
        return bool(schedule.kind not in _WHOLE or self.target or schedule.knockout)

    def content(self) -> dict[str, Any]:
        """Return it as JSON content."""
        target = self.target and self.target.model_dump(mode="json")
        schedule = self.schedule.model_dump(mode="json")
        return {"schedule": schedule, "target": target, "bench": self.bench}
