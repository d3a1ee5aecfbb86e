"""Speed of ratings and their bootstrap, compared with other libraries in the same run.

    python benchmarks/ratings.py [--json] [--short]

1,000 rounds on simulated comparisons, a tenth of them ties, one comparison per cluster as the
peers resample (`benchmarks.peers`). Peers that would need minutes are extrapolated from the rounds
that fit into a few seconds; `<peer>_rounds` is their number. A second table has sparse boards: five
games each, and pairs that meet nobody else, on which some peers do not converge or give everybody
the same score; `board_cpu_s` is the CPU time of ratings with sandwich intervals and ranks. A third
table has our own times with
matchups of two legs with three ballots each, resampled as a whole. Linear algebra runs on one
thread, because more threads slow down such small products, the peers' most of all.

A fourth table is a leaderboard of battles in one table of a database: `ours_s` is the time of the
query and of ratings with sandwich intervals and ranks, `board_s` that of everything that `arena
leaderboard` shows, with medians of 1,000 bootstrap rounds.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks.battles import from_one_table  # noqa: E402 - the project, run as a script
from benchmarks.peers import PEERS, Cells, Fit, cells, seconds  # noqa: E402
from benchmarks.reporting import best, report, timed  # noqa: E402
from ratings import PAPER, Comparisons, bootstrap, confidence  # noqa: E402
from ratings.intervals.sandwich import estimate_covariance  # noqa: E402
from ratings.model.fitting import ELO_PER_GAMMA, PointFit, fit_point, fit_problem  # noqa: E402
from ratings.model.newton import solve  # noqa: E402
from ratings.model.problem import collapse  # noqa: E402
from ratings.resampling.poisson import PoissonCounts  # noqa: E402
from ratings.resampling.refit import Refit  # noqa: E402

Row = Mapping[str, object]

ROUNDS = 1000
SIZES = ((10, 200), (20, 2_000), (50, 20_000), (200, 200_000), (200, 2_000_000))
SPARSE = (40, 160, 1000)
GAMES = 5  # of each participant of a sparse board
PAIRS = 200
TIES = 0.1


def simulated(size: int, comparisons: int, *, cluster: int = 1) -> Comparisons:
    """Simulate comparisons of random pairs, in clusters of `cluster` comparisons of one pair."""
    rng = np.random.default_rng(size + comparisons)
    ability = 0.8 * rng.standard_normal(size)
    matchups = -(-comparisons // cluster)
    left = rng.integers(0, size, matchups)
    right = (left + rng.integers(1, size, matchups)) % size
    first, second = (np.repeat(side, cluster)[:comparisons] for side in (left, right))
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


def compare_with_peers(sizes: Sequence[tuple[int, int]], limit: float) -> Iterator[Row]:
    """Yield our times and the peers', with one comparison per cluster."""
    for size, count in sizes:
        board = simulated(size, count)
        row: dict[str, object] = {
            "case": f"{size} participants, {count:,} comparisons",
            **_ours(board),
        }
        for name, make in PEERS.items():
            row |= _peer(name, make, cells(board), limit)
        yield row


def compare_sparse(sizes: Sequence[int], limit: float) -> Iterator[Row]:
    """Yield our times and the peers' on boards with five games each, and on separate pairs."""
    boards = {
        f"{size:,} participants, {GAMES} games each": simulated(size, size * GAMES // 2)
        for size in sizes
    }
    boards[f"{PAIRS} pairs, 2 games each"] = separate_pairs(PAIRS)
    for case, board in boards.items():
        row: dict[str, object] = {
            "case": case,
            "ours_s": best(partial(bootstrap, board, rounds=ROUNDS, seed=1)),
            "board_cpu_s": timed(partial(confidence, board))[1],
            "single_precision_elo": _single_precision(fit_point(board, PAPER)),
        }
        for name, make in PEERS.items():
            row |= _peer(name, make, cells(board), limit)
        yield row


def separate_pairs(pairs: int) -> Comparisons:
    """Simulate pairs of participants who meet each other twice, and nobody else."""
    first = np.repeat(2 * np.arange(pairs), 2)
    return Comparisons(
        names=tuple(f"p{number:03}" for number in range(2 * pairs)),
        first=first,
        second=first + 1,
        outcome=np.random.default_rng(pairs).integers(0, 2, len(first)).astype(float),
        weight=np.ones(len(first)),
        cluster=np.arange(len(first)),
    )


def by_matchup(sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield our times with matchups of six ballots as clusters."""
    for size, count in sizes:
        board = simulated(size, count, cluster=6)
        yield {"case": f"{size} participants, {count:,} ballots, by matchup", **_ours(board)}


def _ours(board: Comparisons) -> dict[str, object]:
    """Measure the fit, the sandwich and the bootstrap, and the error of single precision."""
    point = fit_point(board, PAPER)
    times = {
        "ours_s": best(lambda: bootstrap(board, rounds=ROUNDS, seed=1)),
        "collapse_ms": 1000 * best(lambda: collapse(board, PAPER)),
        "fit_ms": 1000 * best(lambda: fit_problem(point.objective.problem, PAPER)),
        "fit_sandwich_ms": 1000
        * best(lambda: estimate_covariance(fit_problem(point.objective.problem, PAPER))),
    }
    tracemalloc.start()
    bootstrap(board, rounds=ROUNDS, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {**times, "peak_mb": peak / 1e6, "single_precision_elo": _single_precision(point)}


def _single_precision(point: PointFit) -> float:
    """Return the largest error of 16 replicates against double precision, Elo points."""
    problem = point.objective.problem
    counts = PoissonCounts(problem.multiplicity).draw(np.random.Generator(np.random.SFC64(1)), 16)
    quick = Refit(point).maximise(counts)
    exact = counts.astype(np.float64)
    slow = [
        solve(
            point.objective,
            np.asarray(problem.totals @ exact[:, [k]]),
            np.asarray(problem.statistic @ exact[:, [k]]),
            start=point.parameters,
        ).parameters[:, 0]
        for k in range(16)
    ]
    return float(ELO_PER_GAMMA * np.abs(quick.T - np.array(slow)).max())


def _peer(name: str, make: Callable[[Cells], Fit], board: Cells, limit: float) -> dict[str, object]:
    try:
        taken, rounds = seconds(make, board, rounds=ROUNDS, limit=limit)
    except RuntimeError:  # no convergence
        return {f"{name}_s": "fails", f"{name}_rounds": 0}
    return {f"{name}_s": taken, f"{name}_rounds": rounds}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
@click.option("--short", is_flag=True, help="A short form, for a look: up to 20,000 comparisons.")
@click.option("--limit", default=6.0, show_default=True, help="Seconds that a peer may take.")
def main(as_json: bool, short: bool, limit: float) -> None:
    """Measure speed beside the peers, then by matchup."""
    sizes = SIZES[:3] if short else SIZES
    with threadpool_limits(1):
        report(compare_with_peers(sizes, 1.0 if short else limit), as_json=as_json)
        sparse = SPARSE[:2] if short else SPARSE
        report(compare_sparse(sparse, 1.0 if short else limit), as_json=as_json)
        report(by_matchup(sizes), as_json=as_json)
        report(from_one_table([100_000] if short else [1_000_000, 10_000_000]), as_json=as_json)


if __name__ == "__main__":
    main()
