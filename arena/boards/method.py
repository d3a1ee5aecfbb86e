"""The method of a board: its model, weights, anchor and intervals, and the ratings by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from ratings import (
    PAPER,
    Comparisons,
    Confidence,
    EffectInterval,
    FirstPlace,
    Intervals,
    Model,
    MotionEffect,
    NotIdentified,
    Pairing,
    bootstrap,
    confidence,
    connectivity,
    sequential_elo,
)
from ratings.intervals.comparison_widths import ComparisonWidths, comparison_widths
from ratings.intervals.confidence import group_ties
from ratings.model.reference import find_provisional, sort_from_the_top

#: Replicates of the bootstrap.
ROUNDS: Final = 1000

#: The kinds of intervals: cluster-robust ones of the fit, or percentiles of resampled matchups.
IntervalKind = Literal["sandwich", "bootstrap"]

#: How the two kinds differ.
INTERVALS_DIFFER: Final = (
    "sandwich intervals are computed from how far the matchups deviate from the fit and include "
    "the uncertainty that the prior leaves; bootstrap intervals are the 2.5 % and 97.5 % "
    "percentiles of ratings of resampled matchups, are for these motions alone and for one look, "
    "lie unevenly around a rating, and are too short where there are few matchups (measured in "
    "docs/coverage.md); what else is said of intervals here is said of sandwich intervals"
)
_NO_PERCENTILES: Final = (
    "without a prior some resamples have no finite maximum, so there are no medians and "
    "percentiles of the bootstrap"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """The method that a board rates by; the default is that of the stored boards.

    Attributes:
        weighted: whether a comparison counts by its weight; otherwise each counts 1.
        anchor: the participant rated 1000 without error; None for a mean of 1000.
        intervals: the kind that the board shows; ranks and tie groups do not depend on it.
        k: the most that a debate moves a rating, in Elo points, if the ratings are Elo's
            sequential ones; None for a fit of the model.
        anytime: whether all statements hold at every look, whatever decided who met whom; by
            default what is stored of the waves decides (`Comparisons.pairing`).
    """

    model: Model = PAPER
    weighted: bool = True
    anchor: str | None = None
    intervals: IntervalKind = "sandwich"
    k: float | None = None
    anytime: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as content of JSON; as in versions without `anytime` where it is off."""
        content = asdict(self)
        if not self.anytime:
            del content["anytime"]
        return content

    @property
    def words(self) -> tuple[str, ...]:
        """What differs from the default and is not shown elsewhere on the board."""
        fitted = self.k is None
        parts = {
            f"sequential Elo, K = {self.k or 0:g}": not fitted,
            "unweighted": fitted and not self.weighted,
            "no prior": fitted and self.model.penalty is None,
            f"{self.anchor} = 1000": self.anchor is not None,
            "bootstrap intervals": fitted and self.intervals == "bootstrap",
        }
        return tuple(words for words, applies in parts.items() if applies)

    def weigh(self, comparisons: Comparisons) -> Comparisons:
        """Return the comparisons with the weights that count, and the pairing that is assumed."""
        if self.anytime:
            comparisons = replace(comparisons, pairing="guided")
        if self.weighted:
            return comparisons
        return replace(comparisons, weight=np.ones_like(comparisons.weight))


STORED: Final = Method()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rated:
    """K participants rated by a method.

    Attributes:
        rating: (K,) Elo points.
        median: (K,) of the replicates of the bootstrap, Elo points; NaN where there are none.
        lower, upper: (K,) the intervals of the fit, Elo points.
        percentile_lower, percentile_upper: (K,) the intervals of the bootstrap, Elo points; NaN
            where there are none.
        comparison: half widths of bars that overlap where two participants cannot be told apart.
        above: (K, K) whether the row is above the column beyond doubt.
        matchups: (K,) their numbers.
        first: who is first, with an interval for whoever is named so; None where ratings are
            sequential.
        pairing: what intervals, orders and ranks hold for (`Confidence.pairing`).
        effects: the model's terms besides the abilities.
        motions: what motions add; None where the ratings are for these motions alone.
        penalty: standard deviation of the prior, Elo points; infinite where there is none.
        notes: on what could not be computed.
    """

    names: tuple[str, ...]
    rating: NDArray[np.float64]
    median: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    percentile_lower: NDArray[np.float64]
    percentile_upper: NDArray[np.float64]
    comparison: ComparisonWidths
    above: NDArray[np.bool_]
    matchups: NDArray[np.intp]
    effects: tuple[EffectInterval, ...]
    motions: MotionEffect | None
    penalty: float
    data_hash: str
    first: FirstPlace | None = None
    pairing: Pairing = "fixed"
    notes: tuple[str, ...] = ()

    @property
    def rank_low(self) -> NDArray[np.intp]:
        """The best rank of each that is not ruled out, (K,)."""
        return np.asarray(1 + self.above.sum(axis=0))

    @property
    def rank_high(self) -> NDArray[np.intp]:
        """The worst rank of each that is not ruled out, (K,)."""
        return np.asarray(len(self.names) - self.above.sum(axis=1))

    @property
    def tie_groups(self) -> tuple[tuple[str, ...], ...]:
        """Names from the top; the others of a group are not separated from its first."""
        return group_ties(self.names, self.order, self.above)

    @property
    def provisional(self) -> NDArray[np.bool_]:
        """Who has no place yet, (K,), for want of matchups."""
        return find_provisional(self.rating, self.matchups, self.above)

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions from the top, (K,): those with a place, then the others."""
        return sort_from_the_top(self.rating, self.matchups, self.above)

    @property
    def group_numbers(self) -> dict[str, int]:
        """The number of each participant's tie group, counted from the top."""
        groups = enumerate(self.tie_groups, start=1)
        return {name: number for number, group in groups for name in group}

    @property
    def separated(self) -> tuple[tuple[str, str], ...]:
        """Pairs whose order is settled, better first."""
        return tuple((self.names[i], self.names[j]) for i, j in np.argwhere(self.above))

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
        InvalidSetting: the anchor is no participant, or there are too many comparisons.
    """
    if method.k is not None:
        return _rate_sequentially(comparisons, method, method.k, seed)
    comparisons = method.weigh(comparisons)
    rated = _fit(comparisons, method)
    resampled = _resample(comparisons, method, seed) if resample else None
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
        notes=(
            *_anchor_notes(comparisons, method.anchor),
            *(_notes(method, resampled) if resample else ()),
        ),
    )


def _fit(comparisons: Comparisons, method: Method) -> Confidence:
    try:
        return confidence(comparisons, method.model, anchor=method.anchor)
    except NotIdentified as error:
        raise ConfigError(f"{error} (leave out --no-prior)") from None


def _resample(comparisons: Comparisons, method: Method, seed: int) -> Intervals | None:
    """Return the percentile intervals; None where some resample has no finite maximum."""
    try:
        return bootstrap(comparisons, method.model, rounds=ROUNDS, seed=seed, anchor=method.anchor)
    except NotIdentified:
        return None


def _anchor_notes(comparisons: Comparisons, anchor: str | None) -> Iterator[str]:
    """Yield whom nothing links to the anchor, so that only the prior tells how far they are."""
    linked = next((group for group in connectivity(comparisons).components if anchor in group), ())
    others = [name for name in comparisons.names if linked and name not in linked]
    if others and len(comparisons):
        yield (
            f"no comparison links the anchor {anchor} to {', '.join(others)}: how far they are "
            "from it is set by the prior alone"
        )


def _notes(method: Method, resampled: Intervals | None) -> Iterator[str]:
    if resampled is None:
        yield _NO_PERCENTILES
    if method.intervals == "bootstrap":
        yield INTERVALS_DIFFER


def _rate_sequentially(comparisons: Comparisons, method: Method, k: float, seed: int) -> Rated:
    rated = sequential_elo(comparisons, k=k, rounds=ROUNDS, seed=seed, anchor=method.anchor)
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
