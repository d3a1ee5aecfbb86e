"""The ratings of a board by its method."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

import ratings  # what resamples is loaded where it is asked for
from arena.boards.method import INTERVALS_DIFFER, STORED, IntervalKind, Method
from arena.errors import ConfigError
from ratings import (
    CircleTest,
    Comparisons,
    EffectInterval,
    FirstPlace,
    MotionEffect,
    NotIdentified,
    Pairing,
    PlanProgress,
    confidence,
    connectivity,
    look_for_circles,
)
from ratings.comparisons import PLAYED
from ratings.intervals.comparison_widths import ComparisonWidths, comparison_widths
from ratings.model.reference import Placement

#: Replicates of the bootstrap.
ROUNDS: Final = 1000
_NO_PERCENTILES: Final = (
    "without a prior some resamples have no finite maximum, so there are no medians and "
    "percentiles of the bootstrap"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rated(Placement):
    """K participants rated by a method.

    Attributes:
        median: (K,) of the replicates of the bootstrap, Elo points; NaN where there are none.
        lower, upper: (K,) the intervals of the fit, Elo points.
        percentile_lower, percentile_upper: (K,) the intervals of the bootstrap, Elo points; NaN
            where there are none.
        comparison: half widths of bars that overlap where two participants cannot be told apart.
        first: who is first, with an interval for whoever is named so; None where ratings are
            sequential.
        pairing: what intervals, orders and ranks hold for (`Confidence.pairing`).
        plan: how far the plan is played (`Confidence.plan`).
        effects: the model's terms besides the abilities.
        motions: what motions add; None where the ratings are for these motions alone.
        circles: whether results run in circles; None where that is not tested: where nothing can,
            the model has terms beside the abilities, or participants are many.
        penalty: standard deviation of the prior, Elo points; infinite where there is none.
        with_losses: (K,) ratings if forfeits count as losses, Elo points; None where they are
            few or alike (`Confidence.with_losses`).
        notes: on what could not be computed.
    """

    median: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    percentile_lower: NDArray[np.float64]
    percentile_upper: NDArray[np.float64]
    comparison: ComparisonWidths
    effects: tuple[EffectInterval, ...]
    motions: MotionEffect | None
    penalty: float
    data_hash: str
    first: FirstPlace | None = None
    pairing: Pairing = "fixed"
    plan: PlanProgress = PLAYED
    circles: CircleTest | None = None
    with_losses: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def both_ways(self) -> bool:
        """Whether statements hold whether forfeits count as losses or not."""
        return self.with_losses is not None

    @property
    def group_numbers(self) -> dict[str, int]:
        """The number of the tie group of each who is rated, counted from the top."""
        groups = enumerate(self.tie_groups, start=1)
        return {name: number for number, group in groups for name in group}

    @property
    def separated(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose order is settled, better first."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(self.settled))

    def ends(self, kind: IntervalKind) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower and the upper ends of the intervals of a kind, (K,) each."""
        if kind == "bootstrap":
            return self.percentile_lower, self.percentile_upper
        return self.lower, self.upper


def rate(
    comparisons: Comparisons, method: Method = STORED, *, seed: int, resample: bool = True
) -> Rated:
    """Rate participants by a method.

    Args:
        comparisons: of K participants; for sequential ratings in the order of play.
        resample: whether to resample for medians and percentiles, which takes most of the time;
            sequential ratings always do.

    Raises:
        ConfigError: there is no prior and no finite maximum, or bootstrap intervals are asked for
            and there are none.
    """
    if method.k is not None:
        return _rate_sequentially(comparisons, method, method.k, seed)
    comparisons = method.weigh(comparisons)
    try:
        rated = confidence(comparisons, method.model, anchor=method.anchor)
    except NotIdentified as error:
        raise ConfigError(f"{error} (leave out --no-prior)") from None
    resampled: ratings.Intervals | None = None
    if resample:
        with suppress(NotIdentified):  # of some resample
            resampled = ratings.bootstrap(
                comparisons, method.model, rounds=ROUNDS, seed=seed, anchor=method.anchor
            )
    if resampled is None and method.intervals == "bootstrap":
        raise ConfigError(
            f"{_NO_PERCENTILES}. Keep the prior (leave out --no-prior), or use --intervals "
            "sandwich."
        )
    unknown = np.full(len(comparisons.names), np.nan)
    return Rated(
        names=comparisons.names,
        rating=rated.ratings.rating,
        median=resampled.median if resampled else unknown,
        lower=rated.lower,
        upper=rated.upper,
        percentile_lower=resampled.lower if resampled else unknown,
        percentile_upper=resampled.upper if resampled else unknown,
        comparison=rated.comparison,
        above=rated.above,
        matchups=rated.ratings.matchups,
        effects=rated.effects,
        motions=rated.motions,
        penalty=rated.ratings.penalty,
        data_hash=rated.ratings.data_hash,
        first=rated.first,
        pairing=rated.pairing,
        plan=rated.plan,
        circles=_look_for_circles(comparisons, method, rated.ratings.gamma, seed),
        with_losses=rated.with_losses,
        notes=(
            *_anchor_notes(comparisons, method.anchor),
            *([_NO_PERCENTILES] if resample and not resampled else []),
            *([INTERVALS_DIFFER] if method.intervals == "bootstrap" else []),
        ),
    )


def _look_for_circles(
    comparisons: Comparisons, method: Method, gamma: NDArray[np.float64], seed: int
) -> CircleTest | None:
    """Test whether results run in circles; None where other terms make those of a pair differ."""
    model = method.model
    if model.side or model.covariates or model.motion_spread or model.ties != "half":
        return None
    return look_for_circles(comparisons, gamma, seed=seed)


def _anchor_notes(comparisons: Comparisons, anchor: str | None) -> Iterator[str]:
    """Yield whom nothing links to the anchor, so that only the prior tells how far they are."""
    linked = next((group for group in connectivity(comparisons).components if anchor in group), ())
    others = [name for name in comparisons.names if linked and name not in linked]
    if others and len(comparisons):
        yield (
            f"no comparison links the anchor {anchor} to {', '.join(others)}: how far they are "
            "from it is set by the prior alone"
        )


def _rate_sequentially(comparisons: Comparisons, method: Method, k: float, seed: int) -> Rated:
    rated = ratings.sequential_elo(comparisons, k=k, rounds=ROUNDS, seed=seed, anchor=method.anchor)
    return Rated(
        names=rated.names,
        rating=rated.rating,
        median=rated.median,
        lower=rated.lower,
        upper=rated.upper,
        percentile_lower=rated.lower,
        percentile_upper=rated.upper,
        comparison=comparison_widths(rated.difference),
        above=rated.above,
        matchups=rated.matchups,
        effects=(),
        motions=None,
        penalty=float("inf"),
        data_hash=rated.data_hash,
        notes=(
            *_anchor_notes(comparisons, method.anchor),
            "sequential ratings depend on the order in which debates ended; the intervals are "
            f"percentiles over {len(rated.replicates)} random orders of resampled matchups",
        ),
    )
