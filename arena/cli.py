"""The command line: every error of the project becomes one message and exit code 2."""

from __future__ import annotations

import click

from arena.commands import (
    accuracy,
    add,
    calibrate,
    check,
    debates,
    diversity,
    exporting,
    importing,
    influence,
    init,
    leaderboard,
    listing,
    marks,
    matrix,
    motions,
    paper_tables,
    rank,
    rejudge,
    run,
    show,
    speak,
    trace,
    versus,
    vote,
)
from arena.errors import ArenaError
from arena.plugins import command_points
from motions import MotionError
from ratings import RatingError


class _Failure(click.ClickException):
    exit_code = 2


class _Group(click.Group):
    """Built-in commands and those of other packages, with the project's errors shown plainly."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (ArenaError, MotionError, RatingError) as error:
            raise _Failure(str(error)) from error


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: arena run (a tournament of simulated models, no key needed)",
)
@click.version_option(package_name="debate-arena", prog_name="arena")
def cli() -> None:
    """Tournaments and leaderboards for debate systems.

    Which system (framework x language model) argues better, how sure that is, and what it cost.
    """


def main() -> None:
    """The console script."""
    cli()


for _module in (
    run,
    leaderboard,
    matrix,
    calibrate,
    influence,
    versus,
    paper_tables,
    accuracy,
    diversity,
    trace,
    show,
    debates,
    speak,
    vote,
    rank,
    marks,
    rejudge,
    listing,
    importing,
    exporting,
    check,
    init,
    add,
    motions,
):
    for _command in _module.COMMANDS:
        cli.add_command(_command)
for _point in command_points():
    cli.add_command(_point.load(), _point.name)
