"""`arena run --motion`: its options, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.table import Table

from arena.boards.selecting import dimensions
from arena.config.one_motion import OneMotion
from arena.config.resolve import ResolvedConfig
from arena.console.screen import console
from arena.errors import ConfigError
from arena.languages import LANGUAGES
from arena.records import Bench
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted, plain

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

_DEBATES = """
    SELECT d.debate_id, d.status, d.reason, p.name AS pro, c.name AS con
    FROM debates d
    JOIN participants p ON p.participant_id = d.pro AND p.tournament = d.tournament
    JOIN participants c ON c.participant_id = d.con AND c.tournament = d.tournament
    WHERE d.tournament = $tournament ORDER BY p.name <> $first, d.debate_id
"""
_SCORES = """
    SELECT dimension, avg(pro_mark) AS pro_mark, avg(con_mark) AS con_mark,
           count(*) FILTER (outcome = 1) AS pro, count(*) FILTER (outcome = 0.5) AS ties,
           count(*) FILTER (outcome = 0) AS con, count(*) AS runs
    FROM ballots b JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id = $debate AND b.bench = $bench AND b.status = 'valid'
    GROUP BY dimension
"""


def one_motion_options(command: _Command) -> _Command:
    """Add `--motion` and the options that go with it."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_motion_options(file: str | None, options: dict[str, Any]) -> OneMotion | None:
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
    debates = store.rows(_DEBATES, {"tournament": resolved.name, "first": first})
    winners = [_print_leg(store, resolved.name, bench, row) for row in debates]
    click.echo(_format_result(winners, debates))
    for row in debates:
        show = command_line("show", row["debate_id"][:8], "--ballots", db=store.path)
        click.echo(f"Read it with: {show}")


def _print_leg(store: Store, tournament: str, bench: Bench, row: dict[str, Any]) -> str | None:
    """Print one debate's verdict; return the winner's name, "" for a tie, `None` for no verdict."""
    rows = store.rows(_SCORES, {"debate": row["debate_id"], "bench": bench.name})
    scores = {score["dimension"]: score for score in rows}
    click.echo(f"Pro {row['pro']} · Con {row['con']}")
    if not scores:
        reason = f": {plain(row['reason'])}" if row["reason"] else ""
        status = "ended in an error" if row["status"] == "error" else f"is {row['status']}"
        click.echo(f"  no verdict, the debate {status}{reason}\n")
        return None
    table = Table(box=None, pad_edge=False)
    table.add_column("  marks (mean)")
    for name in ("Pro", "Con", "runs for Pro", "tied", "for Con"):
        table.add_column(name, justify="right")
    for dimension in dimensions(bench):
        score = scores[dimension]
        marks = (f"{score['pro_mark']:.1f}", f"{score['con_mark']:.1f}")
        votes = (str(score[name]) for name in ("pro", "ties", "con"))
        table.add_row(f"  {dimension}", *marks, *votes)
    console().print(table)
    resume = command_line("resume", tournament, db=store.path)
    return _print_winner(row, scores["overall"], bench.runs, resume=resume)


def _print_winner(
    row: dict[str, Any], overall: dict[str, Any], runs: int, *, resume: str
) -> str | None:
    if overall["runs"] < runs:
        click.echo(
            f"  only {overall['runs']} of {counted(runs, 'run')} have a verdict; continue with: "
            f"{resume}\n"
        )
        return None
    ahead = overall["pro"] - overall["con"]
    winner = "" if ahead == 0 else str(row["pro"] if ahead > 0 else row["con"])
    click.echo(f"  {f'{winner} wins' if winner else 'a tie'}\n")
    return winner


def _format_result(winners: list[str | None], debates: list[dict[str, Any]]) -> str:
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
    side = "Pro" if won[0] == debates[0]["pro"] else "Con"
    return f"Each wins once, both times as {side}: between these two, the side decided."
