"""Fields of unequal participants that stop as soon as the rank range of one is narrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.fields import limit
from benchmarks.growing import SIDE, Growing, Pairs, closest_pairs, random_pairs, round_robin
from ratings import PAPER, Confidence, Contenders, Model, confidence, measure_newcomer
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import refer

Row = Mapping[str, object]
#: Returns the next pairs from the generator, the standing, those played and their number.
Pairing = Callable[[np.random.Generator, Confidence, int, int], Pairs]

_SIZE = 10
_MOST = 400
_PLACES = 4
_WAVE = 8
_SPREAD = 1.0  # log-odds
WITH_SIDE = Model(side=True, ties="davidson")
PAIRINGS: Mapping[str, Pairing] = {
    "round robin": lambda _rng, _standing, played, n: round_robin(_SIZE, played, n),
    "random": lambda rng, _standing, _played, n: random_pairs(rng, _SIZE, n),
    "closest pairs": lambda _rng, standing, _played, n: closest_pairs(standing, n),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What was measured of one field.

    Attributes:
        matchups: when it stopped.
        decided: whether it stopped because the target was reached.
        false: whether a false order was settled at any look.
        covered: share of ratings in their intervals when it stopped.
        covered_naively: the same of the intervals of a fixed sample.
        differences: share of differences in their intervals.
        always: share of ratings in their intervals at all looks.
        round_robin: share of ratings in their intervals, where the truth is that of a round robin.
        ratio: width of the intervals over those of a fixed sample.
        first: error of the rating of who is rated first, Elo points.
        last: the same of who is rated last.
        slope: of the ratings by the truth.
    """

    matchups: int
    decided: bool
    false: bool
    covered: float
    covered_naively: float
    differences: float
    always: float
    round_robin: float
    ratio: float
    first: float
    last: float
    slope: float


def stopped_table(fields: int) -> Iterator[Row]:
    """Yield a row for each model and pairing."""
    for model in (WITH_SIDE, PAPER):
        for name in PAIRINGS:
            results = [play_until_settled(seed, model, name) for seed in range(fields)]
            row: dict[str, object] = {
                "case": f"{name}, {'side and ties' if model.side else 'paper’s model'}",
                "fields": fields,
            }
            for measure in Stopped.__slots__:
                values = np.array([float(getattr(result, measure)) for result in results])
                row[measure] = float(values.mean())
                row[f"{measure}_error"] = float(values.std() / fields**0.5)
            yield row


def play_until_settled(seed: int, model: Model, pairing: str) -> Stopped:
    """Play until the rank range of one participant has at most four places of ten.

    Waves are of 8 matchups, or 5 % of those played, if that is more; at most 400 are played.
    """
    rng = np.random.default_rng([seed, _MOST])
    ability = _SPREAD * rng.standard_normal(_SIZE)
    ability -= ability.mean()
    tournament = Growing(ability, rng, paper=not model.side, tie=0.3 * model.side)
    standing = confidence(tournament.comparisons(), model, anytime=True)
    false, always = False, np.ones(_SIZE, dtype=np.bool_)
    truth, looked = _truth(ability, model, tournament), False
    while not looked or not _is_over(standing, len(tournament.pairs)):
        looked, played = True, len(tournament.pairs)
        wave = max(_WAVE, played // 20)
        tournament.play(PAIRINGS[pairing](rng, standing, played, wave))
        standing = confidence(tournament.comparisons(), model, anytime=True)
        if model.side:
            always &= _covers(standing, truth)
        false |= bool((standing.above & (ability[:, None] <= ability)).any())
    return _measure(standing, tournament, ability, model, false, always)


def _is_over(standing: Confidence, played: int) -> bool:
    return played >= _MOST or _is_placed(standing)


def _is_placed(standing: Confidence) -> bool:
    return measure_newcomer(Contenders.of(standing), "p000", _PLACES).is_reached


def _truth(
    ability: NDArray[np.float64], model: Model, tournament: Growing | None = None
) -> NDArray[np.float64]:
    """Return the ratings to be covered: for the paper's model those of its limit.

    The limit is of the meetings of a tournament, or without one of a round robin.
    """
    if model.side:
        return 1000 + ELO_PER_GAMMA * ability
    if tournament is None or not len(tournament.pairs):
        return limit(ability, SIDE)
    meetings = np.zeros((_SIZE, _SIZE))
    np.add.at(meetings, tuple(tournament.pairs.T), 1.0)
    return limit(ability, SIDE, meetings + meetings.T)


def _measure(  # noqa: PLR0913, PLR0917 - what a field leaves
    standing: Confidence,
    tournament: Growing,
    ability: NDArray[np.float64],
    model: Model,
    false: bool,
    always: NDArray[np.bool_],
) -> Stopped:
    once = confidence(tournament.comparisons(), model)
    truth, everybody = _truth(ability, model, tournament), _truth(ability, model)
    rating = standing.ratings.rating
    away = (rating[:, None] - rating) - (truth[:, None] - truth)
    pairs = np.triu_indices(_SIZE, 1)
    first, last = int(rating.argmax()), int(rating.argmin())
    return Stopped(
        matchups=len(tournament.pairs),
        decided=_is_placed(standing),
        false=false,
        covered=_share(standing, truth),
        covered_naively=_share(once, truth),
        differences=float((np.abs(away) <= standing.difference)[pairs].mean()),
        always=float(always.mean()) if model.side else float("nan"),
        round_robin=_share(standing, everybody),
        ratio=float(np.mean((standing.upper - standing.lower) / (once.upper - once.lower))),
        first=float(rating[first] - truth[first]),
        last=float(rating[last] - truth[last]),
        slope=float(np.polyfit(truth, rating, 1)[0]),
    )


def _share(standing: Confidence, truth: NDArray[np.float64]) -> float:
    return float(_covers(standing, truth).mean())


def _covers(standing: Confidence, truth: NDArray[np.float64]) -> NDArray[np.bool_]:
    truth = refer(truth, standing.ratings.matchups)
    return np.asarray((standing.lower <= truth) & (truth <= standing.upper))
