"""Participants that choose translations by a trained estimator: whether it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import ConfigError
from arena.translation.estimators import read_estimator

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig


def estimate_lines(resolved: ResolvedConfig, *, needed: bool = True) -> list[str]:
    """Format by which estimators participants choose, as lines of a plan.

    Args:
        needed: whether they must be installed; a plan needs none.

    Raises:
        ConfigError: one is not installed, though it is needed.
    """
    users: dict[str, list[str]] = {}
    if resolved.config.tournament.contest == "question":
        for participant in resolved.participants:
            if estimator := participant.options.get("estimator"):
                users.setdefault(str(estimator), []).append(participant.name)
    lines = []
    for text, names in users.items():
        estimator = read_estimator(text)
        line, problem = f"{', '.join(names)}: choice by {estimator.label}", estimator.problem
        if problem and needed:
            where = f"{resolved.where}: " if resolved.where else ""
            raise ConfigError(
                f"{where}{line}. {problem}. To let the participant's model choose instead: "
                'options = { preset = "paper", estimator = "" }.'
            )
        lines.append(
            f"{line}{f'; to be played, it must be installed: {problem}' if problem else ''}"
        )
    return lines
