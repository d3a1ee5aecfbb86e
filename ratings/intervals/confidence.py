"""Confidence intervals and ranks from the cluster-robust covariance (`ratings.intervals.sandwich`).

The intervals hold for one rating or one difference at a time; the ranks and the settled orders
hold for all pairs at once, or for all pairs of the participants that are asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from ratings.comparisons import PLAYED, Comparisons, Pairing, PlanProgress
from ratings.errors import InvalidSetting
from ratings.intervals.anytime_orders import settle_fit_at_any_time
from ratings.intervals.comparison_widths import ComparisonWidths, comparison_widths
from ratings.intervals.forfeits import are_uneven, less_sure
from ratings.intervals.motions import MotionVariance, estimate_motion_variance
from ratings.intervals.planned_orders import list_courses, settle_planned
from ratings.intervals.sandwich import ErrorCovariance, PairErrors, estimate_covariance
from ratings.model.bradley_terry import Effect, Ratings, find_anchor, fit, to_ratings
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point
from ratings.model.newton import Floats
from ratings.model.reference import Placement, refer, weigh_reference
from ratings.model.terms import PAPER, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectInterval:
    """An estimated term of the model other than the abilities, with its interval, Elo points."""

    name: str
    elo: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPlace:
    """The participant named first, with an interval that allows for its having been selected.

    The highest of several estimates is too high on average, so its own interval misses the truth
    more often than those of others. Here the lower end holds for all at once who could be first
    (Bonferroni's inequality); the upper end needs no such correction, because whoever is truly best
    is estimated at most as high (Benjamini, Hechtlinger & Stark 2019, arXiv 1906.00505). It allows
    for what the prior has drawn the rating down, in first order: who is far above all others is
    drawn down most.

    Attributes:
        lower: lower end of the interval of its rating, Elo points.
        upper: upper end.
        contenders: the number of participants that could be first, itself included.
    """

    name: str
    lower: float
    upper: float
    contenders: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionEffect:
    """What motions make of ratings and their intervals.

    Attributes:
        spread: standard deviation of a participant's strength between motions, Elo points; 0
            where strengths differ no more than by chance.
        width: mean width of the intervals of those who are rated, which are for motions in general,
            Elo points.
        width_of_these: what it would be for these motions alone.
    """

    motions: int
    spread: float
    width: float
    width_of_these: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Confidence(Placement):
    """Ratings of K participants with cluster-robust intervals and ranks.

    Orders and ranks hold for all pairs at once that are asked about: with the probability `level`
    the ranks of all participants, or of all that are asked about, lie in their intervals at once.

    Attributes:
        lower: (K,) lower ends of the intervals of the ratings, Elo points.
        upper: (K,) upper ends; those of an anchor are both 1000, for it has no error.
        difference: (K, K) half the width of the interval of rating[row] − rating[column], Elo
            points.
        superiority: (K, K) probability that the row is above the column; ½ on the diagonal.
        first: who is first, with an interval for whoever is named so.
        effects: the other terms of the model.
        level: nominal coverage, for example 0.95.
        pairing: what the statements hold for: "fixed" for a number of comparisons fixed beforehand;
            "planned" with orders and ranks for the end of the plan, and before it for all looks
            until then; "mixed" with orders and ranks at all looks at growing data at once;
            "guided" with intervals at all looks, too. `superiority` holds for a single look in
            every case.
        errors: the covariance of the errors of all terms, log-odds, on which the rest rests.
        motions: what motions add; None for statements about these motions alone.
        plan: how far the plan is played; to its end where the pairing is not "planned".
        with_losses: (K,) the ratings if forfeits count as losses (`Comparisons.forfeits`), Elo
            points; all statements then hold both ways. None where they are few or alike.
    """

    ratings: Ratings
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    difference: NDArray[np.float64]
    superiority: NDArray[np.float64]
    first: FirstPlace
    effects: tuple[EffectInterval, ...]
    level: float
    pairing: Pairing
    errors: ErrorCovariance
    motions: MotionEffect | None = None
    plan: PlanProgress = PLAYED
    with_losses: NDArray[np.float64] | None = None

    @property
    def both_ways(self) -> bool:
        """Whether statements hold whether forfeits count as losses or not."""
        return self.with_losses is not None

    @property
    def from_the_top(self) -> dict[str, float]:
        """Ratings by name of those who are rated, in the order of a board, Elo points."""
        return {self.names[k]: float(self.rating[k]) for k in self.rated}

    @property
    def comparison(self) -> ComparisonWidths:
        """Half widths of bars that overlap where two participants cannot be told apart.

        Where forfeits are uneven, bars reach further, as intervals do: `ComparisonWidths.ends`.
        """
        shift = 0 * self.rating if self.with_losses is None else self.with_losses - self.rating
        return comparison_widths(self.difference - np.abs(shift[:, None] - shift))


def confidence(
    comparisons: Comparisons,
    model: Model = PAPER,
    *,
    anchor: str | None = None,
    level: float = 0.95,
    anytime: bool | None = None,
    about: Collection[str] = (),
) -> Confidence:
    """Estimate ratings with cluster-robust intervals and simultaneous ranks.

    Where comparisons stand for motions in general (`Comparisons.over_motions`), all statements
    allow for strengths that differ between motions (`ratings.intervals.motions`).

    Whoever asks for the place of one participant alone, and named it before the data came, needs
    only its K − 1 pairs (Mogstad, Romano, Shaikh & Wilhelm 2024, doi 10.1093/restud/rdad006, call
    this the marginal confidence set of a rank), and is told more of them than of all pairs at once.

    Where some forfeit more often than others (`ratings.intervals.forfeits`), they may have failed
    where they were about to lose; then their ratings are too high. So intervals reach to the
    ratings that count forfeits as losses, and an order is settled only if it is settled both ways.

    The result does not depend on the order of rows or on the labels of clusters. An anchor shifts
    all ratings by one constant; their intervals are then those of their differences to it.

    >>> board = Comparisons.of(["a", "a", "b"] * 20, ["b", "c", "c"] * 20, [1, 1, 0.5] * 20)
    >>> sure = confidence(board)
    >>> sure.rank_low.tolist(), sure.rank_high.tolist()
    ([1, 2, 2], [1, 3, 3])
    >>> int(confidence(board, about=["b"]).rank_low[1])
    2

    Args:
        comparisons: of K participants.
        anchor: the participant rated 1000, as in `fit`.
        level: nominal coverage, between 0 and 1.
        anytime: whether intervals, settled orders and ranks shall hold at every look at data that
            grow, whatever decides who meets next and when play stops (`ratings.intervals.anytime`),
            or all for a number of comparisons that was fixed beforehand. By default the pairing
            of the comparisons decides: of "mixed" ones, orders and ranks hold at every look, of
            "planned" ones at every look until the planned end, and of "guided" ones intervals, too.
        about: names of the participants whose orders and ranks are asked for; all by default. The
            pairs of two others are not settled, and their ranks only as far as these tell.

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists.
        NotConverged: the solver did not reach the maximum.
        InvalidSetting: an argument is not acceptable.
    """
    if not 0 < level < 1:
        raise InvalidSetting(f"level is {level}; accepted: between 0 and 1, for example 0.95")
    pairing = comparisons.pairing if anytime is None else "guided" if anytime else "fixed"
    planned = anytime is None and pairing in {"fixed", "planned"}
    point = fit_point(comparisons, model)
    position = find_anchor(anchor, comparisons)
    ratings = to_ratings(comparisons, point, model=model, origin=position)
    of_these = estimate_covariance(point, reference=weigh_reference(ratings.matchups))
    motions = estimate_motion_variance(comparisons, model, point)
    errors = of_these.over_motions(motions)
    estimate = _Estimate(
        comparisons=comparisons,
        model=model,
        point=point,
        ratings=ratings,
        errors=errors,
        pairs=errors.pairs(len(comparisons.names)),
        position=position,
        level=level,
        pairing=pairing,
        plan=comparisons.plan if planned else PLAYED,
    )
    lost = None
    if are_uneven(comparisons):
        comparisons = comparisons.with_losses()
        lost = confidence(
            comparisons, model, anchor=anchor, level=level, anytime=anytime, about=about
        )
    stated = estimate.state(_select_pairs(comparisons.names, about), lost)
    rated = stated.is_rated
    widths = (estimate.term_widths(each)[: len(rated)][rated] for each in (stated.errors, of_these))
    return replace(stated, motions=_describe_motions(motions, *widths))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimate:
    """A fit with the covariance of its errors, and what statements on it shall hold for.

    Attributes:
        position: of the anchor among the K participants; None without one.
    """

    comparisons: Comparisons
    model: Model
    point: PointFit
    ratings: Ratings
    errors: ErrorCovariance
    pairs: PairErrors
    position: int | None
    level: float
    pairing: Pairing
    plan: PlanProgress

    @property
    def size(self) -> int:
        """K, the number of participants."""
        return len(self.comparisons.names)

    @property
    def anytime(self) -> bool:
        """Whether intervals hold at every look."""
        return self.pairing == "guided"

    def term_widths(self, errors: ErrorCovariance) -> Floats:
        """Return half the widths of the intervals of all terms by some errors, log-odds."""
        return errors.half_widths(self.level, anytime=self.anytime)

    def half_widths(self, level: float) -> Floats:
        """Return half the widths of the ratings' intervals at a level, (K,), Elo points."""
        if self.position is None:
            widths = self.errors.half_widths(level, anytime=self.anytime)[: self.size]
        else:
            widths = self.pairs.half_widths(level, anytime=self.anytime)[self.position]
        return np.asarray(ELO_PER_GAMMA * widths)

    def pull(self) -> Floats:
        """Return how far the prior has drawn abilities towards their mean, (K,), log-odds."""
        pull = self.errors.pull(self.point)[: self.size]
        return pull if self.position is None else pull - pull[self.position]

    def settle(self, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the settled orders, (K, K), of the pairs that are asked about."""
        above, plan = np.zeros_like(asked), self.plan
        if plan.newcomers:
            above |= _settle_by_course(
                self.comparisons, self.model, self.point, self.errors, self.level, asked
            )
        elif self.pairing in {"fixed", "planned"}:
            above |= settle_planned(self.point, self.errors, self.level, asked, plan)
        if self.pairing != "fixed" or plan.newcomers:  # early in a plan, this settles more
            guided = self.comparisons.pairing == "guided"
            above |= settle_fit_at_any_time(
                self.point, self.errors, self.level, asked, guided=guided
            )
        return above

    def superiority(self) -> Floats:
        """Return the probability that the row is above the column, (K, K)."""
        gamma = self.point.parameters[: self.size]
        gap, error = gamma[:, None] - gamma[None, :], self.pairs.deviation
        quotient = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
        return np.asarray(stdtr(self.pairs.freedom, quotient))

    def state(self, asked: NDArray[np.bool_], lost: Confidence | None) -> Confidence:
        """Return what the fit tells, but for the part of motions.

        Args:
            asked: (K, K) the pairs that are asked about.
            lost: the same where forfeits count as losses; None where statements need not hold so.
        """
        ratings, above, superiority = self.ratings, self.settle(asked), self.superiority()
        with_losses, shift = None, np.zeros(self.size)
        if lost is not None:
            above &= lost.above
            superiority = less_sure(superiority, lost.superiority)
            anchored = self.position is not None
            with_losses = lost.rating if anchored else refer(lost.rating, ratings.matchups)
            shift = with_losses - ratings.rating
        own = self.half_widths(self.level)
        pairs = self.pairs.half_widths(self.level, anytime=self.anytime)
        placement = Placement(
            names=ratings.names, rating=ratings.rating, matchups=ratings.matchups, above=above
        )
        return Confidence(
            names=ratings.names,
            rating=ratings.rating,
            matchups=ratings.matchups,
            above=above,
            ratings=ratings,
            lower=ratings.rating - own + np.minimum(shift, 0),
            upper=ratings.rating + own + np.maximum(shift, 0),
            difference=ELO_PER_GAMMA * pairs + np.abs(shift[:, None] - shift[None, :]),
            superiority=superiority,
            first=_find_first(placement, self.half_widths, self.level, shift, self.pull()),
            effects=_effect_intervals(
                ratings.effects, ELO_PER_GAMMA * self.term_widths(self.errors)[self.size :]
            ),
            level=self.level,
            pairing=self.pairing,
            errors=self.errors,
            plan=self.plan,
            with_losses=with_losses,
        )


def rate_placed(comparisons: Comparisons, model: Model = PAPER) -> dict[str, float]:
    """Rate those who have a place on a board: Elo points by name, from the top.

    This is what `confidence` gives, for the price of a fit unless somebody has so few matchups
    that a place depends on the settled orders.

    >>> list(rate_placed(Comparisons.of(["a", "b", "c"], ["b", "c", "a"], [1, 1, 0])))
    ['a', 'b', 'c']

    Args:
        comparisons: of K participants.

    Raises:
        NotIdentified: the penalty is off and no finite maximum exists.
        NotConverged: the solver did not reach the maximum.
    """
    ratings, size = fit(comparisons, model), len(comparisons.names)
    placement = Placement(
        names=ratings.names,
        rating=ratings.rating,
        matchups=ratings.matchups,
        above=np.zeros((size, size), dtype=np.bool_),
    )
    if placement.provisional.any():
        placement = confidence(comparisons, model)
    return {placement.names[k]: float(placement.rating[k]) for k in placement.placed}


def _settle_by_course(
    comparisons: Comparisons,
    model: Model,
    point: PointFit,
    errors: ErrorCovariance,
    level: float,
    asked: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return the settled orders, (K, K), where newcomers came after the others.

    A newcomer's pairs are settled by its own plan. Those of the others are settled by what was
    there without newcomers: their results decided neither who met whom nor when play ended. Each
    statement is allowed the error of its share of the pairs.
    """
    newcomers, above = comparisons.plan.newcomers, np.zeros_like(asked)
    rest = replace(comparisons.without(newcomers), plan=PLAYED)
    for course in list_courses(comparisons.names, comparisons.plan, asked, level):
        if course.newcomer is not None:
            above |= settle_planned(point, errors, course.level, course.pairs, course.plan)
        elif course.pairs.any() and len(rest):
            before = fit_point(rest, model)
            own = estimate_covariance(before)
            own = own.over_motions(estimate_motion_variance(rest, model, before))
            known = ~np.isin(comparisons.names, list(newcomers))
            others = np.ix_(known, known)
            above[others] |= settle_planned(
                before, own, course.level, course.pairs[others], course.plan
            )
    return above


def _describe_motions(
    motions: MotionVariance | None, half: Floats, half_of_these: Floats
) -> MotionEffect | None:
    """Describe what motions add, from half the widths with it and without, log-odds."""
    if motions is None:
        return None
    return MotionEffect(
        motions=motions.motions,
        spread=ELO_PER_GAMMA * motions.variance**0.5,
        width=float((2 * ELO_PER_GAMMA * half).mean()),
        width_of_these=float((2 * ELO_PER_GAMMA * half_of_these).mean()),
    )


def _find_first(
    placement: Placement,
    half_widths: Callable[[float], Floats],
    level: float,
    shift: Floats,
    pull: Floats,
) -> FirstPlace:
    """Return who is first, with the interval of the first.

    Args:
        half_widths: returns half the widths of all ratings' intervals, (K,), at a level.
        shift: (K,) how far ratings change if forfeits count as losses, Elo points.
        pull: (K,) how far the prior has drawn abilities towards their mean, log-odds.
    """
    first = int(placement.order[0])
    could_be_first = placement.rank_low == 1
    could_be_first[first] = True
    contenders = int(could_be_first.sum())
    rating = placement.rating[first]
    return FirstPlace(
        name=placement.names[first],
        lower=float(
            rating + min(shift[first], 0) - half_widths(1 - (1 - level) / contenders)[first]
        ),
        upper=float(
            rating
            + max(shift[first], 0)
            + half_widths(level)[first]
            + ELO_PER_GAMMA * max(pull[first], 0)
        ),
        contenders=contenders,
    )


def _select_pairs(names: tuple[str, ...], about: Collection[str]) -> NDArray[np.bool_]:
    """Return the pairs that are asked about, (K, K): all, or those of some participants."""
    for name in about:
        if name not in names:
            raise InvalidSetting(f"about names {name!r}; accepted: {', '.join(names)}")
    named = np.isin(names, list(about)) if about else np.ones(len(names), dtype=np.bool_)
    return np.asarray((named[:, None] | named[None, :]) & ~np.eye(len(names), dtype=np.bool_))


def _effect_intervals(effects: tuple[Effect, ...], half: Floats) -> tuple[EffectInterval, ...]:
    return tuple(
        EffectInterval(
            name=effect.name, elo=effect.elo, lower=effect.elo - width, upper=effect.elo + width
        )
        for effect, width in zip(effects, half.tolist(), strict=False)  # the tie comes last
    )
