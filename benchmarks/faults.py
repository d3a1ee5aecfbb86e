"""A tournament under faults: killed, cut off, held up, without room; and under a cap.

    python benchmarks/faults.py [--kills N] [--workers N] [--json] [--caps]

A tournament is played on a server on loopback that refuses calls, fails, resets connections, cuts
answers off and hangs. Runs of it are killed with SIGKILL at random moments (*place*), in between
their files may not grow (a full disk), or another program holds the database; each is followed by
the next run, until everything is played. Then it is compared with the same tournament that nothing
disturbed. *In flight* are calls that killed runs had under way, by the journals they left; *sent
twice* are requests of killed runs, by the server's count, that were sent again later. The pauses of
runs are a fiftieth as long as usual.

With `--caps`, a tournament of 5 USD is played under a cap of 1 USD instead; see `fault_caps.py`.

The exit code is 1 where something is lost, or a cap misses what is asked of it.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.fault_caps import Result, row_of, run_cases  # noqa: E402
from benchmarks.fault_rounds import (  # noqa: E402 - the project, when run as a script
    Counts,
    play_round,
    play_undisturbed,
)
from benchmarks.reporting import report  # noqa: E402
from tests.support.forked_commands import forking  # noqa: E402


def run_kills(
    folder: Path, kills: int, *, seed: int = 1, minutes: float = math.inf, workers: int = 0
) -> Counts:
    """Play rounds until there were so many kills.

    Args:
        folder: takes the databases.
        kills: how many.
        seed: of the first round; the others follow.
        minutes: after which no further round begins.
        workers: processes that play, which are killed, too; 0 for none.
    """
    counts, deadline = Counts(), time.monotonic() + 60 * minutes
    with forking() as forker:
        whole = play_undisturbed(forker, folder)
        while counts.kills.total() < kills and time.monotonic() < deadline:
            left = kills - counts.kills.total()
            seeded = seed + counts.rounds
            play_round(forker, whole, counts, kills=left, seed=seeded, workers=workers)
            click.echo(f"{counts.kills.total()} kills, {counts.rounds} rounds", err=True)
    return counts


def rows_of(counts: Counts) -> Iterator[Mapping[str, object]]:
    """Yield a row for each place of kills, and one for all."""
    for place in [*sorted(counts.kills), "all"]:
        places = sorted(counts.kills) if place == "all" else [place]
        yield {
            "case": place,
            "kills": sum(counts.kills[name] for name in places),
            "requests": sum(counts.requests[name] for name in places),
            "in flight": sum(counts.in_flight[name] for name in places),
            "sent twice": sum(counts.twice[name] for name in places),
        }


def format_summary(counts: Counts) -> list[str]:
    """Return what else is to be said of the rounds, as lines."""
    faults = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.faults.items()))
    return [
        f"{counts.rounds} tournaments in {counts.runs} runs; faults of the server: {faults}.",
        f"{counts.full_disks} runs ended for want of room, {counts.held} found the database held.",
        f"Most requests sent twice beyond those in flight, of any kill: {counts.most_over}.",
        f"Verified: {counts.verified}. Differences: {len(counts.differences)}. "
        f"Untidy: {len(counts.untidy)}.",
        *counts.differences,
        *counts.untidy,
        *(f"{number} x {message}" for message, number in counts.messages.most_common()),
    ]


def _report_caps(*, as_json: bool) -> list[str]:
    """Print a row for each case as it ends; return what they miss."""
    misses = list[str]()

    def rows(results: Iterable[Result]) -> Iterator[Mapping[str, object]]:
        for result in results:
            misses.extend(result.misses)
            yield row_of(result)

    with tempfile.TemporaryDirectory() as folder, forking() as forker:
        report(rows(run_cases(forker, Path(folder))), as_json=as_json)
    return misses


@click.command()
@click.option("--kills", default=25, show_default=True, help="How many runs are killed.")
@click.option("--seed", default=1, show_default=True, help="Of the faults and the moments.")
@click.option("--minutes", default=math.inf, help="After these, no further tournament begins.")
@click.option("--workers", default=0, help="Worker processes, which are killed as well.")
@click.option("--caps", is_flag=True, help="Play under a cap instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case and line.")
def main(  # noqa: PLR0913 - one parameter per option
    kills: int,
    seed: int,
    minutes: float,
    workers: int,
    caps: bool,
    as_json: bool,
) -> None:
    """Play a tournament under faults, and compare it with the undisturbed one."""
    if caps:
        misses = _report_caps(as_json=as_json)
        for line in misses:
            click.echo(line, err=True)
        sys.exit(bool(misses))
    with tempfile.TemporaryDirectory() as folder:
        counts = run_kills(Path(folder), kills, seed=seed, minutes=minutes, workers=workers)
    report(rows_of(counts), as_json=as_json)
    for line in format_summary(counts):
        click.echo(line, err=as_json)
    sys.exit(bool(counts.differences or counts.untidy or counts.most_over > 0))


if __name__ == "__main__":
    main()
