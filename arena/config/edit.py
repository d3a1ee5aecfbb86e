"""A participant added to a configuration's text: what stands there keeps its order and comments."""

from __future__ import annotations

import tomllib
from typing import Any

import tomlkit
from tomlkit.items import AoT, Array, Comment, Table, Whitespace

from arena.errors import ConfigError


def with_participant(text: str, participant: dict[str, str], *, where: str) -> str:
    """A TOML text with one more participant, after the others; every line of it stays.

    Args:
        text: a valid configuration.
        participant: its keys and values, in the order of writing.
        where: the file, for messages.

    Raises:
        ConfigError: the file says its participants in a way that cannot be added to.
    """
    document = tomlkit.parse(text)
    found = document["participants"]
    if isinstance(found, AoT):
        _append_table(found, participant)
    elif isinstance(found, Array):
        _append_line(found, participant)
    changed = tomlkit.dumps(document)
    expected = tomllib.loads(text)
    expected["participants"].append(participant)
    tables = isinstance(found, AoT)
    if tomllib.loads(changed) != expected or (tables and not _keeps_lines(text, changed)):
        raise ConfigError(
            f"{where}: its participants cannot be added to without changing something else. "
            f"Add this one by hand:\n{tomlkit.dumps({'participants': [participant]})}"
        )
    return changed


def _keeps_lines(text: str, changed: str) -> bool:
    # tomlkit gathers tables of one array that stand apart.
    later = iter(changed.splitlines())
    return all(line in later for line in text.splitlines())


def _append_table(tables: AoT, participant: dict[str, str]) -> None:
    # A comment before the next section belongs to the last table for the parser: it moves along.
    last = _end_of(tables[-1])
    behind: list[Any] = []
    while last and isinstance(last[-1][1], Comment | Whitespace):
        behind.insert(0, last.pop())
    last.append((None, tomlkit.nl()))
    table = tomlkit.table()
    table.update(participant)
    table.value.body.extend(behind)
    tables.append(table)


def _end_of(table: Any) -> list[Any]:  # noqa: ANN401 - one of tomlkit's items
    body: list[Any] = table.value.body
    inner = body[-1][1] if body else None
    return _end_of(inner) if isinstance(inner, Table) else body


def _append_line(array: Array, participant: dict[str, str]) -> None:
    line = tomlkit.inline_table()
    line.update(participant)
    if "\n" in array.as_string():
        array.add_line(line, indent="  ")
    else:
        array.append(line)
