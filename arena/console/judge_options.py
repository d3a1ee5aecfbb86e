"""The options of commands that name a judge: its model, and what its method takes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any, TypeVar

import click

from arena.errors import ConfigError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def judge_options(command: _Command) -> _Command:
    """`--model` and `--option KEY=VALUE`, as the parameters `model` and `options`."""
    command = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="KEY=VALUE",
        help="An option of the judge, its value as in TOML; may be given again.",
    )(command)
    return click.option(
        "--model", default="", metavar="MODEL", help="Its model, as provider/name."
    )(command)


def read_options(given: tuple[str, ...]) -> dict[str, Any]:
    """Options as TOML reads them; a bare word is a text.

    Raises:
        ConfigError: one has no name, or no value.
    """
    found: dict[str, Any] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not key or not equals:
            raise ConfigError(f"--option {one!r}: write KEY=VALUE, for example jurors=3.")
        try:
            found[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[key] = value
    return found
