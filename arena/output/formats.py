"""Reports in the format that was asked for, marked where the models are simulated or very small."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console

from arena.output.tables import NARROW, Table, as_csv, as_markdown, as_text
from arena.store.command_lines import unattended_option

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.read.attention import Matter


def console(*, width: int | None = None) -> Console:
    """Return a console on standard output; without a terminal, a wide one without colours.

    Args:
        width: in cells, where there is no terminal; 120 by default.
    """
    terminal = Console(highlight=False, soft_wrap=False)
    if not terminal.is_terminal:
        return Console(highlight=False, width=width or 120, no_color=True)
    return terminal


_Command = TypeVar("_Command", bound=Callable[..., Any])

#: The formats of reports, and whom each is for.
_READERS = {
    "table": "people",
    "markdown": "documents",
    "csv": "spreadsheets",
    "json": "programs",
}


def format_option(*formats: str, help_text: str = "") -> Callable[[_Command], _Command]:
    """Return the option `--format`, as the parameter `form`.

    Args:
        formats: accepted; the first is the default.
        help_text: by default it says whom each format is for.
    """
    readers = ", ".join(f"for {_READERS[name]}" for name in formats)
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help=help_text or f"{readers.capitalize()}.",
    )


#: `--format table|markdown|json`, as the parameter `form`.
form = format_option("table", "markdown", "json")


def titled(*parts: str, caveat: str) -> str:
    """Join the parts of a table's title, with what has to be said of its models, if anything.

    >>> titled("weekend", "bench debatrix", caveat="simulated models")
    'weekend · bench debatrix · simulated models'
    """
    return " · ".join(filter(None, (*parts, caveat)))


def envelope(resolved: ResolvedConfig, **about: object) -> dict[str, Any]:
    """Return the head of a report's JSON: its tournament, and what has to be said of its models.

    Args:
        about: what else the report is about, such as its bench.
    """
    return {
        "tournament": resolved.name,
        **about,
        "simulated": resolved.simulated,
        "caveat": resolved.caveat,
    }


def as_json(content: object, *, indent: int | None = 2) -> str:
    """Write content for programs; NaN, a number that is not known, becomes null."""
    return json.dumps(
        _nan_as_none(content), ensure_ascii=False, indent=indent, allow_nan=False, default=str
    )


def print_tables(tables: Sequence[Table], content: object, form: str) -> None:
    """Print tables, or for programs the values that they are made of.

    Args:
        tables: in their order; CSV has the first one.
        content: for JSON; NaN, a number that is not known, becomes null.
    """
    if form == "json":
        click.echo(as_json(content))
    elif form == "csv":
        click.echo(as_csv(tables[0]), nl=False)
    else:
        width = console(width=NARROW).width
        write = as_markdown if form == "markdown" else partial(as_text, width=width)
        click.echo("\n".join(map(write, tables)), nl=False)


def format_matters(matters: Iterable[Matter]) -> Iterator[str]:
    """Yield a heading, then each matter and its command; nothing where nothing is wrong."""
    for place, matter in enumerate(matters):
        if not place:
            yield "Needs attention:"
        yield f"  {matter.sentence}"
        yield f"    {matter.command}{unattended_option() if matter.asks else ''}"


def _nan_as_none(content: object) -> object:
    if isinstance(content, Mapping):
        return {name: _nan_as_none(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_nan_as_none(value) for value in content]
    return None if isinstance(content, float) and math.isnan(content) else content
