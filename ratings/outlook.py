"""What further matchups will probably settle.

The errors of the ratings are taken to be normal. A difference is estimated again after further
matchups, and its order is settled where it is then as many standard errors as the board will need:
for all pairs at once, at the end of a plan or before it, or at every look.

Estimated differences are larger than true ones, most of all those that are picked because they are
large. So what the further matchups will show is drawn from the distribution of the true abilities
given the board (empirical Bayes: Efron & Morris 1973, doi 10.1080/01621459.1973.10481350):
abilities are normal around their mean with a standard deviation τ that is not known, each τ has the
weight that the ratings give it, and the distributions for all τ are joined to one with their mean
and covariance. The errors of the board are drawn to those by design of its matchups
(`steady_covariance`). Whoever picks a pair by the same distribution makes no error by picking it
(Dawid 1994, doi 10.1214/lnms/1215463797).

Matchups of a pair lower the covariance Σ by a matrix of rank one (Sherman & Morrison 1950,
doi 10.1214/aoms/1177729893).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, stdtrit

from ratings.comparisons import Comparisons
from ratings.design import count_clusters, matchup_information
from ratings.intervals.anytime import errors_of_evidence
from ratings.intervals.anytime_orders import STRETCH
from ratings.intervals.confidence import Confidence
from ratings.intervals.planned_orders import Course, draw_errors, level_of_plan, list_courses
from ratings.intervals.stepdown import cut_off
from ratings.model.fitting import ELO_PER_GAMMA

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
#: The standard deviations τ of abilities that are tried, Elo points, and the scale of the
#: half-Cauchy distribution that weighs them beforehand (Gelman 2006, doi 10.1214/06-BA117A).
_SPREADS: Final = np.concatenate([[0.0], np.geomspace(10.0, 2000.0, 24)])
_USUAL_SPREAD: Final = 150.0
#: Degrees of freedom that the design's errors count for, beside estimated ones.
_DESIGN_FREEDOM: Final = 20.0
_TINY: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bought:
    """The ratings' errors after some further matchups.

    Attributes:
        covariance: (K, K) of ratings minus their mean, Elo points squared.
        added: (K, K) the information that the matchups add.
        matchups: (K,) their number by participant.
    """

    covariance: Floats
    added: Floats
    matchups: Floats


class Outlook:
    """The chances that open orders of a board are settled by further matchups.

    Attributes:
        low, high: (N,) the positions of the pairs whose order is open.
        nothing: no further matchups.

    Args:
        comparisons: of K participants.
        sure: their ratings.
    """

    def __init__(self, comparisons: Comparisons, sure: Confidence) -> None:
        self._sure, size = sure, len(sure.names)
        self._pairs = sure.errors.pairs(size)
        both = sure.is_rated[:, None] & sure.is_rated
        is_open = ~(sure.above | sure.above.T) & both & (self._pairs.deviation > 0)
        self.low, self.high = np.nonzero(np.triu(is_open, 1))
        centring = np.eye(size) - 1 / size
        errors = (sure.errors.sampling + sure.errors.prior)[:size, :size]
        covariance = ELO_PER_GAMMA**2 * centring @ errors @ centring
        self.nothing = Bought(
            covariance=covariance, added=np.zeros_like(covariance), matchups=np.zeros(size)
        )
        rating = centring @ sure.rating
        of_equals = matchup_information(comparisons, sure) / ELO_PER_GAMMA**2
        penalty = sure.ratings.penalty
        played = count_clusters(comparisons) * _of_unequals(of_equals, rating)
        freedom = float(np.median(sure.errors.freedom[:size]))
        steady = steady_covariance(covariance, played, penalty, freedom)
        mean, self._spread = _believe(rating, steady, penalty)
        self._shift = mean - rating
        self._information = np.where(both, _of_unequals(of_equals, mean), 0.0)
        np.fill_diagonal(self._information, 0.0)
        self._gap = rating[self.low] - rating[self.high]
        self._variance = self._of_pairs(covariance)
        self._freedom = self._pairs.clusters[self.low, self.high]
        every = ~np.eye(size, dtype=np.bool_)
        self._courses = list_courses(sure.names, sure.plan, every, sure.level)
        rest = comparisons.without(sure.plan.newcomers)
        self._newcomers = [
            None if each.newcomer is None else sure.names.index(each.newcomer)
            for each in self._courses
        ]
        self._played = [
            max(rest.clusters if k is None else int(sure.matchups[k]), 1) for k in self._newcomers
        ]
        belongs = [course.pairs[self.low, self.high] for course in self._courses]
        self._course = np.argmax(belongs, axis=0)
        self._cuts: dict[tuple[int, float], Floats] = {}
        self._short = 1.0
        ratios = np.abs(self._gap) / np.sqrt(self._variance)
        needed = self._needed(self._variance, np.zeros(len(ratios)), np.ones(1))
        self._short = float(np.max(ratios / needed, initial=1.0))
        #: The open pairs by how near they are to being settled.
        self.nearest = np.argsort(-ratios / needed, kind="stable")

    def pair(self, k: int) -> tuple[str, str]:
        """Return the names of an open pair, the better rated first."""
        rating = self._sure.rating
        two = sorted((self.low[k], self.high[k]), key=lambda each: -rating[each])
        return self._sure.names[two[0]], self._sure.names[two[1]]

    def chances_alone(self, matchups: Floats) -> Floats:
        """Return the chance of each open pair after matchups of it, and nothing else, (N,).

        Args:
            matchups: (N,) how many of each.
        """
        information = matchups * self._information[self.low, self.high]
        left = self._variance / (1 + information * self._variance)
        moved = 1 - left / self._variance
        mean = self._gap + moved * (self._shift[self.low] - self._shift[self.high])
        spread = moved * left + moved**2 * self._of_pairs(self._spread)
        own = np.maximum(self._sure.matchups, 1)
        every, growth = np.arange(len(self.low)), np.ones((len(self.low), len(own)))
        for side in (self.low, self.high):
            growth[every, side] += matchups / own[side]
        return self._settled(mean, spread, left, matchups, np.median(growth, axis=1), 1)

    def chances(self, bought: Bought) -> Floats:
        """Return the chances of the open pairs after what was bought, (N,)."""
        turned = bought.covariance @ bought.added
        moved = turned @ self._shift
        spread = turned @ bought.covariance + turned @ self._spread @ turned.T
        left = np.clip(self._of_pairs(bought.covariance), _TINY, self._variance)
        mean = self._gap + moved[self.low] - moved[self.high]
        own = np.maximum(self._sure.matchups, 1)
        growth = np.median((own + bought.matchups) / own, keepdims=True)
        each, total = bought.matchups, bought.matchups.sum() / 2
        further = np.array([total if k is None else each[k] for k in self._newcomers])
        return self._settled(mean, self._of_pairs(spread), left, further[self._course], growth, 2)

    def buy(self, bought: Bought, k: int, matchups: float) -> Bought:
        """Return the errors once further matchups of an open pair are judged."""
        low, high = self.low[k], self.high[k]
        covariance = bought.covariance
        shift = covariance[low] - covariance[high]
        information = matchups * self._information[low, high]
        factor = information / (1 + information * (shift[low] - shift[high]))
        added, each = bought.added.copy(), bought.matchups.copy()
        added[[low, high], [low, high]] += information
        added[[low, high], [high, low]] -= information
        each[[low, high]] += matchups
        return Bought(
            covariance=covariance - factor * np.outer(shift, shift),
            added=added,
            matchups=each,
        )

    def buy_each(self, matchups: float) -> Bought:
        """Return the errors after so many further matchups of every pair of those rated."""
        weight = matchups * self._information
        added = np.diag(weight.sum(axis=1)) - weight
        now, size = self.nothing.covariance, len(weight)
        is_rated = self._sure.is_rated
        return Bought(
            covariance=now @ np.linalg.inv(np.eye(size) + added @ now),
            added=added,
            matchups=np.where(is_rated, matchups * (is_rated.sum() - 1), 0.0),
        )

    def _settled(
        self,
        mean: Floats,
        spread: Floats,
        left: Floats,
        matchups: Floats,
        growth: Floats,
        rounds: int,
    ) -> Floats:
        """Return the chances that estimates are beyond what the board needs, (N,).

        Once some orders are settled the others need less (`ratings.intervals.stepdown`).

        Args:
            mean, spread: (N,) of the estimated differences, and their variances.
            left: (N,) the variances of their errors.
            matchups: (N,) how many further ones.
            growth: (N,) or (1,) how many times as many matchups variances are estimated from.
            rounds: 1 where each pair is asked about alone; 2 where others are settled beside it.
        """
        deviation, settled = np.sqrt(np.maximum(spread, _TINY)), 0.0
        for _ in range(rounds):
            bound = self._needed(left, matchups, growth, settled) * np.sqrt(left)
            chance = ndtr((mean - bound) / deviation) + ndtr((-mean - bound) / deviation)
            settled = float(chance.sum()) / max(len(chance), 1)
        return np.asarray(chance)

    def _needed(
        self, left: Floats, matchups: Floats, growth: Floats, settled: float = 0.0
    ) -> Floats:
        """Return how many standard errors the board needs after further matchups, (N,).

        Args:
            settled: the share of the open orders that are settled by then.
        """
        sure, needed = self._sure, np.full(len(left), np.inf)
        if sure.pairing in {"fixed", "planned"}:
            asked = np.stack([self._course, matchups])
            numbers, each = np.unique(asked, axis=1, return_inverse=True)
            cuts = np.array([self._cuts_of(int(k), number) for k, number in numbers.T.tolist()])
            cuts = cuts.reshape(-1, 2, 2)[each.ravel()]
            (now, later), (sharp, sharper) = np.moveaxis(cuts, 0, -1)
            first, last = sharp + (now - sharp) / growth, sharper + (later - sharper) / growth
            needed = np.broadcast_to(first + settled * (last - first), len(left))
        if sure.pairing != "fixed" or sure.plan.newcomers:
            needed = np.minimum(needed, self._at_any_time(left, settled))
        return np.asarray(self._short * needed)

    def _cuts_of(self, k: int, matchups: float) -> Floats:
        """Return how many standard errors settle an order of a course by then, (2, 2)."""
        course = self._courses[k]
        plan = course.plan
        if course.newcomer is not None or self._sure.pairing == "planned":
            plan = plan.after(self._played[k], matchups)
        level = level_of_plan(course.level, plan)
        if (k, level) not in self._cuts:
            self._cuts[k, level] = self._cut_off(course, level)
        return np.asarray(self._cuts[k, level] / plan.share**0.5)

    def _cut_off(self, course: Course, level: float) -> Floats:
        """Return how many errors settle an order of a course, (2, 2).

        The rows are for variances as they are estimated now, and for known ones, the columns for
        the next order, and for the last one when all others are settled as they look now.
        """
        sure, deviation = self._sure, np.where(course.pairs, self._pairs.deviation, 0.0)
        looks = sure.above | (sure.rating[:, None] > sure.rating)
        drawn = (draw_errors(sure.errors, len(sure.names), growth=each) for each in (1.0, np.inf))
        pairs = product(drawn, (sure.above, looks))
        cuts = [cut_off(deviation, errors, done, level) for errors, done in pairs]
        return np.array(cuts).reshape(2, 2)

    def _at_any_time(self, left: Floats, settled: float) -> Floats:
        """Return how many standard errors settle an order at every look, (N,)."""
        sure, size = self._sure, len(self._sure.names)
        hypotheses = size * (size - 1) - int(sure.above.sum()) - settled * len(left)
        stretch = STRETCH if sure.pairing == "guided" and size > 2 else 1.0
        variance = stretch * left / ELO_PER_GAMMA**2
        normal = errors_of_evidence(variance, np.log(hypotheses / (1 - sure.level)))
        return np.asarray(-stdtrit(self._freedom, ndtr(-normal)) * stretch**0.5)

    def _of_pairs(self, covariance: Floats) -> Floats:
        """Return the variances of the open differences, (N,)."""
        own = covariance.diagonal()
        shared = covariance[self.low, self.high] + covariance[self.high, self.low]
        return np.asarray(own[self.low] + own[self.high] - shared)


def _of_unequals(information: float, rating: Floats) -> Floats:
    """Return the information of a matchup of each pair, (K, K), from that of equals."""
    gaps = (rating[:, None] - rating) / ELO_PER_GAMMA
    return np.asarray(information * 4 * expit(gaps) * expit(-gaps))


def steady_covariance(covariance: Floats, played: Floats, penalty: float, freedom: float) -> Floats:
    """Draw a covariance to that which the matchups lead to by design, with the same trace, (K, K).

    What is estimated from few matchups of each participant is itself uncertain. Whoever seems known
    well by chance would be believed too much, and orders of those are the ones that look cheap.
    Variances of f degrees of freedom weigh f, the design counts as a prior of 20 of them (as Smyth
    2004, doi 10.2202/1544-6115.1027, does for variances alone).

    Args:
        covariance: (K, K) estimated, of ratings minus their mean, Elo points squared.
        played: (K, K) the information of the matchups of each pair, symmetric.
        penalty: standard deviation of the prior that the estimates were made with.
        freedom: degrees of freedom of the estimated variances, from 1.
    """
    size = len(covariance)
    laplacian = np.diag(played.sum(axis=1)) - played
    level = laplacian.trace() / size**2  # of all ratings alike, which the centring takes away
    centring = np.eye(size) - 1 / size
    inverse = np.linalg.inv(laplacian + np.eye(size) / penalty**2 + level)
    designed = centring @ inverse @ centring
    if designed.trace() <= 0:
        return covariance
    own = freedom / (freedom + _DESIGN_FREEDOM)
    scale = covariance.trace() / designed.trace()
    return np.asarray(own * covariance + (1 - own) * scale * designed)


def _believe(rating: Floats, covariance: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Return the mean, (K,), and the covariance, (K, K), of the true abilities given the board.

    Args:
        rating: (K,) estimates, with mean 0, Elo points.
        covariance: (K, K) of their errors.
        penalty: standard deviation of the prior that the estimates were made with.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _TINY * max(values[-1], _TINY)
    values, vectors = values[kept], vectors[:, kept]
    natural = vectors.T @ rating / values
    precision = np.maximum(1 / values - 1 / penalty**2, 0.01 / values)
    estimate, tau2 = natural / precision, _SPREADS[:, None] ** 2
    variance = 1 / precision + tau2
    fit = -0.5 * (np.log(variance) + estimate**2 / variance).sum(axis=1)
    width = np.gradient(_SPREADS)
    weight = width / (1 + (_SPREADS / _USUAL_SPREAD) ** 2) * np.exp(fit - fit.max())
    weight /= weight.sum()
    shrunk = tau2 / variance
    means = shrunk * estimate
    mean = weight @ means
    own = weight @ (shrunk / precision)
    between = (means - mean).T @ ((means - mean) * weight[:, None])
    return vectors @ mean, (vectors * own) @ vectors.T + vectors @ between @ vectors.T
