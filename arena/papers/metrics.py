"""The option `--metric` of commands that score translations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from arena.errors import ConfigError
from arena.translation.estimators import Estimator, read_estimator

_Command = TypeVar("_Command", bound=Callable[..., Any])


def metric_option(command: _Command) -> _Command:
    """Add `--metric NAME:MODEL`, which may be repeated, as the parameter `metrics`."""
    return click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="NAME:MODEL",
        help="Score translations by COMET or BLEURT besides chrF; repeatable. Needs an environment "
        "in which it is installed, named by COMET_PYTHON or BLEURT_PYTHON.",
    )(command)


def read_estimators(metrics: Sequence[str]) -> list[Estimator]:
    """Read the values of `--metric`, each once.

    Raises:
        ConfigError: one is no estimator with its model.
    """
    try:
        return [read_estimator(metric) for metric in dict.fromkeys(metrics)]
    except ValueError as error:
        raise ConfigError(f"--metric: {error}.") from None


def estimator_note(estimator: Estimator) -> str:
    """Return what is said of an estimator below its figures."""
    return (
        f"{estimator.label}: mean score of the translations, each against its closest right "
        "reference; its scale is the model's own."
    )
