"""A newcomer in a field that is known: how many debates place it, for all who look meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.scheduling.adaptive import Adaptive
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.fixed import FixedSchedule, round_robin
from arena.scheduling.objective import Objective
from arena.scheduling.simulation import (
    FieldPlan,
    Judging,
    SimulatedField,
    SimulatedTournament,
    draw_field,
)
from arena.scheduling.waves import Schedule
from ratings import Comparisons, confidence

Row = Mapping[str, object]
SIZE: Final = 20
#: Sizes of rank intervals that are waited for.
PLACES: Final = (3, 6, 9)
#: Matchups of every pair of the others before the newcomer comes.
_HISTORY: Final = 10
#: Matchups of the newcomer at most, and of a wave.
_MOST: Final = 800
_STEP: Final = 8
#: Somebody looks again when there are so many times as many matchups of the newcomer.
_GROWTH: Final = 1.06
_STABLE: Final = 15
#: Fields are drawn anew so often for the error of a share.
_RESAMPLES: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """How one newcomer was placed.

    Attributes:
        debates: until its rank interval had at most so many places, for each of `PLACES`;
            infinite where that was not reached.
        stable: whether its place after about 15 debates stayed within one place of all later ones.
        off: how many places it was from the true one then.
        half_width: half the width of its rating's 95 % interval for one look then, Elo points.
        kept: whether the rank interval of the last look contained the true place.
    """

    debates: tuple[float, ...]
    stable: bool
    off: int
    half_width: float
    kept: bool


#: Whether the schedule is adaptive, and how debates are judged.
CASES: Final[dict[str, tuple[bool, Judging]]] = {
    "random gauntlet": (False, Judging()),
    "adaptive": (True, Judging()),
    "random gauntlet, by ballot, nine runs": (False, Judging(runs=9, by_ballot=True)),
    "adaptive, by ballot, nine runs": (True, Judging(runs=9, by_ballot=True)),
}


def newcomer_rows(fields: int) -> Iterator[Row]:
    """Yield what is known of the newcomers of some fields, by schedule; the first is the usual."""
    usual: list[Placing] = []
    for name, (adaptive, judging) in CASES.items():
        placings = [
            place_newcomer(seed, judging, adaptive=adaptive) for seed in range(1, fields + 1)
        ]
        usual = usual or placings
        yield {**summarise(name, placings), **compare(placings, usual)}


def compare(placings: Sequence[Placing], usual: Sequence[Placing]) -> Row:
    """Return the debates of newcomers as a share of those that the usual schedule takes.

    The median over the fields in which either schedule placed the newcomer, with the 2.5 % and
    97.5 % points over fields that are drawn anew. Where the usual schedule did not place it, its
    debates are taken to be the most that were played, which makes the share too large.
    """
    row: dict[str, object] = {}
    for index, places in enumerate(PLACES):
        own, other = (
            np.array([placing.debates[index] for placing in each]) for each in (placings, usual)
        )
        decided = np.isfinite(own) | np.isfinite(other)
        shares = (own / np.minimum(other, 2 * _MOST))[decided]
        if not len(shares):
            continue
        drawn = np.random.default_rng(1).integers(len(shares), size=(_RESAMPLES, len(shares)))
        medians = np.median(shares[drawn], axis=1)
        low, high = np.quantile(medians, (0.025, 0.975), method="nearest")
        row[f"share for {places}"] = float(np.median(shares))
        row[f"low for {places}"], row[f"high for {places}"] = float(low), float(high)
    return row


def summarise(name: str, placings: Sequence[Placing]) -> Row:
    """Return the row of a schedule."""
    row: dict[str, object] = {"case": f"newcomer among {SIZE}: {name}"}
    for index, places in enumerate(PLACES):
        needed = np.array([placing.debates[index] for placing in placings])
        row[f"placed in {places}"] = float(np.isfinite(needed).mean())
        row[f"median for {places}"] = float(np.median(needed))
        row[f"quartile for {places}"] = float(np.quantile(needed, 0.25, method="lower"))
    row["stable after 15"] = float(np.mean([placing.stable for placing in placings]))
    row["places off then"] = float(np.mean([placing.off for placing in placings]))
    row["± Elo then"] = float(np.mean([placing.half_width for placing in placings]))
    row["true place kept"] = float(np.mean([placing.kept for placing in placings]))
    return {**row, "fields": len(placings)}


def place_newcomer(seed: int, judging: Judging, *, adaptive: bool) -> Placing:
    """Play the debates of a newcomer into a field that has a history."""
    plan = FieldPlan(participants=SIZE, judging=judging)
    field = draw_field(plan, np.random.default_rng(seed))
    new, tournament = field.names[-1], SimulatedTournament(field, seed)
    history = FixedSchedule(tuple(round_robin(field.names[:-1], matchups_per_pair=_HISTORY)))
    before = max(moment.matchups for moment in tournament.play(history, step=10**6))
    schedule = _adaptive(new) if adaptive else _gauntlet(field, new, seed)
    moments = tournament.play(schedule, step=_STEP)
    looks, debates = list[_Look](), 0
    for moment in moments:
        matchups = moment.matchups - before
        if matchups >= min(_MOST, _GROWTH * debates / 2):
            debates = 2 * matchups
            looks.append(_Look.of(moment.comparisons, new, debates))
            if matchups >= _MOST or looks[-1].ranks <= min(PLACES):
                break
    first = next(look for look in looks if look.debates >= _STABLE)
    later = [look.place for look in looks if look.debates >= _STABLE]
    true = 1 + int((field.strength > field.strength[-1]).sum())
    return Placing(
        debates=tuple(
            min((look.debates for look in looks if look.ranks <= places), default=np.inf)
            for places in PLACES
        ),
        stable=max(abs(place - first.place) for place in later) <= 1,
        off=abs(first.place - true),
        half_width=first.half_width,
        kept=looks[-1].low <= true <= looks[-1].high,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """A look at the board: the newcomer's debates, place, rank interval, and its rating's error."""

    debates: int
    place: int
    low: int
    high: int
    half_width: float

    @property
    def ranks(self) -> int:
        """The number of places that are not excluded."""
        return self.high - self.low + 1

    @classmethod
    def of(cls, comparisons: Comparisons, new: str, debates: int) -> _Look:
        sure = confidence(comparisons, about=[new], anytime=True)
        once = confidence(comparisons, anytime=False)
        at = sure.ratings.names.index(new)
        return cls(
            debates=debates,
            place=1 + int((sure.ratings.rating > sure.ratings.rating[at]).sum()),
            low=int(sure.rank_low[at]),
            high=int(sure.rank_high[at]),
            half_width=float(once.upper[at] - once.lower[at]) / 2,
        )


def _adaptive(new: str) -> Schedule:
    return Adaptive(
        matchups=_STEP, objective=Objective(kind="newcomer", newcomers=frozenset({new}))
    )


def _gauntlet(field: SimulatedField, new: str, seed: int) -> Schedule:
    """Return a gauntlet whose opponents are drawn at random, on top of the history."""
    rng = np.random.default_rng([seed, 2])
    pairs: list[Pair] = list(round_robin(field.names[:-1], matchups_per_pair=_HISTORY))
    for index in rng.integers(SIZE - 1, size=_MOST + _STEP).tolist():
        pairs.append(pair_of(new, field.names[index]))
    return FixedSchedule(tuple(pairs))
