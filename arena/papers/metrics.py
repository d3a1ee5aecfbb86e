"""How translations are scored: by chrF, and by the estimators of the option `--metric`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import fmean
from typing import Any, TypeAlias, TypeVar

import click

from arena.answers import chrf
from arena.errors import ConfigError
from arena.output.tables import Column
from arena.papers.paper_table import format_known
from arena.translation.estimators import CandidateTranslation, Estimator, read_estimator, source_of
from motions import Answers

_Command = TypeVar("_Command", bound=Callable[..., Any])
#: A text, the question that it answers, and what is expected; None where that is no question.
Answered: TypeAlias = tuple[str, str, Answers | None]


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


def estimator_notes(estimators: Iterable[Estimator]) -> list[str]:
    """Return what is said of estimators below their figures."""
    return [
        f"{estimator.label}: mean score of the translations, each against its closest right "
        "reference; its scale is the model's own."
        for estimator in estimators
    ]


def with_estimates(
    columns: Iterable[Column[Any]], estimators: Iterable[Estimator], *, digits: int | None = None
) -> tuple[Column[Any], ...]:
    """Return columns, and one for each estimator, of the rows' `estimates` by its label."""

    def estimate(row: Any, label: str) -> Any:  # noqa: ANN401 - a record with estimates
        return row.estimates[label]

    further = (
        Column(
            head=estimator.name,
            key=f"{estimator.kind}:{estimator.model}",
            read=partial(estimate, label=estimator.label),
            style=partial(format_known, style=".3f"),
            digits=digits,
        )
        for estimator in estimators
    )
    return *columns, *further


def estimate(estimator: Estimator, answers: Sequence[Answered]) -> list[float]:
    """Score the translations among some answers, equal ones once; NaN for other answers.

    Raises:
        ConfigError: there are answers and none is a translation, or the estimator fails.
    """
    keys = [
        CandidateTranslation(
            source=source_of(asked), text=text, references=tuple(expected.accepted)
        )
        if expected and expected.translation
        else None
        for text, asked, expected in answers
    ]
    translations = list(dict.fromkeys(filter(None, keys)))
    if answers and not translations:
        raise ConfigError(
            f"{estimator.label} scores translations, and this tournament asks for none. Leave out "
            "--metric, or name another tournament."
        )
    scores: dict[CandidateTranslation | None, float] = dict(
        zip(translations, estimator.score(translations), strict=True)
    )
    return [scores.get(key, math.nan) for key in keys]


def mean_chrf(answers: Iterable[Answered]) -> float:
    """Return the mean chrF of the translations among some answers, 0 to 100; NaN without any."""
    return mean_or_nan(
        [
            chrf(text, expected.accepted)
            for text, _, expected in answers
            if expected and expected.translation
        ]
    )


def mean_or_nan(values: Sequence[float]) -> float:
    """Return the mean of some values; NaN of none."""
    return fmean(values) if values else math.nan
