"""What units of work will cost, judging by those that are done, and whether a purse has enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.llm.purse import Purse, format_amount
from arena.tournament.forecast import ExpectedCost

#: By how many standard deviations units may cost more than the units that are done let expect.
_DEVIATIONS = 1.6
#: The least standard deviation of a unit's cost, as a part of it, when one unit is done.
_LEAST_SPREAD = 0.3
#: An answer that was lost counts many times what it would have cost: how many units without one are
#: taken as seen, so that the first does not decide.
_UNHARMED = 3


@dataclass(slots=True, kw_only=True, eq=False)
class Draw:
    """What a unit of work draws from a purse.

    Attributes:
        forecast: of what it costs with all that follows from it.
        paid: what earlier runs have paid for a part of it.
        cost: what its answers have cost so far, that part included.
        lost: what is counted for answers of this run that never arrived. What a kill left reserved
            in earlier runs is no part of it: other units do not cost that.
    """

    forecast: ExpectedCost
    paid: float = 0.0
    cost: float = 0.0
    lost: float = 0.0


@dataclass(slots=True, kw_only=True, eq=False)
class Admitted:
    """A unit under way; the account that its calls are charged to.

    Attributes:
        draws: what it draws from each purse.
        is_done: whether it came to its end, so that what it cost is what such a unit costs.
    """

    draws: dict[Purse, Draw] = field(default_factory=dict)
    is_done: bool = False

    def charge(self, purse: Purse, amount: float, *, is_known: bool) -> None:
        """Add what a call cost; `is_known` is False where its answer was lost."""
        draw = self.draws.get(purse)
        if draw is None:
            return
        if is_known:
            draw.cost += amount
        else:
            draw.lost += amount


class _Experience:
    """How the costs of units that are done compare with their forecasts.

    Attributes:
        number: of these units.
        cost: of all of them.
        lost: what was counted for their lost answers.
    """

    def __init__(self) -> None:
        self.number, self.cost, self.lost = 0, 0.0, 0.0
        self._forecast = self._cost_squares = self._products = self._forecast_squares = 0.0

    def add(self, draw: Draw) -> None:
        """Add a unit that is done."""
        cost, forecast = draw.cost, draw.forecast.expected
        self.number += 1
        self.cost += cost
        self.lost += draw.lost
        self._forecast += forecast
        self._cost_squares += cost**2
        self._products += cost * forecast
        self._forecast_squares += forecast**2

    @property
    def ratio(self) -> float:
        """Costs as a multiple of forecasts."""
        return self.cost / self._forecast

    @property
    def spread(self) -> float:
        """The standard deviation of a unit's cost, as a part of its forecast."""
        ratio = self.ratio
        squares = (
            self._cost_squares - 2 * ratio * self._products + ratio**2 * self._forecast_squares
        )
        spread = math.sqrt(max(0.0, squares) * self.number) / self._forecast
        return max(spread, _LEAST_SPREAD * ratio / math.sqrt(self.number))


class Outlook:
    """What the units under way will still take from a purse, and whether another one fits.

    Forecasts are scaled by what finished units have cost; until the first of them is done, the high
    forecast counts.

    Args:
        purse: from which they draw.

    Attributes:
        under_way: the units that have begun and not ended.
    """

    def __init__(self, purse: Purse) -> None:
        self._purse = purse
        self.under_way: list[Draw] = []
        self._done = _Experience()

    def fits(self, draw: Draw) -> bool:
        """Return whether a unit may begin beside those under way."""
        purse = self._purse
        # Of a day of which nothing is spent, there will be no more on the next day.
        is_alone = purse.is_daily and not purse.spent and not self.under_way
        needed = self._likely([*self.under_way, draw], deviations=0.0 if is_alone else _DEVIATIONS)
        # The last call of a unit must still be able to reserve its worst case.
        return needed <= purse.limit - purse.spent - purse.overhead

    def end(self, draw: Draw, *, is_done: bool) -> None:
        """Learn from a unit that has ended."""
        self.under_way.remove(draw)
        if is_done and draw.forecast.expected > 0:
            self._done.add(draw)

    def need(self, draw: Draw) -> float:
        """Return what a unit needs to begin."""
        return self._likely([draw]) + self._purse.overhead

    def format_need(self, draw: Draw) -> str:
        """Say what a unit needs that does not fit."""
        amount = format_amount(self.need(draw), self._purse.measure)
        with_ballots = "" if self._purse.participant else " with its ballots"
        return f"the next debate{with_ballots} needs about {amount}"

    def _likely(self, units: Sequence[Draw], *, deviations: float = _DEVIATIONS) -> float:
        """Return what is hardly exceeded until some units are done, judging by others.

        Each counts for itself: what one has lost on answers that never arrived, or has cost beyond
        what was expected of it, makes none of the others cheaper.
        """
        done = self._done
        if not done.number:
            # One unit may always show what units really cost.
            several = len(units) > 1
            costs = (unit.forecast.high if several else unit.forecast.low for unit in units)
            return sum(max(0.0, cost - unit.cost) for cost, unit in zip(costs, units, strict=True))
        rate = done.ratio * (1 + self._loss_ratio(units))
        total = sum(max(0.0, rate * unit.forecast.expected - unit.cost) for unit in units)
        # The units differ from each other, and their mean from that of the few that are done.
        forecasts = [unit.forecast.expected for unit in units]
        squares = sum(forecast**2 for forecast in forecasts) + sum(forecasts) ** 2 / done.number
        return total + deviations * done.spread * math.sqrt(squares)

    def _loss_ratio(self, units: Sequence[Draw]) -> float:
        """Return what is counted for lost answers as a multiple of what others cost."""
        done = self._done
        lost = done.lost + sum(unit.lost for unit in self.under_way)
        cost = done.cost + sum(unit.cost - unit.paid for unit in self.under_way)
        usual = done.ratio * max(unit.forecast.expected for unit in units)
        return lost / (cost + _UNHARMED * usual) if lost else 0.0
