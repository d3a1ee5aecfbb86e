"""Reading and strict parsing of a tournament's configuration, a TOML file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.address_keys import check_addresses
from arena.config.messages import format_validation_error
from arena.config.section import Section
from arena.config.sections import Config
from arena.config.shipped import find_example
from arena.errors import ConfigError

_EXAMPLES = files("arena") / "examples"
#: The place in a message of `tomllib`.
_PLACE = re.compile(r" \((?:at line (\d+), column (\d+)|at end of document)\)$")


def load_config(source: str | Path) -> Config:
    """Read a configuration from a file, or a shipped example by its name.

    Raises:
        ConfigError: it is missing, unreadable, no TOML, or not a valid configuration.
    """
    text, where = _read_source(source)
    return parse_file(text, where=where)


def parse_file(text: str, *, where: str) -> Config:
    """Check the text of a configuration file, and return it as a record.

    A file that lacks a schedule (`lacks_schedule`) is played until the order is settled.

    Args:
        text: TOML.
        where: the file, for messages; paths in the configuration are relative to its folder.

    Raises:
        ConfigError: it is no TOML, or not a valid configuration.
    """
    content = _parse_toml(text, where)
    if lacks_schedule(content):
        content = {**content, "target": {}}
    config = parse_config(content, where=where)
    check_addresses(config, where=where)
    _check_places(config, where)
    return config


def _check_places(config: Config, where: str) -> None:
    """Check that a newcomer's target rules out a place.

    Only files are checked: a tournament that was stored with such a target can still be read.
    """
    target, size = config.target, len(config.participants)
    if target is not None and target.objective == "newcomer" and target.amount >= size:
        raise ConfigError(
            f"{where}: target.places is {target.amount:.0f}, but there are {size} participants, so "
            f"every place would do. Write a number from 1 to {size - 1}."
        )


def lacks_schedule(content: Mapping[str, Any]) -> bool:
    """Return whether a file of debates says neither who meets whom nor what is to be settled."""
    tournament = content.get("tournament")
    contest = tournament.get("contest", "debate") if isinstance(tournament, dict) else ""
    named = "schedule" in content or "target" in content
    return contest == "debate" and not named and not _takes_people(content)


def _takes_people(content: Mapping[str, Any]) -> bool:
    """Return whether people debate, or they alone judge: they are asked for a known number."""
    participants, benches = (
        [row for row in rows if isinstance(row, dict)]
        for rows in (content.get("participants") or [], content.get("benches") or [])
    )
    judges = {bench.get("judge") for bench in benches}
    return judges == {"human"} or any(row.get("debater") == "human" for row in participants)


def _parse_toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_format_syntax_error(str(error), text, where)) from None


def _format_syntax_error(problem: str, text: str, where: str) -> str:
    place = _PLACE.search(problem)
    if place is None or place[1] is None:
        return (
            f"{where}: not valid TOML: {_PLACE.sub('', problem)}: the file ends within a value. "
            "Close its quotes or brackets."
        )
    line = text.splitlines()[int(place[1]) - 1].strip()
    # The line may contain a key that should not be there.
    quoted = "" if "key" in line or not line else f" Given: {line}"
    return (
        f"{where}, line {place[1]}, column {place[2]}: not valid TOML: {problem[: place.start()]}. "
        'Accepted are lines such as key = "text", key = 3, [table] and [[table]]. Correct the line '
        f"or the one before.{quoted}"
    )


def parse_config(content: Mapping[str, Any], *, where: str) -> Config:
    """Check the content of a TOML file, or of a stored configuration, and return it as a record.

    Args:
        content: the tables.
        where: the file, for messages; paths in the configuration are relative to its folder.

    Raises:
        ConfigError: keys or values are unknown, missing or not accepted; all of them are listed.
    """
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        raise ConfigError(format_validation_error(error, where)) from None
    return _with_absolute_paths(config, where)


def shipped_configs() -> dict[str, str]:
    """Return the texts of the shipped examples by name; those of papers are `papers/NAME`."""
    folders = {"": _EXAMPLES, "papers/": _EXAMPLES / "papers"}
    return {
        f"{prefix}{path.name.removesuffix('.toml')}": path.read_text("utf-8")
        for prefix, folder in folders.items()
        for path in folder.iterdir()
        if path.name.endswith(".toml")
    }


def config_text(source: str) -> str:
    """Read the text of a configuration file, or of a shipped example.

    Raises:
        ConfigError: there is neither, or it cannot be read.
    """
    return _read_source(source)[0]


def from_environment(value: str | None) -> str | None:
    """Resolve `env:NAME` or `env:NAME|default`; return other values as they are.

    The result is None where neither the variable nor a default is set.
    """
    if value is None or not value.startswith("env:"):
        return value
    name, _, default = value.removeprefix("env:").partition("|")
    return os.environ.get(name) or default or None


def _read_source(source: str | Path) -> tuple[str, str]:
    """Return a configuration's text, and its file or example name for messages."""
    shipped = shipped_configs()
    advice = "`arena init` writes a file to start from."
    if name := find_example(source, shipped, advice=advice):
        return shipped[name], name
    return read_text(Path(source)), str(Path(source))


def read_text(path: Path) -> str:
    """Read a user's text file, in UTF-8 with or without a byte order mark.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None


def _with_absolute_paths(config: Config, where: str) -> Config:
    """Resolve the paths of a motion file and of a folder to search from the file's own folder."""
    if not Path(where).is_file():
        return config
    folder = Path(where).parent
    motions, search = config.tournament.motions, config.search
    changed: dict[str, Section] = {}
    if Path(motions).suffix or "/" in motions:
        path = str((folder / motions).resolve())
        changed["tournament"] = config.tournament.model_copy(update={"motions": path})
    if search.path is not None:
        path = str((folder / Path(search.path).expanduser()).resolve())
        changed["search"] = search.model_copy(update={"path": path})
    return config.model_copy(update=changed)
