"""`arena` as a user calls it, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner, Result

from arena.cli import cli


def arena(*arguments: str | Path | int, input: str | None = None) -> Result:  # noqa: A002
    """Run a command; anything but a plain end or an error message is raised here."""
    result = CliRunner().invoke(
        cli, [str(one) for one in arguments], input=input, env={"ARENA_DB": None}
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def done(*arguments: str | Path | int) -> str:
    """What a command prints that must succeed."""
    result = arena(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str | Path | int) -> str:
    """The one message of a command that must be refused, without `Error: `."""
    result = arena(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == "", "something was printed before the error"
    assert result.stderr.startswith("Error: ") and "\nError: " not in result.stderr
    return result.stderr.removeprefix("Error: ").strip()


def all_commands(group: click.Group, *above: str) -> Iterator[tuple[str, click.Command]]:
    """All commands by the words that call them, those of groups within groups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        words = (*above, name)
        yield " ".join(words), command
        if isinstance(command, click.Group):
            yield from all_commands(command, *words)
