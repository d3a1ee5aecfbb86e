"""How many matchups of a round robin it takes to settle pairs that are so far apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.growing import Growing, round_robin
from ratings import PAPER, confidence
from ratings.model.fitting import ELO_PER_GAMMA

_SIZE = 10
_STEP = 50.0  # Elo points from one participant to the next
_GAPS = (50, 100, 200, 400)
_ROUNDS = tuple(int(rounds) for rounds in np.unique(np.geomspace(2, 160, 28).round()))


def ladder_table(fields: int) -> Iterator[Mapping[str, object]]:
    """Yield the matchups per pair after which a share of the pairs of each distance is settled.

    Ten participants, each 50 Elo points above the next, meet in round robins; settled by a single
    look at that many matchups, and at all looks.
    """
    distance = np.abs(np.subtract.outer(np.arange(_SIZE), np.arange(_SIZE)))
    share = {
        "one look": np.zeros((len(_ROUNDS), _SIZE)),
        "anytime": np.zeros((len(_ROUNDS), _SIZE)),
    }
    for seed in range(fields):
        rng = np.random.default_rng([seed, _SIZE])
        strength = np.arange(_SIZE, dtype=np.float64)[::-1] * _STEP / ELO_PER_GAMMA
        tournament = Growing(np.asarray(strength, dtype=np.float64), rng)
        pairs = _SIZE * (_SIZE - 1) // 2
        tournament.play(round_robin(_SIZE, 0, pairs * _ROUNDS[-1]))
        for look, rounds in enumerate(_ROUNDS):
            for name, table in share.items():
                above = confidence(
                    tournament.comparisons(pairs * rounds), PAPER, anytime=name == "anytime"
                ).above
                for apart in range(1, _SIZE):
                    table[look, apart] += np.triu(above)[distance == apart].sum() / (_SIZE - apart)
    for name, table in share.items():
        for part in (0.5, 0.8):
            row: dict[str, object] = {"case": f"{name}, {part:.0%} settled", "fields": fields}
            for gap in _GAPS:
                reached = table[:, int(gap / _STEP)] >= part * fields
                row[f"{gap} apart"] = _ROUNDS[int(reached.argmax())] if reached.any() else None
            yield row
