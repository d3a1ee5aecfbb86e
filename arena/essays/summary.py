"""Each participant's diversity over its propositions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from arena.essays.diversity import MeasuredEssays

METRICS = ("self_bleu", "self_emb", "perspective")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanInterval:
    """A mean over propositions with its 95 % interval; NaN where there are too few.

    Attributes:
        lower, upper: by Student's t, the propositions taken as a sample of many; NaN with a
            single one.
    """

    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """One participant's figures, 0 to 100: lower is more diverse.

    Attributes:
        propositions: number of sets of essays, one per proposition and language.
        essays: in each set.
        points: mean number of an essay's points.
        unread: essays for which no points could be read.
        figures: by metric, one of `METRICS`.
    """

    participant: str
    debater: str
    propositions: int
    essays: int
    points: float
    unread: int
    figures: Mapping[str, MeanInterval]


def summarize_diversity(measured: Sequence[MeasuredEssays]) -> Iterator[Diversity]:
    """Summarize the measured sets by participant, in the order in which participants come."""
    names = dict.fromkeys(result.essays.participant for result in measured)
    for name in names:
        own = [result for result in measured if result.essays.participant == name]
        size = len(own[0].essays.texts)
        yield Diversity(
            participant=name,
            debater=own[0].essays.debater,
            propositions=len(own),
            essays=size,
            points=sum(result.points for result in own) / (size * len(own)),
            unread=sum(result.unread for result in own),
            figures={
                metric: mean_interval([getattr(result, metric) for result in own])
                for metric in METRICS
            },
        )


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Return the mean of the known values, and its interval.

    >>> mean_interval([20.0, 30.0, 25.0]).mean
    25.0
    """
    known = np.array([value for value in values if not math.isnan(value)], dtype=np.float64)
    if not len(known):
        return MeanInterval(mean=math.nan, lower=math.nan, upper=math.nan)
    mean = float(known.mean())
    if len(known) < 2:
        return MeanInterval(mean=mean, lower=math.nan, upper=math.nan)
    error = float(known.std(ddof=1)) / math.sqrt(len(known))
    width = float(stats.t.ppf(0.975, len(known) - 1)) * error
    return MeanInterval(mean=mean, lower=mean - width, upper=mean + width)
