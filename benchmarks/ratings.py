"""How fast ratings and their bootstrap are, beside other libraries in the same run.

    python benchmarks/ratings.py [--json] [--short]

1,000 rounds on simulated comparisons, a tenth of them ties, one comparison per cluster as the
peers resample (`benchmarks.peers`); peers that would need minutes are extrapolated from the
rounds that fit into a few seconds, and `<peer>_rounds` says how many. A second table of our own
has matchups of two legs with three ballots each, drawn as wholes. Linear algebra has one thread:
products as small as these only lose by more, the peers' most of all.

A third table is a leaderboard of battles that stand in one table of a database: `ours_s` from
there to ratings with sandwich intervals and ranks (the query, and the intervals), `board_s` the
whole of what `arena leaderboard` shows, medians of 1,000 bootstrap rounds included.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks.battles import from_one_table  # noqa: E402 - the project, run as a script
from benchmarks.peers import PEERS, Cells, Fit, cells, seconds  # noqa: E402
from benchmarks.reporting import best, report  # noqa: E402
from ratings import PAPER, Comparisons, bootstrap  # noqa: E402
from ratings.bootstrap.chord import Refit  # noqa: E402
from ratings.bootstrap.poisson import PoissonCounts  # noqa: E402
from ratings.intervals.sandwich import estimate_covariance  # noqa: E402
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point, fit_problem  # noqa: E402
from ratings.model.newton import solve  # noqa: E402
from ratings.model.problem import collapse  # noqa: E402

Row = Mapping[str, object]

ROUNDS = 1000
SIZES = ((10, 200), (20, 2_000), (50, 20_000), (200, 200_000), (200, 2_000_000))
TIES = 0.1


def simulated(size: int, comparisons: int, *, cluster: int = 1) -> Comparisons:
    """Simulate comparisons of random pairs; `cluster` of one pair in a row belong together."""
    rng = np.random.default_rng(size + comparisons)
    ability = 0.8 * rng.standard_normal(size)
    matchups = -(-comparisons // cluster)
    one = rng.integers(0, size, matchups)
    other = (one + rng.integers(1, size, matchups)) % size
    first, second = (np.repeat(side, cluster)[:comparisons] for side in (one, other))
    chance = 1 / (1 + np.exp(ability[second] - ability[first]))
    decided = (rng.random(comparisons) < chance).astype(float)
    return Comparisons(
        names=tuple(f"p{number:03}" for number in range(size)),
        first=first,
        second=second,
        outcome=np.where(rng.random(comparisons) < TIES, 0.5, decided),
        weight=np.ones(comparisons),
        cluster=np.repeat(np.arange(matchups), cluster)[:comparisons],
    )


def beside_peers(sizes: Sequence[tuple[int, int]], limit: float) -> Iterator[Row]:
    """Measure ours and the peers', one comparison per cluster."""
    for size, count in sizes:
        given = simulated(size, count)
        row: dict[str, object] = {
            "case": f"{size} participants, {count:,} comparisons",
            **_ours(given),
        }
        for name, make in PEERS.items():
            row |= _peer(name, make, cells(given), limit)
        yield row


def by_matchup(sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Measure ours alone, with matchups of six ballots as clusters."""
    for size, count in sizes:
        given = simulated(size, count, cluster=6)
        yield {"case": f"{size} participants, {count:,} ballots, by matchup", **_ours(given)}


def _ours(given: Comparisons) -> dict[str, object]:
    """Measure the fit, the sandwich and the bootstrap, and what single precision costs."""
    point = fit_point(given, PAPER)
    found = {
        "ours_s": best(lambda: bootstrap(given, rounds=ROUNDS, seed=1)),
        "collapse_ms": 1000 * best(lambda: collapse(given, PAPER)),
        "fit_ms": 1000 * best(lambda: fit_problem(point.objective.problem, PAPER)),
        "fit_sandwich_ms": 1000
        * best(lambda: estimate_covariance(fit_problem(point.objective.problem, PAPER))),
    }
    tracemalloc.start()
    bootstrap(given, rounds=ROUNDS, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {**found, "peak_mb": peak / 1e6, "single_precision_elo": _single_precision(point)}


def _single_precision(point: PointFit) -> float:
    """Find the largest difference of 16 replicates from their maxima in double precision, Elo."""
    given = point.objective.problem
    counts = PoissonCounts(given.multiplicity).draw(np.random.Generator(np.random.SFC64(1)), 16)
    quick = Refit(point).maximise(counts)
    exact = counts.astype(np.float64)
    slow = [
        solve(
            point.objective,
            np.asarray(given.totals @ exact[:, [one]]),
            np.asarray(given.statistic @ exact[:, [one]]),
            start=point.parameters,
        ).parameters[:, 0]
        for one in range(16)
    ]
    return float(ELO_PER_GAMMA * np.abs(quick.T - np.array(slow)).max())


def _peer(name: str, make: Callable[[Cells], Fit], given: Cells, limit: float) -> dict[str, object]:
    taken, rounds = seconds(make, given, rounds=ROUNDS, limit=limit)
    return {f"{name}_s": taken, f"{name}_rounds": rounds}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: up to 20,000 comparisons.")
@click.option("--limit", default=6.0, show_default=True, help="Seconds that a peer may take.")
def main(as_json: bool, short: bool, limit: float) -> None:
    """Measure speed beside the peers, then by matchup."""
    sizes = SIZES[:3] if short else SIZES
    with threadpool_limits(1):
        report(beside_peers(sizes, 1.0 if short else limit), as_json=as_json)
        report(by_matchup(sizes), as_json=as_json)
        report(from_one_table([100_000] if short else [1_000_000, 10_000_000]), as_json=as_json)


if __name__ == "__main__":
    main()
