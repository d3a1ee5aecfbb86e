"""Whether boards are right after their schedules: coverage, the first, and false orders.

Fields of equals, of a spread of 52 and of 174 Elo points; 10 and 30 participants; looks at 45, 90
and 180 matchups. Statements are those of a board: they follow from how pairs came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations_with_replacement, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.objective import Objective
from arena.scheduling.recovery import kendall_tau
from arena.scheduling.simulation import (
    SCHEDULES,
    FieldPlan,
    Judging,
    Moment,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from ratings import Comparisons, Contenders, confidence, fit, measure_newcomer, paper_weight
from ratings.comparisons import PLAYED
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import refer

Row = Mapping[str, object]
Floats = NDArray[np.float64]
#: A stopped field ends when the rank range of its first participant has so many places.
_PLACES: Final = 5
_LOOKS: Final = (45, 90, 180)
_EXACT: Final = 1e5
_RUNS: Final = 3
STOPPED: Final = "adaptive, stopped"
#: Strengths that are far from normal, log-odds, from the number of participants and a generator.
SHAPES: Final[Mapping[str, Callable[[int, np.random.Generator], Floats]]] = {
    "one outlier": lambda size, rng: 3.0 * (np.arange(size) == rng.integers(size)),
    "two groups": lambda size, _: np.where(np.arange(size) % 2, 0.6, -0.6),
    "heavy tails": lambda size, rng: 1.6 * rng.standard_t(3, size).clip(-5, 5),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What fields of some lines of the table have in common.

    Attributes:
        size: number of participants.
        spread: standard deviation of their strengths, Elo points.
        by_ballot: whether ratings count each ballot by itself.
        schedule: a kind of schedule, or `STOPPED`.
        shape: a key of `SHAPES`; normal by default.
    """

    size: int
    spread: float
    by_ballot: bool
    schedule: str
    shape: str = ""

    @property
    def name(self) -> str:
        """What the table says of it, before the number of matchups."""
        kind = self.shape or f"spread {self.spread:g}"
        counted = "by ballots" if self.by_ballot else "by debates"
        return f"{self.size}, {kind}, {counted}: {self.schedule}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A board beside the truth.

    Attributes:
        covered: share of the true ratings within their intervals.
        first: whether the true rating of the first is within the interval of the first.
        own: whether it is within its own interval.
        false: whether an order is settled that is false.
        right: number of orders that are settled and true.
        half_width: mean half of the widths of the intervals, Elo points.
        once: the same of intervals for a single look at pairs that were fixed beforehand.
        once_covered: share of the true ratings within those.
        once_false: whether an order is settled that is false, for a single look.
        tau: Kendall's τ to the truth; 0 between equals.
        matchups: that were played.
    """

    covered: float
    first: bool
    own: bool
    false: bool
    right: int
    half_width: float
    once: float
    once_covered: float
    once_false: bool
    tau: float
    matchups: int


def coverage_rows(fields: int, jobs: int = 1, only: str = "") -> Iterator[Row]:
    """Yield a row for each cell and look.

    Args:
        fields: simulated for each cell.
        jobs: processes.
        only: what the names of the cells contain.
    """
    kinds = ("random", "adaptive", "swiss", STOPPED)
    cells = [
        Cell(size=size, spread=spread, by_ballot=by_ballot, schedule=kind)
        for size, spread, by_ballot, kind in product((10, 30), (0, 52, 174), (False, True), kinds)
    ]
    yield from _rows(cells, fields, jobs, only)


def shape_rows(fields: int, jobs: int = 1, only: str = "") -> Iterator[Row]:
    """Yield the same for strengths that are far from normal: of ten, with heavy tails of 30."""
    cells = [
        Cell(size=10, spread=0, by_ballot=by_ballot, schedule=kind, shape=shape)
        for shape, by_ballot, kind in product(SHAPES, (False, True), ("random", "adaptive"))
    ]
    cells += [
        Cell(size=30, spread=0, by_ballot=False, schedule=kind, shape="heavy tails")
        for kind in ("random", "adaptive", "swiss")
    ]
    yield from _rows(cells, fields, jobs, only)


def _rows(cells: Sequence[Cell], fields: int, jobs: int, only: str) -> Iterator[Row]:
    with ProcessPoolExecutor(jobs) as pool:
        for cell in (cell for cell in cells if only in cell.name):
            boards = list(pool.map(partial(play_field, cell), range(1, fields + 1), chunksize=10))
            ends = _LOOKS if cell.schedule != STOPPED else ("the end",)
            for place, end in enumerate(ends):
                yield summarise(cell, end, [looks[place] for looks in boards])


def summarise(cell: Cell, end: object, looks: Sequence[Look]) -> Row:
    """Return the row of some fields."""
    covered = np.array([look.covered for look in looks])

    def mean(name: str) -> float:
        return float(np.mean([getattr(look, name) for look in looks]))

    return {
        "case": f"{cell.name}, {end}",
        "matchups": mean("matchups"),
        "coverage": float(covered.mean()),
        "±": float(covered.std() / len(looks) ** 0.5),
        "first": mean("first"),
        "first, own interval": mean("own"),
        "false orders": mean("false"),
        "right orders": mean("right"),
        "half width": mean("half_width"),
        "one look: half width": mean("once"),
        "one look: coverage": mean("once_covered"),
        "one look: false": mean("once_false"),
        "tau": mean("tau"),
        "fields": len(looks),
    }


def play_field(cell: Cell, seed: int) -> list[Look]:
    """Play a field, and compare its boards at all looks, or at its end, with the truth."""
    judging = Judging(by_ballot=cell.by_ballot, runs=_RUNS)
    plan = FieldPlan(participants=cell.size, spread=cell.spread / ELO_PER_GAMMA, judging=judging)
    rng = np.random.default_rng(seed)
    field = draw_field(plan, rng)
    if cell.shape:
        strength = SHAPES[cell.shape](cell.size, rng)
        field = replace(field, strength=strength - strength.mean())
    truth, looks, ends = true_ratings(field), list[Look](), list(_LOOKS)
    for moment in play(field, cell.schedule, seed):
        if cell.schedule == STOPPED:
            ends = [moment.matchups if _is_placed(moment.comparisons) else _LOOKS[-1]]
        if moment.matchups >= ends[0]:
            rows = moment.comparisons
            if cell.schedule != STOPPED:  # each look is the end of a plan
                rows = replace(rows, plan=PLAYED)
            looks.append(look_at(rows, moment.matchups, field, truth))
            ends.pop(0)
        if not ends:
            break
    return looks


def play(
    field: SimulatedField, schedule: str, seed: int, *, planned: int = _LOOKS[-1]
) -> Iterator[Moment]:
    """Play a field by a kind of schedule; yield after every wave.

    Args:
        planned: matchups.
    """
    make = SCHEDULES["adaptive" if schedule == STOPPED else schedule]
    tournament = SimulatedTournament(field, seed, planned=planned)
    yield from tournament.play(make(field.names, seed, Objective()), step=len(field.names) // 2)


def look_at(comparisons: Comparisons, played: int, field: SimulatedField, truth: Floats) -> Look:
    """Compare a board with the truth, (K,) Elo points."""
    board, once = confidence(comparisons), confidence(comparisons, anytime=False)
    matchups = board.ratings.matchups
    order, shifted = truth[:, None] > truth[None, :] + 1e-6, refer(truth, matchups)
    first = board.ratings.names.index(board.first.name)
    true_first = shifted[first]
    return Look(
        covered=float(((board.lower <= shifted) & (shifted <= board.upper)).mean()),
        first=bool(board.first.lower <= true_first <= board.first.upper),
        own=bool(once.lower[first] <= true_first <= once.upper[first]),
        false=bool((board.above & ~order).any()),
        right=int((board.above & order).sum()),
        half_width=float((board.upper - board.lower).mean()) / 2,
        once=float((once.upper - once.lower).mean()) / 2,
        once_covered=float(((once.lower <= shifted) & (shifted <= once.upper)).mean()),
        once_false=bool((once.above & ~order).any()),
        tau=kendall_tau(board.ratings.rating, field.strength) if np.ptp(truth) > 1e-6 else 0.0,
        matchups=played,
    )


def true_ratings(field: SimulatedField) -> Floats:
    """Return the ratings that a round robin without end approaches, (K,) Elo points.

    With a side effect, ties and the paper's weights they are not exactly the strengths.
    """
    first, second = np.nonzero(~np.eye(len(field.names), dtype=np.bool_))
    gap = field.strength[first] - field.strength[second] + field.judging.side / ELO_PER_GAMMA
    chance = np.stack(chances(gap, np.full_like(gap, np.log(field.judging.tie))))
    outcomes = _shares(chance) if field.judging.by_ballot else _verdicts(chance, field.judging)
    rows = [(outcome, weight) for outcome, weight in outcomes if (weight > 0).all()]
    endless = Comparisons(
        names=field.names,
        first=np.tile(first, len(rows)),
        second=np.tile(second, len(rows)),
        outcome=np.concatenate([np.broadcast_to(outcome, len(first)) for outcome, _ in rows]),
        weight=np.concatenate([_EXACT * weight for _, weight in rows]),
        cluster=np.arange(len(first) * len(rows)),
        shares=True,
    )
    return fit(endless).rating


def _shares(chance: Floats) -> list[tuple[Floats | float, Floats]]:
    """Return the expected share of ballots for Pro, with weight 1, from chances, (3, N)."""
    return [(chance[0] + chance[1] / 2, np.ones(chance.shape[1]))]


def _verdicts(chance: Floats, judging: Judging) -> list[tuple[Floats | float, Floats]]:
    """Return outcomes of debates with their mean weights, from the chances of a ballot, (3, N).

    A ballot copies the draw that its debate's ballots share with the probability √ICC.
    """
    copies, weights = (
        judging.icc**0.5,
        {outcome: np.zeros(chance.shape[1]) for outcome in (1, 0.5, 0)},
    )
    for shared in range(3):
        own = (1 - copies) * chance
        own[shared] += copies
        for ballots in combinations_with_replacement(range(3), _RUNS):
            counts = np.bincount(ballots, minlength=3)
            ways = 6 / np.prod([(1, 1, 2, 6)[count] for count in counts])
            probability = chance[shared] * ways * np.prod(own ** counts[:, None], axis=0)
            delta = float(counts[0] - counts[2])
            outcome = (np.sign(delta) + 1) / 2
            weights[outcome] += probability * float(paper_weight(np.array([delta]))[0])
    return list(weights.items())


def _is_placed(comparisons: Comparisons) -> bool:
    contenders = Contenders.of(confidence(comparisons))
    return measure_newcomer(contenders, comparisons.names[0], places=_PLACES).is_reached


def look_rows(fields: int) -> Iterator[Row]:
    """Yield how often equals are ever told apart by somebody who looks after every wave."""
    for size, by_ballot, schedule in product((10, 30), (False, True), ("adaptive", "swiss")):
        plan = FieldPlan(participants=size, spread=0.0, judging=Judging(by_ballot=by_ballot))
        ever, once = 0, 0
        for seed in range(1, fields + 1):
            field = draw_field(plan, np.random.default_rng(seed))
            board, naive = _ever_settled(field, schedule, seed)
            ever, once = ever + board, once + naive
        yield {
            "case": f"{size} equals, {'by ballots' if by_ballot else 'by debates'}: {schedule}",
            "ever settled": ever / fields,
            "for one look": once / fields,
            "fields": fields,
        }


def _ever_settled(field: SimulatedField, schedule: str, seed: int) -> tuple[bool, bool]:
    """Return whether anything is settled after any wave: on the board, and for a single look."""
    board = once = False
    for moment in play(field, schedule, seed):
        comparisons = moment.comparisons
        board = board or bool(confidence(comparisons).above.any())
        once = once or bool(confidence(comparisons, anytime=False).above.any())
        if moment.matchups >= _LOOKS[-1]:
            break
    return board, once
