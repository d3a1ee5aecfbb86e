"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.selection import CATEGORIES

_Command = TypeVar("_Command", bound=Callable[..., Any])


def database(command: _Command) -> _Command:
    """`--db PATH`: the database of results."""
    return click.option(
        "--db",
        "db",
        type=click.Path(dir_okay=False, path_type=Path),
        default=Path("results.duckdb"),
        envvar="ARENA_DB",
        show_default=True,
        help="Database of results (or set ARENA_DB).",
    )(command)


def tournament(command: _Command) -> _Command:
    """`--tournament NAME`: which of the stored ones."""
    return click.option(
        "--tournament", "-t", metavar="NAME", help="Stored tournament; the newest by default."
    )(command)


def selection(command: _Command) -> _Command:
    """`--bench`, `--dimension`, `--category`."""
    for option in (
        click.option(
            "--category",
            type=click.Choice(CATEGORIES),
            default="all",
            show_default=True,
            help="Motions of one category only.",
        ),
        click.option(
            "--dimension",
            metavar="NAME",
            default="overall",
            show_default=True,
            help="What is judged, for example argument, source or language.",
        ),
        click.option("--bench", metavar="NAME", help="Whose verdicts; the first bench by default."),
    ):
        command = option(command)
    return command


def examples(*lines: str) -> str:
    r"""An epilog of examples, one line each (`\b` keeps click from joining them)."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
