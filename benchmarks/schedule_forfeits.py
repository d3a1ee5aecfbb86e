"""What forfeits do to boards that leave them out, count them as losses, or hold both ways.

A participant fails in 40 % of the debates that it would lose and in 5 % of those that it would win
(*when losing*), or in 22.5 % of all; or everybody does. Ten participants, 300 matchups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.objective import Objective
from arena.scheduling.simulation import (
    SCHEDULES,
    FieldPlan,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from benchmarks.schedule_coverage import true_ratings
from ratings import Comparisons, confidence, paper_weight
from ratings.comparisons import PLAYED
from ratings.model.fitting import ELO_PER_GAMMA
from ratings.model.reference import refer

Row = Mapping[str, object]
Floats = NDArray[np.float64]
_SIZE: Final = 10
_MATCHUPS: Final = 300
_RUNS: Final = 3
RULES: Final = ("left out", "both ways", "losses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """How often debates fail: where the participant would lose, and where it would win."""

    losing: float
    winning: float
    everybody: bool = False


CASES: Final[Mapping[str, Failing]] = {
    "one, when losing": Failing(losing=0.4, winning=0.05),
    "one, by chance": Failing(losing=0.225, winning=0.225),
    "all, when losing": Failing(losing=0.4, winning=0.05, everybody=True),
    "all, by chance, 2 %": Failing(losing=0.02, winning=0.02, everybody=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A board by one rule beside the truth.

    Attributes:
        error: of the rating of the one that fails, Elo points.
        own: whether its interval contains its true rating.
        others: share of the true ratings of the others within their intervals.
        first: whether it is rated first.
        false: whether an order is settled that is false.
        right: number of orders that are settled and true.
        half_width: mean half of the widths of the intervals, Elo points.
    """

    error: float
    own: bool
    others: float
    first: bool
    false: bool
    right: int
    half_width: float


class FailingTournament(SimulatedTournament):
    """A tournament whose debates may fail; their verdicts stay unknown."""

    def __init__(self, field: SimulatedField, seed: int, failing: Failing) -> None:
        super().__init__(field, seed, planned=_MATCHUPS)
        self._failing = failing
        self._fate = np.random.default_rng([seed, 3])
        self._lost: list[tuple[int, int, float, int]] = []

    def play_debate(self, pro: int, con: int) -> None:
        """Play a debate; it counts unless somebody fails, Pro first."""
        before = len(self._debates)
        super().play_debate(pro, con)
        won, tied, lost = self._debates[before][2:5]
        score = (won + tied / 2) / (won + tied + lost)
        for side, own in ((0, score), (1, 1 - score)):
            if (pro, con)[side] and not self._failing.everybody:
                continue
            chance = np.interp(own, [0.49, 0.5, 0.51], self._chances)
            if self._fate.random() < chance:
                self._debates.pop()
                self._lost.append((pro, con, float(side), self.matchups))
                return

    @property
    def _chances(self) -> tuple[float, float, float]:
        losing, winning = self._failing.losing, self._failing.winning
        return losing, (losing + winning) / 2, winning

    def board(self) -> Comparisons:
        """Return the comparisons at the end of the plan, with forfeits."""
        rows = self.comparisons()
        first, second, outcome, cluster = np.array(self._lost).reshape(-1, 4).T
        lost = Comparisons(
            names=rows.names,
            first=first.astype(np.intp),
            second=second.astype(np.intp),
            outcome=outcome,
            weight=np.full(len(first), paper_weight(np.array([_RUNS]))[0]),
            cluster=cluster.astype(np.intp),
        )
        return replace(rows, plan=PLAYED, forfeits=lost if len(lost) else None)


def forfeit_rows(fields: int, jobs: int = 1) -> Iterator[Row]:
    """Yield a row for each case and rule."""
    with ProcessPoolExecutor(jobs) as pool:
        for spread, schedule, case in product((0, 174), ("random", "adaptive"), CASES):
            play = partial(play_field, spread, schedule, CASES[case])
            boards = list(pool.map(play, range(1, fields + 1), chunksize=5))
            for number, rule in enumerate(RULES):
                looks = [board[number] for board in boards]
                yield {"case": f"sd {spread}, {schedule}; {case}: {rule}"} | _summarise(looks)


def _summarise(looks: list[Look]) -> dict[str, Any]:
    def mean(name: str) -> float:
        return float(np.mean([getattr(look, name) for look in looks]))

    return {
        "error": mean("error"),
        "own coverage": mean("own"),
        "others' coverage": mean("others"),
        "rated first": mean("first"),
        "false orders": mean("false"),
        "right orders": mean("right"),
        "half width": mean("half_width"),
        "fields": len(looks),
    }


def play_field(spread: float, schedule: str, failing: Failing, seed: int) -> list[Look]:
    """Play a field to its end, and compare its board by each rule with the truth."""
    plan = FieldPlan(participants=_SIZE, spread=spread / ELO_PER_GAMMA)
    field = draw_field(plan, np.random.default_rng(seed))
    tournament = FailingTournament(field, seed, failing)
    waves = SCHEDULES[schedule](field.names, seed, Objective())
    for moment in tournament.play(waves, step=_SIZE // 2):
        if moment.matchups >= _MATCHUPS:
            break
    rows, truth = tournament.board(), true_ratings(field)
    by_rule = (replace(rows, forfeits=None), rows, rows.with_losses())
    return [_look_at(each, truth) for each in by_rule]


def _look_at(rows: Comparisons, truth: Floats) -> Look:
    board = confidence(rows)
    order, shifted = truth[:, None] > truth[None, :] + 1e-6, refer(truth, board.matchups)
    covered = (board.lower <= shifted) & (shifted <= board.upper)
    return Look(
        error=float(board.rating[0] - shifted[0]),
        own=bool(covered[0]),
        others=float(covered[1:].mean()),
        first=bool(board.order[0] == 0),
        false=bool((board.above & ~order).any()),
        right=int((board.above & order).sum()),
        half_width=float((board.upper - board.lower).mean()) / 2,
    )
