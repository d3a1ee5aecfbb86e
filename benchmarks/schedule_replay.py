"""Schedules replayed on real judgements: how many until the board looks like that of all."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.scheduling.adaptive import Adaptive, matchups_per_wave
from arena.scheduling.dealing import Pair, pair_of
from arena.scheduling.objective import Objective
from arena.scheduling.recovery import kendall_tau
from arena.scheduling.waves import Meeting, Situation, Wave
from ratings import Comparisons, fit

Row = Mapping[str, object]
TARGET: Final = 0.9
_OUTCOMES: Final = {"left": 1.0, "tie": 0.5, "right": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One judgement: the two who were compared, and the outcome for the first."""

    first: str
    second: str
    outcome: float


def read_judgements(path: Path) -> list[Judgement]:
    """Read the judgements of a file with the columns left, right and winner."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Judgement(first=row["left"], second=row["right"], outcome=_OUTCOMES[row["winner"]])
            for row in csv.DictReader(file)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Available(Objective):
    """The ranking, from pairs of which there are judgements left."""

    pairs: frozenset[Pair] = frozenset()

    def may_meet(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which pairs have judgements left, (K, K)."""
        return np.array([[pair_of(one, two) in self.pairs for two in names] for one in names])


def replay_rows(path: Path, replays: int) -> Iterator[Row]:
    """Yield, for each schedule, the judgements until τ to the board of all of them is 0.9."""
    judgements = read_judgements(path)
    names = tuple(sorted({name for row in judgements for name in (row.first, row.second)}))
    truth = fit(_compare(judgements, names)).rating
    usual = 0.0
    for name, play in (
        ("random judgements", _random),
        ("random pairs", _random_pairs),
        ("adaptive", _adaptive),
    ):
        needed = np.array(
            [_needed(play(judgements, names, seed), names, truth) for seed in range(1, replays + 1)]
        )
        usual = usual or float(np.median(needed))
        yield {
            "case": f"real judgements: {name}",
            "judgements": float(np.median(needed)),
            "low": float(np.quantile(needed, 0.025)),
            "high": float(np.quantile(needed, 0.975)),
            "share": float(np.median(needed)) / usual,
            "of": len(judgements),
            "replays": replays,
        }
    halves = [_halves_agree(judgements, names, seed) for seed in range(1, replays + 1)]
    yield {
        "case": "real judgements: τ of two halves of them",
        "tau": float(np.median(halves)),
        "replays": replays,
    }


def _halves_agree(judgements: Sequence[Judgement], names: tuple[str, ...], seed: int) -> float:
    """Return τ between the boards of two halves of the judgements, dealt at random."""
    order = np.random.default_rng(seed).permutation(len(judgements)).tolist()
    middle = len(order) // 2
    first, second = (
        fit(_compare([judgements[index] for index in half], names)).rating
        for half in (order[:middle], order[middle:])
    )
    return kendall_tau(first, second)


def _needed(
    drawn: Iterator[list[Judgement]], names: tuple[str, ...], truth: NDArray[np.float64]
) -> int:
    """Return the number of judgements after which τ is at least 0.9."""
    for judged in drawn:
        if kendall_tau(fit(_compare(judged, names)).rating, truth) >= TARGET:
            return len(judged)
    return len(judged)


def _compare(judged: Sequence[Judgement], names: tuple[str, ...]) -> Comparisons:
    return Comparisons.of(
        [row.first for row in judged],
        [row.second for row in judged],
        [row.outcome for row in judged],
        names=names,
    )


def _random(
    judgements: Sequence[Judgement], names: tuple[str, ...], seed: int
) -> Iterator[list[Judgement]]:
    order = np.random.default_rng(seed).permutation(len(judgements)).tolist()
    step = matchups_per_wave(len(names))
    for end in range(step, len(order) + step, step):
        yield [judgements[index] for index in order[:end]]


class Stock:
    """The judgements of each pair that have not been drawn yet, in random order."""

    def __init__(self, judgements: Sequence[Judgement], seed: int) -> None:
        self.left: dict[Pair, list[Judgement]] = defaultdict(list)
        for index in np.random.default_rng(seed).permutation(len(judgements)).tolist():
            row = judgements[index]
            self.left[pair_of(row.first, row.second)].append(row)

    def draw(self, pair: Pair) -> list[Judgement]:
        """Return one more judgement of a pair; nothing where none is left."""
        rows = self.left.get(pair, [])
        drawn = [rows.pop()] if rows else []
        if not rows:
            self.left.pop(pair, None)
        return drawn


def _random_pairs(
    judgements: Sequence[Judgement], names: tuple[str, ...], seed: int
) -> Iterator[list[Judgement]]:
    stock, rng, judged = Stock(judgements, seed), np.random.default_rng([seed, 1]), []
    while stock.left:
        for _ in range(matchups_per_wave(len(names))):
            pairs = sorted(stock.left)
            judged += stock.draw(pairs[int(rng.integers(len(pairs)))]) if pairs else []
        yield judged


def _adaptive(
    judgements: Sequence[Judgement], names: tuple[str, ...], seed: int
) -> Iterator[list[Judgement]]:
    stock, waves = Stock(judgements, seed), [Wave()]
    judged: list[Judgement] = []
    while stock.left:
        schedule = Adaptive(
            matchups=matchups_per_wave(len(names)),
            objective=_Available(pairs=frozenset(stock.left)),
        )
        now = Situation(
            participants=names,
            comparisons=_compare(judged, names),
            waves=tuple(waves),
            seed=seed,
        )
        drawn = [(pair, stock.draw(pair)) for pair in schedule.next_wave(now).pairs]
        judged += [row for _, rows in drawn for row in rows]
        waves.append(Wave(meetings=[Meeting(pair=pair) for pair, rows in drawn if rows]))
        yield judged
