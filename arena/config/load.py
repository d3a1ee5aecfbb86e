"""The configuration of a tournament: TOML, parsed strictly, once, at the edge."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.messages import explained
from arena.config.sections import Config, Section
from arena.config.shipped import example_named
from arena.errors import ConfigError

_EXAMPLES = files("arena") / "examples"


def load_config(source: str | Path) -> Config:
    """A configuration from a file, or from a shipped example by its name.

    Raises:
        ConfigError: missing, unreadable, no TOML, or not a valid configuration.
    """
    text, where = _text(source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: no valid TOML: {error}.") from None
    return parse_config(content, where=where)


def parse_config(content: Mapping[str, Any], *, where: str) -> Config:
    """A configuration from parsed TOML (or from what the database stored).

    Raises:
        ConfigError: it has unknown, missing or unaccepted entries; all of them are listed.
    """
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        raise ConfigError(explained(error, where)) from None
    return _beside(config, where)


def shipped_configs() -> dict[str, str]:
    """The shipped examples: name and text."""
    found = [one for one in _EXAMPLES.iterdir() if one.name.endswith(".toml")]
    return {one.name.removesuffix(".toml"): one.read_text("utf-8") for one in found}


def from_environment(value: str | None) -> str | None:
    """The value of `env:NAME` or `env:NAME|default`; other values as they are, unset ones None."""
    if value is None or not value.startswith("env:"):
        return value
    name, _, default = value.removeprefix("env:").partition("|")
    return os.environ.get(name) or default or None


def _text(source: str | Path) -> tuple[str, str]:
    shipped = shipped_configs()
    advice = "`arena init` writes a file to start from."
    if name := example_named(source, shipped, advice=advice):
        return shipped[name], name
    return read_text(Path(source)), str(Path(source))


def read_text(path: Path) -> str:
    """A user's file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}.") from None


def _beside(config: Config, where: str) -> Config:
    # Motion files and folders to search are named relative to the configuration's own folder.
    if not Path(where).is_file():
        return config
    folder = Path(where).parent
    motions, search = config.tournament.motions, config.search
    changed: dict[str, Section] = {}
    if Path(motions).suffix or "/" in motions:
        beside = str((folder / motions).resolve())
        changed["tournament"] = config.tournament.model_copy(update={"motions": beside})
    if search.path is not None:
        beside = str((folder / Path(search.path).expanduser()).resolve())
        changed["search"] = search.model_copy(update={"path": beside})
    return config.model_copy(update=changed)
