"""The table `[schedule]`: which kinds there are, and which keys each of them takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, model_validator

from arena.section import Section

#: The keys that only some kinds take.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "round_robin": ("matchups_per_pair",),
    "gauntlet": ("matchups_per_pair", "newcomers", "opponents"),
    "random": ("matchups",),
}
#: The key that a kind cannot do without, and an example of it.
_NEEDED: Mapping[str, tuple[str, str]] = {
    "gauntlet": ("newcomers", 'newcomers = ["my-model"], the names of those to be placed'),
    "random": ("matchups", "matchups = 100, the number of draws; each is two debates"),
}


class ScheduleSection(Section):
    """Who meets whom, how often, and how many debates are in flight."""

    kind: Literal["round_robin", "gauntlet", "random"] = "round_robin"
    matchups_per_pair: int | None = Field(default=None, ge=1, le=10_000)
    newcomers: list[str] | None = Field(default=None, min_length=1)
    opponents: list[str] | None = Field(default=None, min_length=1)
    matchups: int | None = Field(default=None, ge=1, le=1_000_000)
    concurrency: int = Field(default=16, ge=1, le=10_000)

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> ScheduleSection:
        for kind, keys in _KEYS.items():
            for key in keys:
                if getattr(self, key) is not None and key not in _KEYS[self.kind]:
                    raise ValueError(
                        f"`{key}` has no effect with kind {self.kind!r}; it belongs to kind "
                        f"{kind!r}. Kind {self.kind!r} takes: {', '.join(_KEYS[self.kind])}"
                    )
        needed, example = _NEEDED.get(self.kind, ("", ""))
        if needed and getattr(self, needed) is None:
            raise ValueError(f"kind {self.kind!r} needs `{needed}`: write {example}")
        return self

    def check_names(self, participants: Sequence[str]) -> None:
        """See that those who are named take part, and that somebody meets somebody.

        Raises:
            ValueError: a name is unknown or given twice, or nobody is left to be met.
        """
        for key, names in (("newcomers", self.newcomers), ("opponents", self.opponents)):
            for name in names or ():
                if name not in participants:
                    listed = ", ".join(participants)
                    raise ValueError(
                        f"schedule.{key}: no participant is named {name!r}. Participants: {listed}"
                    )
            if len(set(names or ())) < len(names or ()):
                raise ValueError(f"schedule.{key} names one twice")
        if self.newcomers and not self._anybody_meets(participants):
            raise ValueError(
                "schedule.newcomers: they have nobody to meet. Leave somebody out of `newcomers`, "
                "or name other `opponents`"
            )

    def _anybody_meets(self, participants: Sequence[str]) -> bool:
        newcomers = self.newcomers or []
        met = self.opponents or [one for one in participants if one not in newcomers]
        return any(new != old for new in newcomers for old in met)
