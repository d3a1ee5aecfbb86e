"""Coverage where strengths differ between motions: for motions in general, and for these alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from benchmarks.fields import SIZE, Setting, draw_ballots, draw_pairs, limit, make_debates
from benchmarks.mean_coverage import Row
from ratings import Comparisons, confidence

#: Numbers of motions, with the numbers of matchups on all of them together.
CASES = ((6, 50), (6, 150), (6, 900), (24, 50), (24, 150), (66, 150))
SPREADS = (0.0, 0.25, 0.5)
_NODES = 25  # of the normal distribution of what motions add
_SIDE = 80.0  # Elo points

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _MotionField:
    """A simulated board.

    Attributes:
        comparisons: of SIZE participants, with motions.
        ability: (SIZE,) mean log-odds, mean 0.
        own: (motions, SIZE) what each motion adds.
    """

    comparisons: Comparisons
    ability: Floats
    own: Floats


def motions_table(fields: int) -> Iterator[Row]:
    """Yield the coverage of three kinds of intervals by motions, matchups and their spread."""
    for motions, matchups in CASES:
        for between in SPREADS:
            yield from motions_case(motions, matchups, between, fields=fields)


def motions_case(motions: int, matchups: int, between: float, *, fields: int) -> Iterator[Row]:
    """Yield the coverage of three kinds of intervals.

    Coverage and widths are of fields whose abilities have a standard deviation of 0.8, false orders
    of fields of equals.

    Args:
        motions: their number.
        matchups: on all motions together.
        between: standard deviation of a participant's strength between motions, log-odds.
        fields: simulated fields.
    """
    apart, equal = (
        [
            _field(Setting(matchups=matchups, spread=spread), motions, between, seed)
            for seed in range(fields)
        ]
        for spread in (0.8, 0.0)
    )
    truths = [(_general(board.ability, between, _SIDE), _of_these(board, _SIDE)) for board in apart]
    for method in ("matchup", "motion", "auto"):
        yield {
            "case": f"{motions} motions, {matchups} matchups, {between}",
            "cluster": method,
            **_cover(apart, truths, method),
            **_count_false(equal, method),
        }


def _cover(fields: list[_MotionField], truths: list[tuple[Floats, Floats]], method: str) -> Row:
    """Return the coverage of both truths, and the mean width of the intervals."""
    inside, widths = [], []
    for board, pair in zip(fields, truths, strict=True):
        sure = confidence(_clustered(board.comparisons, method))
        inside.append([((sure.lower <= t) & (t <= sure.upper)).mean() for t in pair])
        widths.append((sure.upper - sure.lower).mean())
    general, of_these = np.array(inside).T
    return {
        "general": float(general.mean()),
        "general_error": float(general.std() / len(fields) ** 0.5),
        "of_these": float(of_these.mean()),
        "width": float(np.mean(widths)),
    }


def _count_false(fields: list[_MotionField], method: str) -> Row:
    """Return the share of fields of equals in which any order is settled."""
    false = [confidence(_clustered(board.comparisons, method)).above.any() for board in fields]
    return {"false": float(np.mean(false)), "false_error": float(np.std(false) / len(false) ** 0.5)}


def _clustered(comparisons: Comparisons, method: str) -> Comparisons:
    """Return comparisons as boards count them with `--cluster`."""
    assert comparisons.motion is not None
    cluster = comparisons.motion if method == "motion" else comparisons.cluster
    return replace(comparisons, cluster=cluster, over_motions=method == "auto")


def _field(setting: Setting, motions: int, between: float, seed: int) -> _MotionField:
    """Simulate a field whose motions are dealt evenly; `between` is a deviation in log-odds."""
    rng = np.random.default_rng([seed, setting.matchups, motions])
    ability = setting.spread * rng.standard_normal(SIZE)
    ability -= ability.mean()
    pairs = draw_pairs(rng, setting.matchups)
    motion = np.repeat(rng.permutation(setting.matchups) % motions, 2)
    own = between * rng.standard_normal((motions, SIZE))
    pro, con = pairs.ravel(), pairs[:, ::-1].ravel()
    gap = ability[pro] - ability[con] + own[motion, pro] - own[motion, con]
    cluster = np.repeat(np.arange(setting.matchups), 2)
    debates = make_debates(pro, con, draw_ballots(rng, gap, setting), cluster)
    return _MotionField(
        comparisons=debates.described(motion=[f"m{number:02}" for number in motion]),
        ability=ability,
        own=own,
    )


def _general(ability: Floats, between: float, side: float) -> Floats:
    """Return the ratings for motions in general, (SIZE,), Elo points."""
    nodes = ndtri((np.arange(_NODES) + 0.5) / _NODES)
    nodes *= between * 2**0.5 / nodes.std()
    return limit(ability, side, by_motion=np.tile(nodes[:, None, None], (SIZE, SIZE)))


def _of_these(board: _MotionField, side: float) -> Floats:
    """Return the ratings for the motions at hand, (SIZE,), Elo points."""
    own = board.own
    return limit(board.ability, side, by_motion=own[:, :, None] - own[:, None, :])
