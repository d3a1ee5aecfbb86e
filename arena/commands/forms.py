"""Tables of a report in the form that was asked for, labelled where models are simulated."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from arena.commands.console import console
from arena.report.tables import NARROW, Table, as_markdown, as_text

_Command = TypeVar("_Command", bound=Callable[..., Any])


def form(command: _Command) -> _Command:
    """`--format table|markdown|json`, as the parameter `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["table", "markdown", "json"]),
        default="table",
        show_default=True,
        help="For people, for documents, for programs.",
    )(command)


def print_tables(tables: Sequence[Table], content: object, form: str) -> None:
    """Print tables, or for programs what they are made of.

    Args:
        tables: in their order.
        content: JSON-able; numbers that are not known are None.
        form: `table`, `markdown` or `json`.
    """
    if form == "json":
        click.echo(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False, default=str))
        return
    width = console(width=NARROW).width
    written = (
        as_markdown(one) if form == "markdown" else as_text(one, width=width) for one in tables
    )
    click.echo("\n".join(written), nl=False)
