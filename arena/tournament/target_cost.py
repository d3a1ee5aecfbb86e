"""Simulations from a stored tournament: what its target will cost, and fields like its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.boards.judge_effort import LEAST_DEBATES, measure_noise
from arena.boards.selection import Selection
from arena.errors import ConfigError
from arena.scheduling.asked import Asked
from arena.scheduling.belief import Belief, form_belief
from arena.scheduling.objective import Objective
from arena.scheduling.simulation import (
    SCHEDULES,
    FieldPlan,
    Judging,
    SimulatedField,
    SimulatedTournament,
)
from arena.tournament.certainty import schedule_length
from arena.tournament.forecast import Price, list_prices
from arena.tournament.wave_planning import measure_progress, read_comparisons
from arena.tournament.workload import WaveProgress
from ratings import confidence
from ratings.design import count_clusters
from ratings.diagnostics.runs import spread_of
from ratings.model.fitting import ELO_PER_GAMMA

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.schedule_section import TargetSection
    from arena.records import Bench
    from arena.scheduling.waves import Schedule, Situation
    from arena.store.database import Store
    from arena.tournament.plan import TournamentPlan

Floats = NDArray[np.float64]
#: How many courses of the tournament are simulated.
COURSES = 12
#: A course looks whether the target is reached when it has grown by so much: each look costs a fit.
_GROWTH = 1.15
#: The share of the courses that the ranges leave out at either end.
_TAIL = 0.1
#: Of a quick estimate: the draws of strengths, the least gap in them (Elo points), and the matchups
#: that participants need on average before it says anything.
_DRAWS, _LEAST_GAP, _LEAST_MATCHUPS = 200, 1.0, 10.0
#: By which factors its ends are moved: widths do not quite fall with the root
#: (python benchmarks/progress_forecasts.py --part target).
_LOWER, _HIGHER = 0.85, 1.35
#: Standard errors on either side of a rating in a 95 % interval.
_NORMAL = 1.96


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetCost:
    """What it takes until a target is reached, over simulated courses.

    Attributes:
        matchups: (C,) further matchups of each course; infinite where it did not get there.
        usd: (C,) their cost; infinite likewise.
        most: further matchups after which a course was given up.
    """

    schedule: str
    matchups: Floats
    usd: Floats
    most: int

    @property
    def reached(self) -> float:
        """The share of the courses that reached the target."""
        return float(np.isfinite(self.matchups).mean())

    def range(self, values: Floats) -> tuple[float, float, float]:
        """Return the 10 %, 50 % and 90 % points of a column; infinite beyond what was reached."""
        ordered = np.sort(values)
        places = (_TAIL, 0.5, 1 - _TAIL)
        return tuple(  # type: ignore[return-value]
            float(ordered[min(len(ordered) - 1, math.floor(place * len(ordered)))])
            for place in places
        )


def foresee_target(
    asked: Asked,
    situation: Situation,
    schedule: Schedule,
    *,
    most: int,
    bench: Bench,
    names: Mapping[str, str],
) -> list[TargetCost]:
    """Simulate what the target takes from here, by the schedule that is asked for and a plain one.

    The plain one is a round robin; of newcomers, a gauntlet. Each course draws strengths from what
    is known of them, and plays on from the situation.
    """
    belief = form_belief(situation)
    ids = {name: participant_id for participant_id, name in names.items()}
    newcomers = frozenset(ids[name] for name in asked.schedule.newcomers or ())
    plain = "gauntlet" if newcomers else "round_robin"
    objective = Objective(kind="newcomer", newcomers=newcomers) if newcomers else Objective()
    costs = []
    for kind in dict.fromkeys((asked.schedule.kind, plain)):
        courses = []
        for seed in range(COURSES):
            own = kind == asked.schedule.kind
            planned = schedule if own else SCHEDULES[kind](belief.names, seed, objective)
            field = _draw(belief, situation, bench, seed)
            tournament = SimulatedTournament(field, seed, start=situation)
            courses.append(_follow(tournament, planned, asked, situation, most=most, names=names))
        matchups, usd = np.array(courses, dtype=np.float64).T
        costs.append(TargetCost(schedule=kind, matchups=matchups, usd=usd, most=most))
    return costs


def foresee_matchups(
    asked: Asked, situation: Situation, *, names: Mapping[str, str]
) -> tuple[float, float] | None:
    """Estimate after how many matchups the target is reached; it takes milliseconds.

    An interval has to become as narrow as the target, or as the gap that it must settle; gaps are
    those of strengths that are drawn from what is known. Its width falls with the root of its
    participants' matchups where the schedule chooses who meets (`adaptive`), else of all matchups.

    Returns:
        The 10 % and 90 % points over the draws, of all matchups, those judged so far included;
        `None` without a target, and before everybody has some matchups.
    """
    target, counts = asked.target, _count_judged(situation)
    if target is None or counts.mean() < _LEAST_MATCHUPS:
        return None
    ids = situation.participants
    of_name = {name: participant_id for participant_id, name in names.items()}
    newest = [ids.index(of_name[name]) for name in asked.schedule.newcomers or ()]
    about = [ids[place] for place in newest] if target.objective == "newcomer" else ()
    sure = confidence(situation.comparisons, anytime=True, about=about)
    places = [sure.names.index(participant_id) for participant_id in ids]
    if target.objective == "precision":
        growth = ((sure.upper - sure.lower)[None, places] / (2 * target.amount)) ** 2
    else:
        width = sure.difference[np.ix_(places, places)]
        growth = _grow(form_belief(situation), width, target, newest)
    growth = np.maximum(1.0, growth)
    chosen = asked.schedule.kind == "adaptive"
    wanted = growth @ counts / 2 if chosen else growth.max(axis=1) * counts.sum() / 2
    low, high = np.quantile(wanted, (_TAIL, 1 - _TAIL))
    return _LOWER * float(low), _HIGHER * float(high)


def measure_waves(plan: TournamentPlan) -> WaveProgress | None:
    """Measure how far the waves of a plan are; `None` where no wave was planned last."""
    wave = plan.wave
    if wave is None:
        return None
    names = plan.resolved.names
    sides = wave.prices.sides.values()
    return WaveProgress(
        settled=wave.progress.settled,
        total=wave.progress.total,
        dealt=len(plan.debates) // 2,
        allowed=max(len(plan.debates) // 2, schedule_length(plan, len(names))),
        usd=2 * (2 * sum(sides) / len(sides) + wave.prices.judging),
        wanted=foresee_matchups(plan.asked, wave.situation, names=names),
        is_over=not wave.debates,
    )


def _count_judged(situation: Situation) -> Floats:
    """Return the judged matchups of each participant, (K,)."""
    rows = situation.comparisons
    if not len(rows):
        return np.zeros(len(situation.participants))
    places = [rows.names.index(participant_id) for participant_id in situation.participants]
    return np.asarray(count_clusters(rows).sum(axis=1)[places])


def _grow(belief: Belief, width: Floats, target: TargetSection, newest: Sequence[int]) -> Floats:
    """Return how many times its matchups each participant needs in each draw, (D, K).

    Args:
        width: (K, K) how large a difference must be to be settled now, Elo points.
        newest: the places of the newcomers.
    """
    rng = np.random.default_rng(0)  # the same at each look, so that forecasts do not jump
    drawn = rng.multivariate_normal(belief.strength, belief.covariance, size=_DRAWS, method="eigh")
    gap = np.abs(drawn[:, :, None] - drawn[:, None, :]) * ELO_PER_GAMMA
    gap[:, np.arange(len(width)), np.arange(len(width))] = np.inf
    pairs = (width / np.maximum(gap, _LEAST_GAP)) ** 2
    match target.objective:
        case "top-k":
            is_top = np.argsort(np.argsort(-drawn, axis=1), axis=1) < int(target.amount)
            pairs *= is_top[:, :, None] != is_top[:, None, :]
        case "newcomer":  # settled with all opponents but for the hardest
            growth = np.zeros_like(drawn)
            easiest = max(0, len(width) - int(target.amount))
            growth[:, newest] = np.sort(pairs, axis=2)[:, newest, easiest]
            return growth
    return np.asarray(pairs.max(axis=2))


def _draw(belief: Belief, situation: Situation, bench: Bench, seed: int) -> SimulatedField:
    """Draw a field from what is believed of the participants."""
    size = len(belief.names)
    rng = np.random.default_rng([situation.seed, seed])
    strength = rng.multivariate_normal(belief.strength, belief.covariance, method="eigh")
    return SimulatedField(
        names=belief.names,
        strength=strength - strength.mean(),
        usd=situation.usd,
        cycles=np.zeros((size, size)),
        judging=Judging(
            runs=bench.runs,
            usd=situation.judging_usd / bench.runs,
            by_ballot=bench.count == "ballots",
        ),
    )


def _follow(
    tournament: SimulatedTournament,
    schedule: Schedule,
    asked: Asked,
    start: Situation,
    *,
    most: int,
    names: Mapping[str, str],
) -> tuple[float, float]:
    """Return the matchups and the USD until the target is reached; infinite if it is not."""
    before = len(start.matchups)
    look = before + 1.0
    for moment in tournament.play(schedule, step=max(2, len(names) // 2)):
        if moment.matchups - before > most:
            break
        if moment.matchups < look:
            continue
        look = _GROWTH * moment.matchups
        situation = replace(start, comparisons=moment.comparisons)
        if measure_progress(asked, situation, names=names).is_reached:
            return moment.matchups - before, moment.usd
    return math.inf, math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarField:
    """What is like a stored tournament.

    Attributes:
        plan: what is measured, and defaults for what is not.
        assumed: what is not measured, in words: the names of the quantities.
        debates: how many judged debates it rests on.
    """

    plan: FieldPlan
    assumed: tuple[str, ...]
    debates: int


def measure_field(store: Store, resolved: ResolvedConfig, *, price: Price) -> SimilarField:
    """Measure the participants, the deciding judges and the costs of a stored tournament.

    The noise with which a judge sees differences is not told apart from small differences: the
    strengths are as spread as its verdicts show them.

    Raises:
        ConfigError: nothing of it is judged, or it was imported.
    """
    asked = Asked.of(resolved)
    selection = Selection(tournament=resolved.name, bench=asked.bench)
    noise = None if resolved.imported else measure_noise(store, resolved, selection)
    compared = None if noise is None else read_comparisons(resolved, store, asked)
    if noise is None or compared is None or not len(compared.comparisons):
        raise ConfigError(
            f"{resolved.name!r} has no debates that bench {asked.bench!r} has judged in full, so "
            "nothing can be measured in it. Play it first, or name another tournament; `arena "
            "list` shows them"
        )
    estimate = confidence(compared.comparisons)
    errors = (estimate.upper - estimate.lower) / (2 * _NORMAL)
    debates = tuple(sorted(compared.rows["debate_id"]))
    prices = list_prices(store, resolved, debates, price=price)
    runs = resolved.bench(asked.bench).runs
    is_measured = noise.debates >= LEAST_DEBATES and math.isfinite(noise.icc)
    sides = list(prices.sides.values())
    # What is free among what costs counts as a hundredth of the mean: nothing can be planned by
    # gain per dollar otherwise. Where nobody costs anything, there are no prices.
    least = 0.01 * sum(sides) / len(sides)
    usd = tuple(max(least, side) for side in sides) if any(sides) else ()
    given = Judging()
    judging = Judging(
        runs=runs,
        icc=min(1.0, max(0.0, noise.icc)) if is_measured else given.icc,
        side=noise.side,
        tie=noise.tie,
        usd=prices.judging / runs if usd else given.usd,
    )
    plan = FieldPlan(
        participants=len(resolved.participants),
        spread=spread_of(estimate.ratings.rating, errors) / ELO_PER_GAMMA,
        usd=usd,
        judging=judging,
    )
    assumed = (*(() if is_measured else ("ICC",)), *(() if usd else ("prices",)))
    return SimilarField(plan=plan, assumed=assumed, debates=len(debates))
