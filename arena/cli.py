"""The command line; every error of the project becomes one message and exit code 2."""

from __future__ import annotations

import click

from arena.errors import ArenaError, ConfigError
from arena.plugins import command_points
from motions import MotionError
from ratings import RatingError


class _Failure(click.ClickException):
    exit_code = 2


class _Commands(click.Group):
    """The registered commands; an error of the project is shown as a message, not a traceback.

    Each command is loaded when it is called: importing all of them would take seconds.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(command_points())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        point = command_points().get(cmd_name)
        if point is None:
            return None
        try:
            command: click.Command = point.load()
        except (ImportError, AttributeError) as error:  # the other commands still work
            return _broken(cmd_name, f"{point.value} cannot be loaded: {error}.")
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (ArenaError, MotionError, RatingError) as error:
            raise _Failure(str(error)) from error


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: arena run (plays a tournament of simulated models; no key is needed)",
)
@click.version_option(package_name="debate-arena", prog_name="arena")
def cli() -> None:
    """Tournaments and leaderboards for debate systems.

    They show which framework on which language model argues better, with confidence intervals and
    costs.
    """


def main() -> None:
    """Run the command line (the entry point of the console script)."""
    cli()


def _broken(name: str, problem: str) -> click.Command:
    def fail() -> None:
        raise ConfigError(f"the command {name!r}: {problem}")

    return click.Command(name, help=problem, callback=fail)
