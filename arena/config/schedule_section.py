"""The tables `[schedule]` and `[target]`: who meets whom, and what the tournament is to settle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, model_validator

from arena.config.section import Name, Section
from arena.config.window import DailyWindow

ScheduleKind = Literal["round_robin", "gauntlet", "random", "swiss", "knockout", "adaptive"]
Objective = Literal["ranking", "top-k", "newcomer", "precision"]

#: The keys of `[schedule]` that not all kinds take.
_SCHEDULE_KEYS: Mapping[str, tuple[str, ...]] = {
    "round_robin": ("matchups_per_pair", "knockout"),
    "gauntlet": ("matchups_per_pair", "newcomers", "opponents"),
    "random": ("matchups", "knockout"),
    "swiss": ("rounds", "knockout"),
    "knockout": ("knockout",),
    "adaptive": ("matchups", "wave", "newcomers", "knockout"),
}
#: The key that says how many matchups a kind has; the number of a knockout follows from its field.
_LENGTH_KEYS: Mapping[str, str] = {
    "round_robin": "matchups_per_pair",
    "gauntlet": "matchups_per_pair",
    "random": "matchups",
    "swiss": "rounds",
    "adaptive": "matchups",
}
#: The key that a kind requires, and an example of it.
_SCHEDULE_NEEDS: Mapping[str, tuple[str, str]] = {
    "gauntlet": (
        "newcomers",
        'newcomers = ["my-model"], the names of the participants to be rated',
    ),
    "random": ("matchups", "matchups = 100, the number of pairs drawn; each plays two debates"),
}
#: The keys of `[target]` that only one objective takes, and what they are where they are left out.
_TARGET_KEYS: Mapping[str, tuple[str, float]] = {
    "first": ("top-k", 3),
    "places": ("newcomer", 3),
    "elo": ("precision", 60.0),
}


class ScheduleSection(Section):
    """The table `[schedule]`: who meets whom, how often, how many at once, and at what times.

    Attributes:
        matchups: how many are drawn (`random`), or at most played (`adaptive`).
        wave: how many matchups `adaptive` plans at a time.
        knockout: how many of the best meet in a knockout after the rest.
    """

    later_keys = frozenset({"window", "rounds", "wave", "knockout"})
    kind: ScheduleKind = "round_robin"
    matchups_per_pair: int | None = Field(default=None, ge=1, le=10_000)
    newcomers: list[str] | None = Field(default=None, min_length=1)
    opponents: list[str] | None = Field(default=None, min_length=1)
    matchups: int | None = Field(default=None, ge=1, le=1_000_000)
    rounds: int | None = Field(default=None, ge=1, le=10_000)
    wave: int | None = Field(default=None, ge=1, le=10_000)
    knockout: int | None = Field(default=None, ge=2)
    concurrency: int = Field(default=16, ge=1, le=10_000)
    window: DailyWindow | None = None

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> ScheduleSection:
        accepted = _SCHEDULE_KEYS[self.kind]
        for key in (key for keys in _SCHEDULE_KEYS.values() for key in keys):
            if getattr(self, key) is not None and key not in accepted:
                kinds = [repr(kind) for kind, keys in _SCHEDULE_KEYS.items() if key in keys]
                word = "kind" if len(kinds) == 1 else "kinds"
                raise ValueError(
                    f"`{key}` has no effect with kind {self.kind!r}; it belongs to {word} "
                    f"{', '.join(kinds)}. Kind {self.kind!r} takes: {', '.join(accepted)}"
                )
        needed, example = _SCHEDULE_NEEDS.get(self.kind, ("", ""))
        if needed and getattr(self, needed) is None:
            raise ValueError(f"kind {self.kind!r} needs `{needed}`: write {example}")
        return self

    @property
    def length_key(self) -> str:
        """The key that says how many matchups are played at most; '' where none does."""
        return "" if self.knockout else _LENGTH_KEYS.get(self.kind, "")

    def check_names(self, participants: Sequence[str]) -> None:
        """Check that the newcomers and opponents are participants, and that any of them meet.

        Raises:
            ValueError: a name is unknown or written twice, no newcomer meets anybody, or fewer
                take part than the knockout is for.
        """
        for key, names in (("newcomers", self.newcomers), ("opponents", self.opponents)):
            for name in names or ():
                if name not in participants:
                    listed = ", ".join(participants)
                    raise ValueError(
                        f"schedule.{key}: no participant is named {name!r}. Participants: {listed}"
                    )
            if len(set(names or ())) < len(names or ()):
                raise ValueError(f"schedule.{key} lists a name twice")
        newcomers = self.newcomers or []
        opponents = self.opponents or [name for name in participants if name not in newcomers]
        meet = any(newcomer != opponent for newcomer in newcomers for opponent in opponents)
        if newcomers and not meet:
            raise ValueError(
                "schedule.newcomers: nobody is left for them to meet. Remove a name from "
                "`newcomers`, or name other `opponents`"
            )
        if self.knockout and self.knockout > len(participants):
            raise ValueError(
                f"schedule.knockout is {self.knockout}, but there are {len(participants)} "
                "participants. Write at most that many"
            )


class TargetSection(Section):
    """The table `[target]`: what the tournament is to settle; it ends as soon as that is settled.

    Attributes:
        objective: `ranking`: the order of all participants; `top-k`: who the first `first` are;
            `newcomer`: the newcomers' places; `precision`: everybody's rating.
        first: how many places at the top are to be settled (`top-k`).
        places: how many places the rank range of a newcomer may have (`newcomer`).
        elo: how far from a rating its interval may reach, in Elo points (`precision`).
        bench: whose verdicts decide; the first bench that asks no people where it is left out.
    """

    objective: Objective = "ranking"
    first: int | None = Field(default=None, ge=1)
    places: int | None = Field(default=None, ge=1)
    elo: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    bench: Name | None = None

    @model_validator(mode="after")
    def _keys_of_its_objective(self) -> TargetSection:
        for key, (objective, _) in _TARGET_KEYS.items():
            if getattr(self, key) is not None and self.objective != objective:
                raise ValueError(
                    f"`{key}` has no effect with objective {self.objective!r}; it belongs to "
                    f"objective {objective!r}"
                )
        return self

    @property
    def amount(self) -> float:
        """The number that belongs to the objective: `first`, `places` or `elo`; 0 for a ranking."""
        for key, (objective, default) in _TARGET_KEYS.items():
            if self.objective == objective:
                value = getattr(self, key)
                return default if value is None else value
        return 0
