"""Play schedules on strengths made up, wave by wave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from arena.scheduling.dealing import Pair
from arena.scheduling.waves import Meeting, Schedule, Situation, Wave
from ratings import Comparisons

#: The result of a debate for Pro, from Pro and Con.
Judge = Callable[[str, str], float]


def situation(
    names: Sequence[str],
    waves: Sequence[Wave] = (),
    *,
    judge: Judge | None = None,
    judged: Sequence[int] | None = None,
    usd: Mapping[str, float] | None = None,
    seed: int = 1,
) -> Situation:
    """Waves that were played and judged, or only the matchups with the numbers `judged`."""
    known = tuple(sorted(names))
    rows: list[tuple[int, int, float, int]] = []
    pairs = [pair for wave in waves for pair in wave.pairs]
    everyone = tuple(sorted({*known, *(name for pair in pairs for name in pair)}))
    place = {name: index for index, name in enumerate(everyone)}
    for number, pair in enumerate(pairs):
        if judge is not None and (judged is None or number in judged):
            for pro, con in (pair, pair[::-1]):
                rows.append((place[pro], place[con], judge(pro, con), number))
    first, second, outcome, cluster = zip(*rows, strict=True) if rows else ((), (), (), ())
    comparisons = Comparisons(
        names=everyone,
        first=np.array(first, dtype=np.intp),
        second=np.array(second, dtype=np.intp),
        outcome=np.array(outcome, dtype=float),
        weight=np.ones(len(rows)),
        cluster=np.array(cluster, dtype=np.intp),
    )
    return Situation(
        participants=known, comparisons=comparisons, waves=tuple(waves), usd=usd or {}, seed=seed
    )


def by_strength(strength: Mapping[str, float], *, seed: int = 0) -> Judge:
    """A judge who follows the Bradley-Terry model."""
    rng = np.random.default_rng(seed)

    def judge(pro: str, con: str) -> float:
        return float(rng.random() < 1 / (1 + np.exp(strength[con] - strength[pro])))

    return judge


def stronger(strength: Mapping[str, float]) -> Judge:
    """A judge who always prefers the stronger."""
    return lambda pro, con: float(np.sign(strength[pro] - strength[con]) / 2 + 0.5)


def play(
    schedule: Schedule, names: Sequence[str], judge: Judge, *, most: int = 60, seed: int = 1
) -> list[Wave]:
    """Play a schedule to its end, or for so many waves."""
    results: dict[tuple[int, str, str], float] = {}
    waves: list[Wave] = []
    for _ in range(most):
        now = situation(names, waves, judge=_remembering(judge, results, waves), seed=seed)
        wave = schedule.next_wave(now)
        if not wave.meetings and not wave.waits:
            break
        waves.append(wave)
    return waves


def _remembering(
    judge: Judge, results: dict[tuple[int, str, str], float], waves: Sequence[Wave]
) -> Judge:
    """Judge every debate once, however often the situation is made."""
    seen: dict[tuple[str, str], int] = {}

    def repeat(pro: str, con: str) -> float:
        number = seen.get((pro, con), 0)
        seen[pro, con] = number + 1
        return results.setdefault((number, pro, con), judge(pro, con))

    return repeat


def of(*pairs: Pair, **fields: object) -> Wave:
    """A wave of pairs."""
    return replace(Wave(meetings=[Meeting(pair=pair) for pair in pairs]), **fields)  # type: ignore[arg-type]
