"""Reading and strict parsing of a tournament's configuration, a TOML file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from arena.config.section import NAME_PATTERN, ModelSection, Section
from arena.config.sections import Config, check_addresses
from arena.errors import ConfigError, UnknownName, suggest
from arena.llm.keys import REDIRECTS, clean_key
from arena.registered import registered
from arena.text import format_unreadable
from motions.text_files import decode_text, find_foreign_sign, parse_toml, read_file

_EXAMPLES = files("arena") / "examples"
#: The place in a message of `tomllib`.
_PLACE = re.compile(r" \((?:at line (\d+), column (\d+)|at end of document)\)$")
#: Advice about a section that is missing or too short.
_REMEDIES = {
    "benches": " Write a [[benches]] table with name, judge and model.",
    "participants": " Write at least two [[participants]] tables with name, debater and model.",
}

#: What a text must look like, by the pattern that it does not match.
_PATTERNS = {
    NAME_PATTERN: "a name begins with a letter or digit, followed by letters, digits, spaces and "
    ". + @ : / - _, at most 80 characters"
}


#: Pydantic's types of errors about a value that is not the table that it should be.
_NO_TABLE = frozenset({"model_type", "dict_type"})


def load_config(source: str | Path) -> Config:
    """Read a configuration from a file, or a shipped example by its name.

    Raises:
        ConfigError: it is missing, unreadable, no TOML, or not a valid configuration.
    """
    text, where = _read_source(source)
    return parse_file(text, where=where)


@lru_cache(maxsize=1)
def parse_file(text: str, *, where: str) -> Config:
    """Check the text of a configuration file, and return it as a record.

    A file that lacks a schedule (`lacks_schedule`) is played until the order is settled. The last
    one is remembered: a command checks its file before it loads what it needs, then reads it.

    Args:
        where: the file, for messages; paths in the configuration are relative to its folder.

    Raises:
        ConfigError: it is no TOML, or not a valid configuration.
    """
    from arena.config.trust import check_trust  # noqa: PLC0415 - only for files

    try:
        content = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_format_syntax_error(str(error), text, where)) from None
    if lacks_schedule(content):
        content = {**content, "target": {}}
    config = parse_config(content, where=where, text=text)
    _check_registered(config, text, where)
    check_addresses(config, where=where)
    check_trust(config, where=where)
    # Only files are checked: a tournament that was stored with such a target can still be read.
    target, size = config.target, len(config.participants)
    if target is not None and target.objective == "newcomer" and target.amount >= size:
        raise ConfigError(
            f"{where}: target.places is {target.amount:.0f}, but there are {size} participants, so "
            f"every place would do. Write a number from 1 to {size - 1}."
        )
    return config


def _check_registered(config: Config, text: str, where: str) -> None:
    """Check that the debaters and judges of a file are registered; nothing is loaded for that.

    Raises:
        UnknownName: one is not.
    """
    names: list[tuple[str, int, str, str]] = [
        *(
            ("participants", n, "debater", each.debater)
            for n, each in enumerate(config.participants)
        ),
        *(("benches", n, "judge", each.judge) for n, each in enumerate(config.benches)),
    ]
    for table, number, kind, name in names:
        known = registered(f"arena.{kind}s")
        if name not in known:
            line = _format_line(text, (table, number, kind))
            place = f"{where}{line and f', {line}'}: {table}[{number + 1}].{kind}"
            raise UnknownName(kind=kind, given=name, known=list(known), where=place)


def _format_line(text: str, place: Sequence[str | int]) -> str:
    """Return `line 3` for a place in a text; '' where it has none."""
    from arena.config.positions import find_line  # noqa: PLC0415 - only for faults

    number = find_line(text, place) if place else None
    return f"line {number}" if number else ""


def lacks_schedule(content: Mapping[str, Any]) -> bool:
    """Return whether a file of debates says neither who meets whom nor what is to be settled."""
    tournament = content.get("tournament")
    contest = tournament.get("contest", "debate") if isinstance(tournament, dict) else ""
    named = "schedule" in content or "target" in content
    if contest != "debate" or named:
        return False
    # Where people debate, or they alone judge, they are asked for a known number.
    participants, benches = (
        [row for row in content.get(key) or [] if isinstance(row, dict)]
        for key in ("participants", "benches")
    )
    judges = {bench.get("judge") for bench in benches}
    return judges != {"human"} and all(row.get("debater") != "human" for row in participants)


def _format_syntax_error(problem: str, text: str, where: str) -> str:
    place = _PLACE.search(problem)
    if place is None or place[1] is None:
        return (
            f"{where}: not valid TOML: {_PLACE.sub('', problem)}: the file ends within a value. "
            "Close its quotes or brackets."
        )
    line = text.split("\n")[int(place[1]) - 1].strip()
    foreign = find_foreign_sign(line)
    # The line may contain a key that should not be there.
    quoted = "" if "key" in line or not line else f" Given: {line[:80]}"
    return (
        f"{where}, line {place[1]}, column {place[2]}: not valid TOML: {problem[: place.start()]}. "
        f'{foreign}Accepted are lines such as key = "text", key = 3, [table] and [[table]]. '
        f"Correct the line or the one before.{quoted}"
    )


def parse_config(content: Mapping[str, Any], *, where: str, text: str = "") -> Config:
    """Check the content of a TOML file, or of a stored configuration, and return it as a record.

    Args:
        where: the file, for messages; paths in the configuration are relative to its folder.
        text: the TOML text, for the lines of faults; '' where the content has none.

    Raises:
        ConfigError: keys or values are unknown, missing or not accepted; all of them are listed.
    """
    try:
        config = Config.model_validate(content)
    except ValidationError as error:
        raise ConfigError(format_validation_error(error, where, text)) from None
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
    """Read the text of a configuration file, or of a shipped example."""
    return _read_source(source)[0]


def from_environment(value: str | None) -> str | None:
    """Resolve `env:NAME` or `env:NAME|default`; return other values as they are.

    The result is None where neither the variable nor a default is set.
    """
    if value is None or not value.startswith("env:"):
        return value
    name, _, default = value.removeprefix("env:").partition("|")
    return os.environ.get(name) or REDIRECTS.get(name) or default or None


def read_key(reference: str | None) -> str | None:
    """Resolve the reference to a key like `from_environment`; what stands around it is left out."""
    key = from_environment(reference)
    return None if key is None else clean_key(key) or None


def _read_source(source: str | Path) -> tuple[str, str]:
    """Return a configuration's text, and its file or example name for messages."""
    shipped = shipped_configs()
    advice = "`arena init` writes a file to start from."
    if name := find_example(source, shipped, advice=advice):
        return shipped[name], name
    return read_text(Path(source)), str(Path(source))


def read_text(path: Path, encoding: str | None = None) -> str:
    """Read a user's text file, in UTF-8 or in what its byte order mark says.

    Args:
        encoding: for text without a mark; '' for UTF-8, None where the user cannot name another.

    Raises:
        ConfigError: it cannot be read, or there is no such encoding.
    """
    check_encoding(encoding or "utf-8")
    try:
        return decode_text(read_file(path), encoding or "utf-8")
    except UnicodeDecodeError as error:
        problem = format_unreadable(path, error)
        if encoding:
            problem = f"{path}: cannot be read: it is not {encoding} text."
        elif encoding is not None:
            problem = f"{problem[:-1]}, or name what it is in: --encoding cp1252."
        raise ConfigError(problem) from None
    except OSError as error:
        raise ConfigError(format_unreadable(path, error)) from None


def check_encoding(name: str) -> None:
    """Check that a name is that of an encoding of text.

    Raises:
        ConfigError: it is not.
    """
    try:
        "".encode(name)
    except (LookupError, UnicodeError, ValueError):
        raise ConfigError(
            f"--encoding {name}: no such encoding. Accepted: Python's names, for example cp1252 "
            "(Western European, as Excel writes it), gb18030 (Chinese) or utf-16."
        ) from None


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


def format_validation_error(error: ValidationError, where: str, text: str = "") -> str:
    """Format the faults of a configuration, one per line if there are several.

    Args:
        text: the TOML text, for the lines of faults; '' where there is none.
    """
    faults = [
        (_format_line(text, fault["loc"]), _format_fault(dict(fault)))
        for fault in error.errors(include_url=False)
    ]
    if len(faults) == 1:
        ((line, fault),) = faults
        return f"{where}{line and f', {line}'}: {fault}"
    listed = [f"{line and f'{line}: '}{fault}" for line, fault in faults]
    return "\n  - ".join([f"{where}:", *listed])


def _format_fault(error: Mapping[str, Any]) -> str:
    place = "".join(
        f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error["loc"]
    )
    place = place.lstrip(".") or "the file"
    if error["type"] == "value_error" and not error["loc"]:
        return f"{format_problem(error)}."  # the message names the place itself
    if error["type"] == "extra_forbidden":
        parent = place.rpartition(".")[0]
        keys = _accepted_keys(error["loc"][:-1])
        accepted, near = ", ".join(keys) or "no keys", suggest(str(error["loc"][-1]), keys)
        return f"{place}: unknown key. Accepted in {parent or 'the file'}: {accepted}.{near}"
    if error["type"] == "missing":
        return f"{place}: missing.{_REMEDIES.get(place, '')}"
    value = error.get("input")
    # A value under `models` may be a secret key that was put in the wrong place.
    may_be_secret = error["type"] != "literal_error" and (
        error["loc"][:1] == ("models",) or error["loc"][-1:] == ("api_key",)
    )
    tables = any(isinstance(item, dict) for item in (value if isinstance(value, list) else [value]))
    is_number = isinstance(value, bool | int | float)
    quoted = "" if (may_be_secret and not is_number) or tables else f" Given: {value!r}."
    problem = format_problem(error)
    if error["type"] in _NO_TABLE:
        inner = ", ".join(_accepted_keys(error["loc"]))
        problem = f"a table is expected{f', with keys among {inner}' if inner else ''}"
        key = error["loc"][-1]
        remedy = "" if isinstance(key, int) else f" Write it as {key} = {{ key = value, ... }}."
        return f"{place}: {problem}.{quoted}{remedy}"
    near = ""
    if error["type"] == "literal_error":
        near = suggest(str(value), re.findall("'([^']*)'", error["ctx"]["expected"]))
    return f"{place}: {problem}.{quoted}{near}{_REMEDIES.get(place, '')}"


def format_problem(error: Mapping[str, Any]) -> str:
    """Format what is wrong with a value, without its place and without a full stop."""
    if error["type"] == "too_short":
        bounds = error["ctx"]
        return f"at least {bounds['min_length']} required, {bounds['actual_length']} given"
    if error["type"] == "missing":
        return "missing"
    if error["type"] == "list_type":
        return "a list in square brackets is expected"
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(error["ctx"]["pattern"], str(error["msg"]))
    return str(error["msg"]).removeprefix("Value error, ")


def _accepted_keys(place: tuple[Any, ...]) -> list[str]:
    """Return the keys that the section at a place of the file takes."""
    section: Any = Config
    for part in place:
        if isinstance(part, int):
            continue
        if section is Config and part == "models":
            section = {"models": ModelSection}
            continue
        if isinstance(section, dict):
            section = section["models"]
            continue
        section = _section_class(section.model_fields[part].annotation)
    return list(getattr(section, "model_fields", {}))


def _section_class(annotation: Any) -> Any:  # noqa: ANN401 - a type expression
    """Return the class within a type such as `list[Section]` or `Section | None`."""
    if isinstance(annotation, type):
        return annotation
    arguments = [
        argument for argument in getattr(annotation, "__args__", ()) if argument is not type(None)
    ]
    return _section_class(arguments[0]) if arguments else annotation


def find_example(source: str | Path, examples: Collection[str], *, advice: str = "") -> str:
    """Return the name of the shipped example that is meant, or '' if a file is meant.

    A file takes precedence over an example of the same name, and an example over a folder.

    Raises:
        ConfigError: it is a folder, or a bare name and neither a file nor an example.
    """
    path, name = Path(source), str(source)
    folders = {example.partition("/")[0] for example in examples if "/" in example}
    bare = not path.suffix and (path.name == name or name.partition("/")[0] in folders)
    if path.is_file():
        return ""
    if bare and name in examples:
        return name
    if path.is_dir():
        raise ConfigError(f"{source}: is a directory. Name a file in it.")
    if bare:
        known = ", ".join(sorted(examples))
        raise ConfigError(
            f"{source}: no such file, and no such example. Examples: {known}. {advice}".rstrip()
        )
    return ""
