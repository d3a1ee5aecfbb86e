"""Adding participants and models to the text of a configuration, whose order and comments stay."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

import tomlkit
from tomlkit.items import AoT, Array, Comment, Table, Whitespace

from arena.config.schedule_section import ScheduleSection
from arena.errors import ConfigError

#: Keys of `[schedule]` that every kind of schedule takes.
_OF_ALL_KINDS = {"concurrency", "window"}
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,80}")


def add_participant(text: str, participant: dict[str, Any], *, where: str) -> str:
    """Add a participant after the others in a TOML text; every line of the text stays.

    Args:
        participant: its keys and values, in the order of writing; a table in it is written in one
            line.

    Raises:
        ConfigError: the participants are written in a way that cannot be added to.
    """
    document = tomlkit.parse(text)
    participants = document["participants"]
    if isinstance(participants, AoT):
        _append_table(participants, participant)
    elif isinstance(participants, Array):
        _append_line(participants, participant)
    changed = tomlkit.dumps(document)
    expected = tomllib.loads(text)
    expected["participants"].append(participant)
    are_tables = isinstance(participants, AoT)
    if tomllib.loads(changed) != expected or (are_tables and not _keeps_lines(text, changed)):
        raise ConfigError(
            f"{where}: a participant cannot be added without changing other lines of the file. Add "
            "it by hand:\n"
            f"{tomlkit.dumps({'participants': [participant]})}"
        )
    return changed


def add_model(text: str, model: str, keys: dict[str, Any], *, where: str) -> str:
    """Add a table `[models."..."]` at the end of a TOML text; every line of the text stays.

    Args:
        keys: of the table, in the order of writing; a table in it is written in one line.

    Raises:
        ConfigError: the text has such a table already.
    """
    expected = tomllib.loads(text)
    if model in expected.get("models", {}):
        raise ConfigError(
            f'{where}: [models."{model}"] is in the file already. Leave address, key and price '
            "empty to use it as it is, or change it by hand."
        )
    table = tomlkit.table()
    for key, value in keys.items():
        table[key] = _inline(value)
    section = tomlkit.document()
    section["models"] = tomlkit.table(is_super_table=True).append(model, table)
    changed = f"{text.rstrip()}\n\n{tomlkit.dumps(section)}"
    if tomllib.loads(changed) != {
        **expected,
        "models": {**expected.get("models", {}), model: keys},
    }:
        raise ConfigError(
            f"{where}: a model cannot be added without changing other lines of the file. Add it by "
            f"hand:\n{tomlkit.dumps(section)}"
        )
    return changed


def set_schedule(text: str, keys: dict[str, Any], *, where: str) -> str:
    """Replace who meets whom in the table `[schedule]` of a TOML text; its other keys stay.

    Raises:
        ConfigError: the table is written in a way that cannot be changed.
    """
    document = tomlkit.parse(text)
    schedule = document.setdefault("schedule", tomlkit.table())
    if not isinstance(schedule, Table):
        raise ConfigError(f"{where}: write [schedule] as a table of its own, then try again.")
    for key in ScheduleSection.model_fields.keys() - _OF_ALL_KINDS:
        if key in schedule and key not in keys:
            schedule.remove(key)
    for key, value in keys.items():
        schedule[key] = value
    return tomlkit.dumps(document)


def _inline(value: Any) -> Any:  # noqa: ANN401 - any value of a TOML file
    """Return a value with its tables written in one line."""
    if not isinstance(value, dict):
        return value
    line = tomlkit.inline_table()
    line.update({key: _inline(part) for key, part in value.items()})
    return line


def _keeps_lines(text: str, changed: str) -> bool:
    # Where tables of one array stand apart, tomlkit moves them together.
    remaining = iter(changed.splitlines())
    return all(line in remaining for line in text.splitlines())


def _append_table(tables: AoT, participant: dict[str, Any]) -> None:
    # For the parser, a comment before the next section belongs to the last table, so it is moved
    # behind the new table.
    last = _last_body(tables[-1])
    trailing: list[Any] = []
    while last and isinstance(last[-1][1], Comment | Whitespace):
        trailing.insert(0, last.pop())
    last.append((None, tomlkit.nl()))
    table = tomlkit.table()
    table.update({key: _inline(value) for key, value in participant.items()})
    table.value.body.extend(trailing)
    tables.append(table)


def _last_body(table: Any) -> list[Any]:  # noqa: ANN401 - a tomlkit item
    """Return the items of the table that stands last in the text: a subtable, if there is one."""
    body: list[Any] = table.value.body
    last_item = body[-1][1] if body else None
    return _last_body(last_item) if isinstance(last_item, Table) else body


def _append_line(array: Array, participant: dict[str, Any]) -> None:
    line = _inline(participant)
    if "\n" in array.as_string():
        array.add_line(line, indent="  ")
    else:
        array.append(line)


def make_model_keys(
    *,
    address: str = "",
    variable: str = "",
    input_price: float | None = None,
    output_price: float | None = None,
) -> dict[str, Any]:
    """Return the keys of a table `[models."…"]`; none where nothing is said.

    >>> make_model_keys(variable="MY_API_KEY", input_price=1, output_price=2)
    {'api_key': 'env:MY_API_KEY', 'usd_per_million': {'input': 1, 'output': 2}}

    Args:
        address: of a server; '' for the provider's own.
        variable: the name of the environment variable that holds the key; '' for the provider's.
        input_price: USD per million tokens of input.
        output_price: USD per million tokens of output.

    Raises:
        ConfigError: the variable is no name of one, or only one of the prices is there.
    """
    keys: dict[str, Any] = {}
    if address := address.strip():
        keys["api_base"] = address
    if variable := variable.strip():
        if not _VARIABLE.fullmatch(variable):  # it may be a key, so it is not repeated
            raise ConfigError(
                "what stands for the key is no name of an environment variable. Never type a key "
                "here: put it into a variable, and name that, for example MY_API_KEY."
            )
        keys["api_key"] = f"env:{variable}"
    if (input_price is None) != (output_price is None):
        raise ConfigError("give both prices, for input and for output, or none.")
    if input_price is not None:
        keys["usd_per_million"] = {"input": input_price, "output": output_price}
    return keys
