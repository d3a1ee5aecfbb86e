"""`arena rejudge`: judge a stored tournament by another bench."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.boards.selection import select
from arena.console.interruptions import planning
from arena.console.options import database, examples, judge_options, read_options
from arena.console.play_tournament import play_tournament
from arena.console.run_options import paid_options
from arena.console.stored_tournament import open_stored
from arena.report.bench_comparison import compare_benches
from arena.report.leaderboard import show_board
from arena.store.command_lines import command_line
from arena.tournament.job import RunOptions, WorkPart
from arena.tournament.rejudge import NewBench, add_bench, ballots_only

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Bench
    from arena.store.database import Store


@click.command(
    epilog=examples(
        "arena rejudge --judge single --model offline/strong",
        "arena rejudge weekend --judge samre --model openai/gpt-4o-mini --option jurors=0",
        "arena rejudge essays --judge more --model openai/gpt-4o --swap --runs 1",
        "arena rejudge weekend --judge debatrix --model openai/gpt-4o --runs 1 --dry-run",
    )
)
@click.argument("tournament", required=False)
@database
@click.option(
    "--judge", required=True, metavar="METHOD", help="The judging method of the new bench."
)
@judge_options
@click.option("--name", default="", help="Name of the bench; by default that of the judge.")
@click.option("--runs", type=click.IntRange(1, 99), help="Ballots per debate; 3 by default.")
@click.option(
    "--swap",
    is_flag=True,
    help="Judge each pair of essays in both orders; if the winner changes, it is a tie.",
)
@click.option(
    "--family",
    default="",
    help="The family of its models (such as gpt); by default taken from their names.",
)
@paid_options(
    yes="Start without asking for confirmation, for example from cron.",
    concurrency="Debates judged at the same time, in place of the file's setting; does not change "
    "results.",
    nightly=True,
)
def rejudge(
    tournament: str | None,
    db: Path,
    options: tuple[str, ...],
    run_options: RunOptions,
    **bench: Any,  # noqa: ANN401 - the options that name the bench
) -> None:
    """Judge a stored TOURNAMENT with another bench.

    Without a name, the newest tournament is judged. Only judge tokens are spent; debates and
    earlier ballots stay unchanged. The new bench has its own leaderboard. If it is interrupted, it
    prints the command that continues: arena rejudge TOURNAMENT with all of these options.

    A bench of samre asks five jurors unless `--option jurors=0` says otherwise; in the paper of
    samre, juries lowered the accuracy of all six models.
    """
    with planning(db):
        store, stored = open_stored(db, tournament, to_work=True)
    new = NewBench(**bench, options=read_options(options))
    resolved, judging = add_bench(stored, new)
    play_tournament(
        resolved,
        store,
        run_options,
        only=WorkPart(
            reduce=partial(ballots_only, bench=judging),
            command=_command(stored.name, new, options, run_options.usd, db),
        ),
        finish=partial(_print_boards, bench=judging),
    )


def _command(
    tournament: str, new: NewBench, options: Sequence[str], usd: float | None, db: Path
) -> str:
    """Return the command that goes on with a new bench."""
    values = {
        "model": new.model,
        "name": new.name,
        "runs": new.runs,
        "family": new.family,
        "usd": None if usd is None else f"{usd:.15g}",
    }
    words = ["rejudge", tournament, "--judge", new.judge]
    for option, value in values.items():
        words += [f"--{option}", str(value)] if value else []
    for written in options:
        words += ["--option", written]
    return command_line(*words, *(("--swap",) if new.swap else ()), db=db)


def _print_boards(store: Store, resolved: ResolvedConfig, bench: Bench) -> None:
    show_board(store, resolved, bench=bench.name, dimension="overall", category="all")
    if len(resolved.benches) > 1:
        comparison = compare_benches(store, resolved, select(resolved, bench=bench.name))
        click.echo(f"\n{comparison.text()}")
