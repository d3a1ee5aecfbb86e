"""Simulated tournaments, by which schedules are compared; no model is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from arena.scheduling.adaptive import Adaptive, matchups_per_wave
from arena.scheduling.dealing import Pair
from arena.scheduling.fixed import FixedSchedule, gauntlet, random_pairs, round_robin
from arena.scheduling.knockout import Knockout
from arena.scheduling.objective import Objective
from arena.scheduling.swiss import Swiss
from arena.scheduling.waves import Schedule, Situation, Wave
from ratings import BallotCounts, Comparisons, Pairing, PlanProgress, count_ballots, paper_weight
from ratings.model.family import chances
from ratings.model.fitting import ELO_PER_GAMMA

Floats = NDArray[np.float64]
_NO_TIES: Final = -np.inf
#: A side's score is the sum over up to so many runs, and so many times the mean over more.
_MOST_POINTS: Final = 3
_COLUMNS: Final = ("first", "second", "outcome", "weight", "cluster")
#: Rounds, and matchups of each participant, after which no schedule has anything further to ask.
_ROUNDS: Final = 200
#: Who are seeded into a knockout.
_ENTRANTS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How ballots come about.

    Attributes:
        runs: ballots of each debate.
        icc: correlation of the ballots of a debate (intraclass), 0 to 1.
        side: advantage of Pro, Elo points; a judge's bias for a side is part of it.
        tie: Davidson's ν, the odds of a tie against a win between equals; 0 for no ties.
        noise: how much weaker the judge sees differences: log-odds are divided by 1 + noise.
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
        spread: standard deviation of their strengths, log-odds; they are normal.
        strengths: strengths that are given instead, log-odds; empty to draw them.
        prices: how many times as much the dearest side of a debate costs as the cheapest. Prices
            are spaced evenly on the logarithmic scale, and their geometric mean is 1 USD.
        usd: prices of a side that are given instead, USD; empty to space them.
        cycles: standard deviation of what is added to the log-odds of each pair, the same in all
            its debates: with it, strengths alone do not say who beats whom.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A simulated tournament after some matchups.

    Attributes:
        tournament: it may have gone on since.
        matchups: their number by then; each has two debates.
    """

    tournament: SimulatedTournament
    debates: int
    matchups: int
    usd: float

    @property
    def comparisons(self) -> Comparisons:
        """The comparisons of all debates by then; they are computed at each access."""
        return self.tournament.comparisons(self.debates)


class SimulatedTournament:
    """A tournament on a simulated field, played wave by wave.

    Args:
        start: what has been played before, of the same participants; by default nothing.
        planned: at how many matchups an adaptive schedule ends; None where results decide that.
    """

    def __init__(
        self,
        field: SimulatedField,
        seed: int,
        start: Situation | None = None,
        planned: int | None = None,
    ) -> None:
        self._planned = planned
        self._field = field
        self._seed = seed
        self._rng = np.random.default_rng([seed, 1])
        self._place = {name: index for index, name in enumerate(field.names)}
        self._debates: list[tuple[int, int, int, int, int, int]] = []
        self._waves: list[Wave] = list(start.waves) if start else []
        self._usd = 0.0
        self._before = start.comparisons if start else None
        self._pairing: Pairing = start.comparisons.pairing if start else "fixed"
        self.matchups = len(start.matchups) if start else 0

    def situation(self) -> Situation:
        """Return what a schedule may know."""
        judging = self._field.judging
        return Situation(
            participants=self._field.names,
            comparisons=self.comparisons(),
            waves=tuple(self._waves),
            usd=self._field.usd,
            judging_usd=judging.runs * judging.usd,
            seed=self._seed,
        )

    def comparisons(self, debates: int | None = None) -> Comparisons:
        """Return the first so many simulated debates, or all, after those that were played before.

        They are weighted as the field's judging says: by ballots, or as the paper does.
        """
        columns = np.array(self._debates[:debates], dtype=np.intp).reshape(-1, 6).T
        first, second, won, tied, lost, cluster = columns
        played = Comparisons(
            names=self._field.names,
            first=first,
            second=second,
            outcome=np.full(len(first), 0.5),
            weight=np.ones(len(first)),
            cluster=cluster,
        )
        ballots = BallotCounts(first=won, tied=tied, second=lost)
        weigh = count_ballots if self._field.judging.by_ballot else _weigh_as_in_the_paper
        rows = replace(weigh(played, ballots), pairing=self._pairing)
        if self._planned and self._pairing == "mixed" and len(rows):
            share = min(1.0, rows.clusters / self._planned)
            rows = replace(rows, pairing="planned", plan=PlanProgress(share=share))
        return _append(self._before, rows)

    def play(self, schedule: Schedule, *, step: int) -> Iterator[Moment]:
        """Play until the schedule has nothing further to ask; yield after each wave.

        Args:
            step: matchups after which a long wave is yielded too.
        """
        self._pairing = schedule.pairing
        while (wave := schedule.next_wave(self.situation())).meetings:
            for start in range(0, len(wave.meetings), step):
                for meeting in wave.meetings[start : start + step]:
                    self._play(meeting.pair)
                yield Moment(
                    tournament=self,
                    debates=len(self._debates),
                    matchups=self.matchups,
                    usd=self._usd,
                )
            self._waves.append(wave)

    def _play(self, pair: Pair) -> None:
        first, second = (self._place[name] for name in pair)
        self.play_debate(first, second)
        self.play_debate(second, first)
        self.matchups += 1
        self._usd += self._field.price(pair)

    def play_debate(self, pro: int, con: int) -> None:
        """Play and judge a debate of two positions."""
        ballots = self._field.judge(pro, con, self._rng)
        won, lost = int((ballots == 1).sum()), int((ballots == 0).sum())
        tied = len(ballots) - won - lost
        self._debates.append((pro, con, won, tied, lost, self.matchups))


def _weigh_as_in_the_paper(played: Comparisons, ballots: BallotCounts) -> Comparisons:
    """Return debates that the sum of their ballots decides."""
    scale = np.minimum(1.0, _MOST_POINTS / ballots.number)
    delta = (ballots.first - ballots.second) * scale
    return replace(played, outcome=(np.sign(delta) + 1) / 2, weight=paper_weight(delta))


def _append(before: Comparisons | None, after: Comparisons) -> Comparisons:
    """Return comparisons of the same participants one after the other."""
    if before is None:
        return after
    joined: dict[str, Any] = {
        name: np.append(getattr(before, name), getattr(after, name)) for name in _COLUMNS
    }
    return replace(after, times=np.array(1), forfeits=before.forfeits, **joined)


def _round_robin(names: Sequence[str], seed: int, _: Objective) -> Schedule:
    pairs = list(round_robin(names, matchups_per_pair=1))
    rng = np.random.default_rng([seed, 2])
    rounds = max(1, _ROUNDS * len(names) // len(pairs))
    orders = (rng.permutation(len(pairs)).tolist() for _ in range(rounds))
    return FixedSchedule(tuple(pairs[index] for order in orders for index in order))


def _gauntlet(names: Sequence[str], seed: int, objective: Objective) -> Schedule:
    new = sorted(objective.newcomers) or [names[-1]]
    return FixedSchedule(
        tuple(gauntlet(names, newcomers=new, matchups_per_pair=_ROUNDS // len(new)))
    )


#: From the ids of the participants, a seed and the objective to a schedule. Round robins are
#: played in random order, because their money may end in the middle of a round.
SCHEDULES: Final[dict[str, Callable[[Sequence[str], int, Objective], Schedule]]] = {
    "random": lambda names, seed, _: FixedSchedule(
        tuple(random_pairs(names, seed=seed, matchups=_ROUNDS * len(names)))
    ),
    "round_robin": _round_robin,
    "gauntlet": _gauntlet,
    "swiss": lambda names, seed, objective: Swiss(rounds=_ROUNDS),
    "knockout": lambda names, seed, objective: Knockout(
        after=FixedSchedule(tuple(round_robin(names, matchups_per_pair=1))), entrants=_ENTRANTS
    ),
    "adaptive": lambda names, seed, objective: Adaptive(
        matchups=matchups_per_wave(len(names)), objective=objective
    ),
}
