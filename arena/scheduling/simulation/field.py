"""Simulated fields: participants of known strength, what they cost, and how they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from arena.scheduling.dealing import Pair
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA

Floats = NDArray[np.float64]
_NO_TIES: Final = -np.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How ballots come about.

    Attributes:
        runs: ballots of each debate.
        icc: correlation of the ballots of a debate (intraclass), 0 to 1.
        side: advantage of Pro, Elo points; a judge's bias for a side is part of it.
        tie: Davidson's ν, the odds of a tie against a win between equals; 0 for no ties.
        noise: how much weaker the judge sees differences: log-odds are divided by 1 + noise.
        usd: of one ballot.
        by_ballot: whether ratings count each ballot by itself; otherwise the sum of its ballots
            decides a debate, with the paper's weight.
    """

    runs: int = 3
    icc: float = 0.21
    side: float = 80.0
    tie: float = 0.3
    noise: float = 0.0
    usd: float = 0.1
    by_ballot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPlan:
    """What fields are drawn from.

    Attributes:
        participants: their number.
        spread: standard deviation of their strengths, log-odds; they are normal.
        strengths: strengths that are given instead, log-odds; empty to draw them.
        prices: how many times as much the dearest side of a debate costs as the cheapest. Prices
            are spaced evenly on the logarithmic scale, and their geometric mean is 1 USD.
        usd: prices of a side that are given instead, USD; empty to space them.
        cycles: standard deviation of what is added to the log-odds of each pair, the same in all
            its debates: with it, strengths alone do not say who beats whom.
        judging: how ballots come about.

    Raises:
        ConfigError: on construction, if a number makes no sense.
    """

    participants: int = 10
    spread: float = 1.0
    strengths: tuple[float, ...] = ()
    prices: float = 1.0
    usd: tuple[float, ...] = ()
    cycles: float = 0.0
    judging: Judging = Judging()

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.participants < 2:
            raise ConfigError(
                f"a field of {self.participants}; accepted: 2 participants or more, because "
                "nobody can debate alone"
            )
        if self.prices < 1:
            raise ConfigError(
                f"prices spread 1 : {self.prices:g}; accepted: 1 or more (1 means equal prices)"
            )
        for name, values in (("strengths", self.strengths), ("prices", self.usd)):
            if values and len(values) != self.participants:
                raise ConfigError(
                    f"{len(values)} {name} for {self.participants} participants; give one for each"
                )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedField:
    """One field.

    Attributes:
        names: K ids, sorted; they say nothing about strength or price.
        strength: (K,) log-odds, mean 0.
        usd: what everybody's side of a debate costs.
        cycles: (K, K) what is added to the log-odds of the row against the column.
        judging: how ballots come about.
    """

    names: tuple[str, ...]
    strength: Floats
    usd: Mapping[str, float]
    cycles: Floats
    judging: Judging

    def price(self, pair: Pair) -> float:
        """Return the USD of a matchup: two debates with their ballots."""
        return 2 * (sum(self.usd[name] for name in pair) + self.judging.runs * self.judging.usd)

    def judge(self, pro: int, con: int, rng: np.random.Generator) -> Floats:
        """Return the outcomes of a debate for Pro on each ballot, (runs,): 1, ½ or 0.

        Each ballot copies, with the probability √ICC, one draw that the debate's ballots share,
        and is drawn alone otherwise. So each follows Davidson's model, and the correlation of any
        two is the ICC.

        Args:
            pro: position of the participant on the side Pro.
            con: position of the other.
            rng: draws the ballots.
        """
        judging = self.judging
        gap = (self.strength[pro] - self.strength[con] + self.cycles[pro, con]) / (
            1 + judging.noise
        )
        omega = np.log(judging.tie) if judging.tie else _NO_TIES
        win, tie, _ = chances(np.array(gap + judging.side / ELO_PER_GAMMA), np.array(omega))
        copied = rng.random(judging.runs) < np.sqrt(judging.icc)
        drawn = np.where(copied, rng.random(), rng.random(judging.runs))
        return np.where(drawn < win, 1.0, np.where(drawn < win + tie, 0.5, 0.0))


def draw_field(plan: FieldPlan, rng: np.random.Generator) -> SimulatedField:
    """Draw a field."""
    size = plan.participants
    names = tuple(f"p{number:0{len(str(size))}}" for number in range(1, size + 1))
    strength = plan.spread * rng.standard_normal(size)
    if plan.strengths:
        strength = rng.permutation(np.array(plan.strengths))
    prices = np.array(plan.usd or plan.prices ** np.linspace(-0.5, 0.5, size))
    usd = dict(zip(names, rng.permutation(prices).tolist(), strict=True))
    above = np.triu(plan.cycles * rng.standard_normal((size, size)), 1)
    return SimulatedField(
        names=names,
        strength=strength - strength.mean(),
        usd=usd,
        cycles=above - above.T,
        judging=plan.judging,
    )
