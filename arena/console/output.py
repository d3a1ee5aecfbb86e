"""Tables of a report in the form that was asked for, labelled where models are simulated."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from arena.console.screen import console
from arena.console.tables import NARROW, Table, as_markdown, as_text

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


def titled(*parts: str, simulated: bool) -> str:
    """The head of a table.

    >>> titled("weekend", "bench debatrix", simulated=True)
    'weekend · bench debatrix · simulated models'
    """
    return " · ".join([*parts, "simulated models"] if simulated else parts)


def as_json(content: object) -> str:
    """Content for programs: NaN, a number that is not known, becomes null."""
    return json.dumps(_known(content), ensure_ascii=False, indent=2, allow_nan=False, default=str)


def print_tables(tables: Sequence[Table], content: object, form: str) -> None:
    """Print tables, or for programs what they are made of.

    Args:
        tables: in their order.
        content: what they are made of; NaN, a number that is not known, becomes null.
        form: `table`, `markdown` or `json`.
    """
    if form == "json":
        click.echo(as_json(content))
        return
    width = console(width=NARROW).width
    written = (
        as_markdown(one) if form == "markdown" else as_text(one, width=width) for one in tables
    )
    click.echo("\n".join(written), nl=False)


def _known(content: object) -> object:
    if isinstance(content, Mapping):
        return {name: _known(one) for name, one in content.items()}
    if isinstance(content, list | tuple):
        return [_known(one) for one in content]
    return None if isinstance(content, float) and math.isnan(content) else content
