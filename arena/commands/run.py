"""`arena run` and `arena resume`: plan, confirm, play, and print the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.config.load import config_text
from arena.config.one_motion import one_motion_config
from arena.config.stored import resolve_to_play
from arena.console.interruptions import planning
from arena.console.options import database, examples
from arena.console.play_tournament import play_tournament
from arena.console.run_options import RunOptions, paid_options
from arena.console.single_motion import one_motion_options, read_motion_options, show_verdict
from arena.console.stored_tournament import open_stored, open_to_work
from arena.report.leaderboard import show_overall
from arena.report.overview.files import report_at_the_end

_no_report = click.option(
    "--no-report",
    is_flag=True,
    help="Write no report (see arena report) beside the database at the end.",
)


@click.command(
    epilog=examples(
        "arena run                        the offline example: simulated models, no key",
        "arena run tiny --yes             a real but very small model, on this machine, no key",
        "arena run local --yes            any OpenAI-compatible server on this machine",
        "arena run paper --dry-run        the arena of the paper: its plan and cost, no key",
        "arena run weekend.toml --dry-run",
        "arena run weekend.toml --yes --db weekend.duckdb",
        "arena run weekend.toml --yes --start-at 22:00 --stop-at 07:00 --usd 25",
        'arena run --motion "Cities should ban cars" --a offline/strong --b offline/fair',
        'arena run --motion "Cities should ban cars" --a MODEL --b MODEL --until-decided',
    )
)
@click.argument("file", required=False)
@database
@paid_options(
    yes="Start without asking for confirmation, for example from cron.",
    concurrency="Simultaneous debates, in place of the file's setting.",
    usd="Spending cap of the tournament in USD, in place of the file's `[limits] usd`.",
    nightly=True,
)
@_no_report
@one_motion_options
def run(
    file: str | None,
    db: Path,
    run_options: RunOptions,
    no_report: bool,  # noqa: FBT001 - a flag
    **single: Any,  # noqa: ANN401 - texts, and one flag
) -> None:
    """Play the tournament in FILE.

    FILE is a path, or the name of a shipped example (offline, arena66, tiny, local). Stored debates
    and ballots are not repeated; new participants, motions, benches or repeats in the file are
    added. With --motion, two models debate one motion twice, each once on either side and without a
    search tool, and the verdicts are printed.
    """
    asked = read_motion_options(file, single)
    if asked is not None:
        finish = show_overall if asked.until_decided else show_verdict
        resolved = one_motion_config(asked).with_cap(run_options.usd)
        play_tournament(resolved, open_to_work(db), run_options, finish=finish)
        return
    file = file or "offline"
    with planning(db):
        store = open_to_work(db)
        resolved = resolve_to_play(config_text(file), store, where=file)
    resolved = resolved.with_cap(run_options.usd)
    wanted = not (no_report or run_options.dry_run)
    with report_at_the_end(store, resolved, wanted=wanted, log=run_options.log):
        play_tournament(resolved, store, run_options, finish=show_overall)


@click.command(
    epilog=examples(
        "arena resume", "arena resume weekend --db weekend.duckdb", "arena resume --yes --usd 40"
    )
)
@click.argument("tournament", required=False)
@database
@paid_options(
    yes="Start without asking for confirmation, for example from cron.",
    concurrency="Simultaneous debates, in place of the file's setting.",
    usd="Spending cap of the tournament in USD, in place of that of its last run.",
    nightly=True,
)
@_no_report
def resume(
    tournament: str | None,
    db: Path,
    run_options: RunOptions,
    no_report: bool,  # noqa: FBT001 - a flag
) -> None:
    """Continue a stored TOURNAMENT, by default the newest.

    Its file is not read: what the last run of it used holds, its spending cap too, unless --usd
    names another. After a change of the file, use arena run FILE.
    """
    with planning(db):
        store, stored = open_stored(db, tournament, to_work=True)
    resolved = stored.with_cap(run_options.usd)
    wanted = not (no_report or run_options.dry_run)
    with report_at_the_end(store, resolved, wanted=wanted, log=run_options.log):
        play_tournament(resolved, store, run_options, finish=show_overall)
