"""`arena run` and `arena resume`: plan, confirm, play, and print the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import nan
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.table import Table

from arena.boards.selection import select
from arena.config.load import config_text
from arena.config.one_motion import OneMotion, one_motion_config
from arena.config.resolve import resolve_to_play
from arena.config.resolved import dimensions
from arena.console.interruptions import planning
from arena.console.options import database, examples
from arena.console.play_tournament import play_tournament
from arena.console.run_options import paid_options
from arena.console.stored_tournament import open_stored, open_to_work
from arena.errors import ConfigError
from arena.languages import LANGUAGES, SIDES
from arena.output.formats import console
from arena.read.ballots import BallotRow, read_ballots
from arena.read.debates import DebateRow, read_debates
from arena.report.leaderboard import show_overall
from arena.report.overview.files import report_at_the_end
from arena.store.command_lines import command_line
from arena.text import counted, plain
from ratings import CON_WINS, PRO_WINS, TIE

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Bench
    from arena.store.database import Store
    from arena.tournament.job import RunOptions

_no_report = click.option(
    "--no-report",
    is_flag=True,
    help="Write no report (see arena report) beside the database at the end.",
)


_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--motion", metavar="TEXT", help="Debate only this motion; no FILE is needed."),
    click.option(
        "--a", metavar="MODEL", help="With --motion: one of the two models. Each is Pro once."
    ),
    click.option("--b", metavar="MODEL", help="With --motion: the other model."),
    click.option(
        "--debater",
        metavar="NAME",
        help="With --motion: framework (debater) of both.  [default: direct]",
    ),
    click.option(
        "--judge-model",
        metavar="MODEL",
        help="With --motion: model of the judge.  [default: the first of the two that is not "
        "simulated, else offline/strong]",
    ),
    click.option(
        "--language",
        type=click.Choice(list(LANGUAGES)),
        help="With --motion: language of the debate.  [default: that of the motion]",
    ),
    click.option(
        "--category",
        type=click.Choice(["fact", "policy", "value"]),
        help="With --motion: category of the motion.  [default: policy]",
    ),
    click.option(
        "--until-decided",
        is_flag=True,
        default=None,
        help="With --motion: debate it again and again, until it is settled who is better (95 %, "
        "after at most 60 matchups).",
    ),
)


def _one_motion_options(command: _Command) -> _Command:
    """Add `--motion` and the options that go with it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


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
    executor=True,
    usd="Spending cap of the tournament in USD, in place of the file's `[limits] usd`.",
    nightly=True,
)
@_no_report
@_one_motion_options
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
    asked = _read_motion_options(file, single)
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
    executor=True,
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


def _read_motion_options(file: str | None, options: dict[str, Any]) -> OneMotion | None:
    """Return the motion that the options ask for; `None` where they ask for a file's tournament.

    Raises:
        ConfigError: the options contradict each other, or one is missing.
    """
    values = {name: value for name, value in options.items() if value is not None}
    names = [f"--{name.replace('_', '-')}" for name in values]
    if "motion" not in values:
        if names:
            raise ConfigError(
                f"{', '.join(names)}: accepted with --motion TEXT only; a FILE contains "
                "these settings."
            )
        return None
    if file is not None:
        raise ConfigError(
            f"--motion and FILE ({file}) cannot be combined: each is a tournament of its own. "
            "Give only one of them."
        )
    missing = [f"--{name} MODEL" for name in ("a", "b") if name not in values]
    if missing:
        raise ConfigError(
            f"--motion: the models that debate it are missing. Add {' and '.join(missing)}, for "
            "example --a offline/strong --b offline/fair (simulated, no key needed)."
        )
    return OneMotion(**values)


def show_verdict(store: Store, resolved: ResolvedConfig) -> None:
    """Print who won each leg, with marks and runs, and where to read the debates."""
    caveat = f" ({resolved.caveat})" if resolved.caveat else ""
    (bench,) = resolved.benches
    (motion,) = resolved.motions
    text = motion.wording(resolved.config.tournament.languages[0]).text
    click.echo(f"{plain(text)}\nJudged by {bench.judge} on {bench.model}{caveat}\n")
    first = resolved.participants[0].name
    selection = select(resolved, bench=bench.name)
    debates = read_debates(store, selection)
    debates.sort(key=lambda debate: (debate.pro != first, debate.debate_id))
    ballots = [ballot for ballot in read_ballots(store, selection) if ballot.status == "valid"]
    resume = command_line("resume", resolved.name, db=store.path)
    winners = []
    for debate in debates:
        own = [ballot for ballot in ballots if ballot.debate_id == debate.debate_id]
        winners.append(_print_leg(debate, own, bench, resume=resume))
    click.echo(_format_result(winners, debates))
    for debate in debates:
        show = command_line("show", debate.debate_id[:8], "--ballots", db=store.path)
        click.echo(f"Read it with: {show}")


def _print_leg(
    debate: DebateRow, ballots: Sequence[BallotRow], bench: Bench, *, resume: str
) -> str | None:
    """Print one debate's verdict; return the winner's name, "" for a tie, `None` for no verdict."""
    click.echo(f"Pro {debate.pro} · Con {debate.con}")
    if not ballots:
        reason = f": {plain(debate.reason)}" if debate.reason else ""
        status = "ended in an error" if debate.status == "error" else f"is {debate.status}"
        click.echo(f"  no verdict, the debate {status}{reason}\n")
        return None
    table = Table(box=None, pad_edge=False)
    table.add_column("  marks (mean)")
    for name in ("Pro", "Con", "runs for Pro", "tied", "for Con"):
        table.add_column(name, justify="right")
    for dimension in dimensions(bench):
        verdicts = [verdict for each in ballots if (verdict := each.verdict(dimension))]
        marks = (_format_mean(getattr(each, f"{side}_mark") for each in verdicts) for side in SIDES)
        outcomes = Counter(verdict.outcome for verdict in verdicts)
        votes = (str(outcomes[outcome]) for outcome in (PRO_WINS, TIE, CON_WINS))
        table.add_row(f"  {dimension}", *marks, *votes)
    console().print(table)
    return _print_winner(debate, ballots, bench.runs, resume=resume)


def _format_mean(marks: Iterable[float | None]) -> str:
    known = [mark for mark in marks if mark is not None]
    return f"{fmean(known) if known else nan:.1f}"


def _print_winner(
    debate: DebateRow, ballots: Sequence[BallotRow], runs: int, *, resume: str
) -> str | None:
    if len(ballots) < runs:
        click.echo(
            f"  only {len(ballots)} of {counted(runs, 'run')} have a verdict; continue with: "
            f"{resume}\n"
        )
        return None
    outcomes = [verdict.outcome for ballot in ballots if (verdict := ballot.verdict())]
    ahead = outcomes.count(PRO_WINS) - outcomes.count(CON_WINS)
    winner = "" if ahead == 0 else debate.pro if ahead > 0 else debate.con
    click.echo(f"  {f'{winner} wins' if winner else 'a tie'}\n")
    return winner


def _format_result(winners: list[str | None], debates: Sequence[DebateRow]) -> str:
    """Return the result of both legs, in a sentence."""
    if None in winners:
        return "Not every debate has a verdict, so there is no winner yet."
    won = [winner for winner in winners if winner]
    if not won:
        return "Both debates are ties."
    if len(won) == 1:
        return f"{won[0]} wins one debate; the other is a tie."
    if won[0] == won[1]:
        return f"{won[0]} wins on both sides."
    side = "Pro" if won[0] == debates[0].pro else "Con"
    return f"Each wins once, both times as {side}: between these two, the side decided."
