"""What the participants are whose answers are made in rounds: their levels and models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.config.resolve import ResolvedConfig
from arena.records import Participant
from arena.report.rounds.measures import Outcome
from arena.report.rounds.work import MAD

_SIDES = ("affirmative", "negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """An outcome with what its participant is.

    Attributes:
        level: of disagreement that is asked for, of `mad`; None for other debaters.
        models: of affirmative, negative and judge; those of other debaters are all the same.
    """

    debater: str
    level: int | None
    models: Mapping[str, str]
    outcome: Outcome

    @property
    def own_share(self) -> float:
        """The share of verdicts for the one debater that has the judge's model; else NaN."""
        same = {role: self.models[role] == self.models["judge"] for role in _SIDES}
        if same["affirmative"] == same["negative"]:
            return math.nan
        side = "affirmative" if same["affirmative"] else "negative"
        decided = sum(self.outcome.verdicts[role] for role in _SIDES)
        return self.outcome.verdicts[side] / decided if decided else math.nan


def outcome_rows(resolved: ResolvedConfig, outcomes: Sequence[Outcome]) -> list[OutcomeRow]:
    """Return the outcomes with the debaters, levels and models of their participants."""
    participants = {participant.name: participant for participant in resolved.participants}
    return [outcome_row(participants[outcome.participant], outcome) for outcome in outcomes]


def outcome_row(participant: Participant, outcome: Outcome) -> OutcomeRow:
    """Return an outcome with the debater, the level and the models of its participant."""
    options = participant.options
    models = options.get("models") or {}
    roles = (*_SIDES, "judge")
    return OutcomeRow(
        debater=participant.debater,
        level=options.get("level") if participant.debater == MAD else None,
        models={role: models.get(role) or participant.model for role in roles},
        outcome=outcome,
    )
