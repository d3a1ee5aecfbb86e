"""`arena init`: write a commented configuration to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from arena.config.load import shipped_configs
from arena.console.options import examples
from arena.errors import ConfigError


@click.command(
    epilog=examples("arena init", "arena init weekend.toml", "arena init mine.toml --from local")
)
@click.argument("file", type=click.Path(path_type=Path), default=Path("tournament.toml"))
@click.option(
    "--from", "source", default="starter", show_default=True, help="The shipped example to copy."
)
def init(file: Path, source: str) -> None:
    """Write a commented tournament FILE to edit.

    Its name is tournament.toml by default.
    """
    shipped = shipped_configs()
    if source not in shipped:
        known = ", ".join(sorted(shipped))
        raise ConfigError(f"no example {source!r}. Examples: {known}.")
    if file.exists():
        raise ConfigError(f"{file}: already exists and was not changed. Choose another file name.")
    try:
        file.write_text(shipped[source], encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}.") from None
    quoted = shlex.quote(str(file))
    click.echo(f"Wrote {file}. Edit it, then run: arena check {quoted} and arena run {quoted}")
