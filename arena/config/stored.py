"""The configuration of a stored tournament, read back from the database."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.config.imported import imported_config
from arena.config.load import lacks_schedule, parse_config, parse_file
from arena.config.model_names import check_model_tables
from arena.config.resolve import ResolvedConfig, resolve
from arena.errors import ConfigError
from arena.store.database import Store
from arena.store.motions import read_motions


def stored_config(store: Store, tournament: str | None) -> ResolvedConfig:
    """Read and resolve the configuration of a stored tournament.

    Args:
        store: holds it.
        tournament: its name; None for the newest one. Tournaments that only hold people's
            rankings of another tournament's essays are found by name alone.

    Raises:
        ConfigError: the database has no such tournament.
    """
    frame = store.read(
        "SELECT tournament, config FROM tournaments "
        "ORDER BY config->>'$.tournament.ranks' IS NOT NULL, created_at DESC"
    )
    names = list(frame["tournament"])
    if not names or (tournament is not None and tournament not in names):
        listed = ", ".join(names) or "none yet (play one: arena run)"
        raise ConfigError(f"{store.path}: no tournament {tournament!r}. Stored: {listed}.")
    name = tournament or names[0]
    return resolve_stored(store, name, json.loads(frame["config"][names.index(name)]))


def resolve_stored(store: Store, name: str, content: Mapping[str, Any]) -> ResolvedConfig:
    """Resolve the configuration of a stored tournament.

    Args:
        store: holds the tournament.
        name: of the tournament.
        content: its configuration, as it was stored.

    Raises:
        ConfigError: this version of the program does not know something in it.
    """
    if "source" in content:
        return imported_config(store, content)
    where = f"tournament {name!r}"
    config = parse_config(_without_none(content), where=where)
    return resolve(config, where=where, motions=read_motions(store, name))


def resolve_to_play(text: str, store: Store, *, where: str) -> ResolvedConfig:
    """Resolve the text of a file as it will be played.

    Where it lacks a schedule, a stored tournament of its name keeps its own, and the target too.

    Args:
        text: TOML.
        store: where the tournament is, or will be.
        where: the file, for messages; paths in the configuration are relative to its folder.

    Raises:
        ConfigError: it is no TOML, or not a valid configuration.
    """
    resolved = resolve(parse_file(text, where=where), where=where)
    check_model_tables(resolved.config, where=where)
    return _keep_schedule(resolved, store) if lacks_schedule(tomllib.loads(text)) else resolved


def _keep_schedule(resolved: ResolvedConfig, store: Store) -> ResolvedConfig:
    if store.empty():
        return resolved
    rows = store.rows(
        "SELECT config FROM tournaments WHERE tournament = $name", {"name": resolved.name}
    )
    if not rows or "source" in (content := json.loads(rows[0]["config"])):
        return resolved
    stored = parse_config(_without_none(content), where=f"tournament {resolved.name!r}")
    kept = {"schedule": stored.schedule, "target": stored.target}
    return replace(resolved, config=resolved.config.model_copy(update=kept))


def _without_none(content: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(content, dict):
        return {key: _without_none(value) for key, value in content.items() if value is not None}
    if isinstance(content, list):
        return [_without_none(item) for item in content]
    return content
