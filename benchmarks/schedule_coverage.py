"""Whether ratings are as true after adaptive pairing and stopping as after a round robin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.adaptive import Adaptive, matchups_per_wave
from arena.scheduling.objective import Objective
from arena.scheduling.simulation.field import FieldPlan, Judging, SimulatedField, draw_field
from arena.scheduling.simulation.play import SimulatedTournament
from arena.scheduling.simulation.schedules import SCHEDULES
from arena.scheduling.waves import Schedule
from ratings import Comparisons, Contenders, confidence, fit, measure_newcomer
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import refer

Row = Mapping[str, object]
Floats = NDArray[np.float64]
SIZE: Final = 10
#: The matchups of a field, and those of one that nothing stops.
MATCHUPS: Final = 90
_MOST: Final = 180
#: A stopped field ends when the rank range of its first participant has so many places.
_PLACES: Final = 5
_EXACT: Final = 1e5
_ABOUT: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """The board of one field at its end.

    Attributes:
        covered: share of the true ratings within the 95 % intervals for one look.
        half_width: mean half of their widths, Elo points.
        false: whether an order is settled that is false.
        first: error of the rating of who is rated first, Elo points.
        products, squares: Σ rating · truth and Σ truth², both less 1000: the slope of the ratings
            over fields is the ratio of their sums.
        matchups: that were played.
    """

    covered: float
    half_width: float
    false: bool
    first: float
    products: float
    squares: float
    matchups: int


def coverage_rows(fields: int) -> Iterator[Row]:
    """Yield a row for each way of pairing and ending."""
    for name, (make, stops) in CASES.items():
        boards = [play_field(seed, make, stops=stops) for seed in range(1, fields + 1)]
        yield summarise(name, boards)


def summarise(name: str, boards: Sequence[Rated]) -> Row:
    """Return the row of some fields."""
    covered = np.array([board.covered for board in boards])
    squares = sum(board.squares for board in boards)
    return {
        "case": name,
        "matchups": float(np.mean([board.matchups for board in boards])),
        "coverage": float(covered.mean()),
        "±": float(covered.std() / len(boards) ** 0.5),
        "half width": float(np.mean([board.half_width for board in boards])),
        "slope": sum(board.products for board in boards) / squares,
        "first": float(np.mean([board.first for board in boards])),
        "false orders": sum(board.false for board in boards),
        "fields": len(boards),
    }


def play_field(seed: int, make: Callable[[], Schedule], *, stops: bool) -> Rated:
    """Play a field to its end, and compare its board with the truth.

    Args:
        seed: of the field and its ballots.
        make: makes the schedule.
        stops: whether it ends as soon as somebody's place is settled; somebody looks after every
            wave.
    """
    plan = FieldPlan(participants=SIZE, judging=Judging(by_ballot=True))
    field = draw_field(plan, np.random.default_rng(seed))
    tournament = SimulatedTournament(field, seed)
    for moment in tournament.play(make(), step=matchups_per_wave(SIZE)):
        comparisons = moment.comparisons
        if moment.matchups >= (_MOST if stops else MATCHUPS) or (stops and _is_placed(comparisons)):
            break
    sure = confidence(comparisons)
    truth = refer(true_ratings(field), sure.ratings.matchups)
    rating, order = sure.ratings.rating, truth[:, None] > truth[None, :]
    best = int(rating.argmax())
    return Rated(
        covered=float(((sure.lower <= truth) & (truth <= sure.upper)).mean()),
        half_width=float((sure.upper - sure.lower).mean()) / 2,
        false=bool((sure.above & ~order).any()),
        first=float(rating[best] - truth[best]),
        products=float((rating - _ABOUT) @ (truth - _ABOUT)),
        squares=float((truth - _ABOUT) @ (truth - _ABOUT)),
        matchups=moment.matchups,
    )


def true_ratings(field: SimulatedField) -> Floats:
    """Return the ratings that a round robin without end approaches, (K,) Elo points.

    With a side effect and ties the shares of ballots are not exactly those of the strengths.
    """
    first, second = np.nonzero(~np.eye(SIZE, dtype=np.bool_))
    gap = field.strength[first] - field.strength[second] + field.judging.side / ELO_PER_GAMMA
    win, tie, _ = chances(gap, np.full_like(gap, np.log(field.judging.tie)))
    endless = Comparisons(
        names=field.names,
        first=first,
        second=second,
        outcome=win + tie / 2,
        weight=np.full(len(first), _EXACT),
        cluster=np.arange(len(first)),
        shares=True,
    )
    return fit(endless).rating


def _is_placed(comparisons: Comparisons) -> bool:
    sure = confidence(comparisons, anytime=True)
    contenders = Contenders.of(sure)
    return measure_newcomer(contenders, comparisons.names[0], places=_PLACES).is_reached


def _adaptive(guided: float) -> Schedule:
    return Adaptive(matchups=matchups_per_wave(SIZE), objective=Objective(), guided=guided)


def _round_robin() -> Schedule:
    names = tuple(f"p{number:02}" for number in range(1, SIZE + 1))
    return SCHEDULES["round_robin"](names, 1, Objective())


#: The schedule, and whether it stops when a place is settled.
CASES: Final[dict[str, tuple[Callable[[], Schedule], bool]]] = {
    "round robin": (_round_robin, False),
    "adaptive": (lambda: _adaptive(0.75), False),
    "pairs whatever the results": (lambda: _adaptive(0.0), False),
    "round robin, stopped": (_round_robin, True),
    "adaptive, stopped": (lambda: _adaptive(0.75), True),
}
