"""Options that several commands share."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import click

from arena.boards.selection import Cluster, format_moment
from arena.errors import ConfigError
from arena.store.command_lines import DATABASE
from motions.text_files import parse_toml

_Command = TypeVar("_Command", bound=Callable[..., Any])
_DATE_FORMATS: Final = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")
#: What is accepted as a date, for messages.
DATE_EXAMPLES: Final = "a date such as 2026-11-20 or 2026-11-20T18:00 (UTC)"


def _check_database(_: click.Context, __: click.Parameter, path: Path) -> Path:
    """Refuse what can hold no database."""
    if str(path) == "-" or (path.exists() and not path.is_file()):
        what = "standard input" if str(path) == "-" else "a device, a pipe or a socket"
        raise ConfigError(
            f"--db {path}: {what} holds no database. Name a file, for example {DATABASE}."
        )
    return path


def database(command: _Command) -> _Command:
    """Add `--db PATH`: the database of results."""
    return click.option(
        "--db",
        "db",
        type=click.Path(dir_okay=False, path_type=Path),
        default=DATABASE,
        envvar="ARENA_DB",
        callback=_check_database,
        show_default=True,
        help="Database of results; the variable ARENA_DB sets it, too.",
    )(command)


def tournament(command: _Command) -> _Command:
    """Add `--tournament NAME`: a stored tournament."""
    return click.option(
        "--tournament", "-t", metavar="NAME", help="A stored tournament; the newest by default."
    )(command)


def tournaments(command: _Command) -> _Command:
    """Add `--tournament NAME`, which may be repeated to read several as one, as `tournaments`."""
    return click.option(
        "--tournament",
        "-t",
        "tournaments",
        metavar="NAME",
        multiple=True,
        help="A stored tournament; the newest by default. Repeat it to read several as one.",
    )(command)


def bench_option(help_text: str) -> Callable[[_Command], _Command]:
    """Return the option `--bench NAME`; `help_text` says what it chooses, and the default."""
    return click.option("--bench", metavar="NAME", help=help_text)


def participants_option(what: str) -> Callable[[_Command], _Command]:
    """Return `--participant NAME`, which may be repeated, as the parameter `participants`.

    Args:
        what: of a participant's is shown, in the plural.
    """
    return click.option(
        "--participant",
        "participants",
        metavar="NAME",
        multiple=True,
        help=f"Only {what} of this participant; may be repeated.",
    )


def category_and_language(command: _Command) -> _Command:
    """Add `--category NAME` and `--language CODE`: what motions and debates count."""
    for option in (
        click.option(
            "--language",
            metavar="CODE",
            default="all",
            show_default=True,
            help="Only debates in this language, for example en.",
        ),
        click.option(
            "--category",
            metavar="NAME",
            default="all",
            show_default=True,
            help="Only motions of this category.",
        ),
    ):
        command = option(command)
    return command


def selection(command: _Command) -> _Command:
    """Add the options that select debates and verdicts, from `--bench` to `--without`.

    `select` in `arena.console.stored_tournament` makes a `Selection` of their parameters.
    """
    for option in (
        click.option(
            "--without",
            metavar="NAME",
            multiple=True,
            help="Leave out a bench or a judge; may be repeated.",
        ),
        _date_option("--until", "Only debates that finished before this date (UTC)."),
        _date_option("--since", "Only debates that finished on this date or later (UTC)."),
        category_and_language,
        click.option(
            "--dimension",
            metavar="NAME",
            default="overall",
            show_default=True,
            help="Dimension of the verdicts, for example argument, source or language.",
        ),
        click.option(
            "--bench",
            metavar="NAME",
            help="The bench whose verdicts count, or `all`; the first one by default.",
        ),
    ):
        command = option(command)
    return command


def clustering(command: _Command) -> _Command:
    """Add `--cluster auto|matchup|motion|debate`: what intervals count as one observation."""
    return click.option(
        "--cluster",
        type=click.Choice(get_args(Cluster)),
        default="auto",
        show_default=True,
        help="What intervals count as one independent observation: a matchup (both debates of a "
        "pair on a motion, or a group of imported battles), all debates on a motion, or each "
        "debate. auto: matchups, with strengths that may differ between motions, so that intervals "
        "are for motions in general.",
    )(command)


def encoding_option(command: _Command) -> _Command:
    """Add `--encoding`: that of a text file which people or other programs wrote."""
    return click.option(
        "--encoding",
        metavar="NAME",
        default="",
        help="Encoding of a text FILE, as cp1252; by default UTF-8, or what its mark says.",
    )(command)


def judge_options(command: _Command) -> _Command:
    """Add `--model` and `--option KEY=VALUE`, as the parameters `model` and `options`."""
    command = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="KEY=VALUE",
        help="An option of the judge, its value as in TOML; may be repeated.",
    )(command)
    return click.option(
        "--model", default="", metavar="MODEL", help="The judge's model, as provider/name."
    )(command)


def read_options(options: tuple[str, ...]) -> dict[str, Any]:
    """Read options of the form KEY=VALUE, their values as TOML; a bare word is a text.

    Raises:
        ConfigError: an option has no name, or no value.
    """
    values: dict[str, Any] = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not key or not equals:
            raise ConfigError(f"--option {option!r}: write KEY=VALUE, for example jurors=3.")
        try:
            values[key] = parse_toml(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            values[key] = value
    return values


def _date_option(name: str, help_text: str) -> Callable[[_Command], _Command]:
    return click.option(
        name,
        metavar="DATE",
        callback=_read_date_option,
        help=help_text,
    )


def _read_date_option(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> datetime | None:
    if text is None:
        return None
    if (date := read_date(text)) is None:
        raise click.BadParameter(f"{text!r} is not {DATE_EXAMPLES}.")
    return date


def read_date(text: str) -> datetime | None:
    """Read a date, with or without a time, in UTC; `None` where the text is none.

    >>> read_date("2026-11-20T18:00").isoformat(), read_date("tomorrow")
    ('2026-11-20T18:00:00+00:00', None)
    """
    for accepted in _DATE_FORMATS:
        try:
            return datetime.strptime(text, accepted).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def read_past_date(text: str, *, otherwise: str = "") -> datetime:
    """Read the date that something is compared with.

    Args:
        otherwise: a word that is accepted, too, and stands for the last report.

    Raises:
        click.BadParameter: it is no date, or has not come yet.
    """
    date, now = read_date(text), datetime.now(UTC)
    if date is None:
        verb = f"neither {otherwise} nor" if otherwise else "not"
        raise click.BadParameter(f"{text!r} is {verb} {DATE_EXAMPLES}.")
    if date > now:
        last = f", or {otherwise} for the last report" if otherwise else ""
        raise click.BadParameter(
            f"{text!r} has not come yet: it is {format_moment(now)} UTC, so there is nothing to "
            f"compare with. Name an earlier date{last}."
        )
    return date


def examples(*lines: str) -> str:
    r"""Return an epilog of examples, one line each (`\b` keeps click from joining them)."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def target_option(kind: str) -> Callable[[_Command], _Command]:
    """Return the option `--to` of a command that writes a file of a kind, `motion file`."""
    return click.option(
        "--to",
        "target",
        required=True,
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"The {kind} to be written, as JSON Lines; must not exist.",
    )


def check_target(target: Path, content: str) -> None:
    """Check that a file that `--to` names can be written.

    Args:
        content: what is to stand in it, in the plural: `question sets`.

    Raises:
        ConfigError: it is no .jsonl file, or it exists.
    """
    if target.suffix.lower() != ".jsonl":
        raise ConfigError(f"--to {target}: {content} are JSON Lines. Name a file .jsonl.")
    if target.exists():
        raise ConfigError(f"--to {target}: the file exists. Name a new one, or remove it.")
