"""Several stored tournaments as one, so that one board counts the debates of all of them.

A participant that they share, by name and system, is one; so is a bench. What cannot be joined is
refused or left out, and said.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

from arena.config.resolved import ResolvedConfig
from arena.config.stored import resolve_stored, stored_config
from arena.errors import ConfigError
from arena.records import Bench, Participant
from arena.store.database import Store
from arena.store.joined import JoinedStore
from arena.store.rows import read_configs

#: What stands between the names of tournaments that are read as one.
AND: Final = " + "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A tournament that is joined, with its configuration as it is stored."""

    content: Mapping[str, Any]
    resolved: ResolvedConfig

    @property
    def name(self) -> str:
        return self.resolved.name


def open_tournaments(store: Store, names: Sequence[str]) -> tuple[Store, ResolvedConfig]:
    """Return a database with the configuration of a tournament, or of several as one.

    Args:
        names: of the tournaments; the newest if there are none. A name may be that of several, with
            " + " between their names.

    Raises:
        ConfigError: there is no such tournament, or they cannot be joined.
    """
    stored = read_configs(store)
    asked = list(dict.fromkeys(part for name in names for part in _split(name, stored)))
    if len(asked) < 2:
        return store, stored_config(store, asked[0] if asked else None)
    configs = {name: stored_config(store, name) for name in asked}
    parts = [
        _Part(content=json.loads(stored[name]), resolved=configs[name])
        for name in reversed(stored)  # the oldest first
        if name in configs
    ]
    _check_kinds(parts)
    _check_participants(parts)
    benches, notes = _common_benches(parts)
    name = AND.join(part.name for part in parts)
    content = _join_content(name, parts, benches)
    joined = JoinedStore(store, name, [part.name for part in parts], content)
    resolved = resolve_stored(joined, name, content)
    if not resolved.imported:  # of those, only names are known
        notes.extend(_same_systems(resolved.participants))
    return joined, replace(resolved, joined=tuple(part.name for part in parts), notes=tuple(notes))


def _split(name: str, stored: Collection[str]) -> list[str]:
    """Return the names that a name joins; itself where a tournament has it."""
    return [name] if name in stored else name.split(AND)


def _check_kinds(parts: Sequence[_Part]) -> None:
    """Check that tournaments hold the same kind of results."""
    for first, second in pairwise(parts):
        kinds = _kind(first.resolved), _kind(second.resolved)
        if kinds[0] != kinds[1]:
            raise ConfigError(
                f"{first.name!r} and {second.name!r} cannot share a board: one has {kinds[0]}, the "
                f"other {kinds[1]}. Join tournaments of one kind."
            )


def _kind(resolved: ResolvedConfig) -> str:
    if resolved.imported:
        return "imported battles" if resolved.is_battle_log else "imported debates"
    return f"results of the contest {resolved.config.tournament.contest!r}"


def _check_participants(parts: Sequence[_Part]) -> None:
    """Check that no name stands for two systems."""
    known: dict[str, tuple[Participant, str]] = {}
    for part in parts:
        for participant in part.resolved.participants:
            other, where = known.setdefault(participant.name, (participant, part.name))
            if other.specification != participant.specification:
                differences = "; ".join(_differences(other, participant))
                raise ConfigError(
                    f"{participant.name!r} is one system in {where!r} and another in "
                    f"{part.name!r} ({differences}), so they cannot share a row of a board. Play "
                    "one of them under another name, or read the tournaments one by one."
                )


def _differences(one: Participant | Bench, other: Participant | Bench) -> Iterator[str]:
    """Yield what differs, as `key value, value`; of options and sampling each by itself."""
    ours, theirs = _flat(one), _flat(other)
    for key in dict.fromkeys([*ours, *theirs]):
        if ours.get(key) != theirs.get(key):
            yield f"{key} {_format(ours.get(key))}, {_format(theirs.get(key))}"


def _flat(one: Participant | Bench) -> dict[str, Any]:
    fields = asdict(one)
    sampling = {key: value for key, value in fields.pop("sampling").items() if value is not None}
    return {**fields, **fields.pop("options"), **sampling}


def _format(value: object) -> str:
    return "unset" if value is None else json.dumps(value, ensure_ascii=False)


def _common_benches(parts: Sequence[_Part]) -> tuple[list[str], list[str]]:
    """Return the names of the benches that all tournaments have alike, and notes on the others.

    Raises:
        ConfigError: there is none.
    """
    names = dict.fromkeys(name for part in parts for name in _benches(part))
    reasons = {name: _why_left_out(name, parts) for name in names}
    notes = [f"bench {name} is left out: {why}" for name, why in reasons.items() if why]
    if len(notes) == len(names):
        raise ConfigError(
            f"{' and '.join(repr(part.name) for part in parts)} have no bench in common, so no "
            f"board can count both: {'; '.join(notes)}. Give one tournament the bench of the "
            "other: `arena rejudge`."
        )
    return [name for name, why in reasons.items() if not why], notes


def _why_left_out(name: str, parts: Sequence[_Part]) -> str:
    """Return why tournaments do not share a bench; '' where they do."""
    having = [part.name for part in parts if name in _benches(part)]
    if len(having) < len(parts):
        return f"only {' and '.join(having)} {'has' if len(having) == 1 else 'have'} it"
    first, *others = (_benches(part)[name] for part in parts)
    told = {
        part.name: "; ".join(_differences(first, other))
        for part, other in zip(parts[1:], others, strict=True)
    }
    return ", ".join(
        f"it differs between {parts[0].name} and {where} ({what})"
        for where, what in told.items()
        if what
    )


def _benches(part: _Part) -> dict[str, Bench]:
    return {bench.name: bench for bench in part.resolved.benches}


def _join_content(name: str, parts: Sequence[_Part], benches: Sequence[str]) -> dict[str, Any]:
    """Return the configuration of all tournaments together, as it would be stored."""
    first = parts[0].content
    tournament = {**first["tournament"], "name": name}
    for key in {"languages", "categories"} & tournament.keys():
        values = [value for part in parts for value in part.content["tournament"][key]]
        tournament[key] = list(dict.fromkeys(values))
    joined = {
        **first,
        "tournament": tournament,
        "benches": [bench for bench in first["benches"] if bench["name"] in benches],
    }
    if not parts[0].resolved.imported:
        sections = [section for part in parts for section in part.content["participants"]]
        joined["participants"] = list({each["name"]: each for each in sections}.values())
    return joined


def _same_systems(participants: Sequence[Participant]) -> Iterator[str]:
    """Yield a note for each system that stands on the board under several names."""
    names: dict[str, list[str]] = {}
    for participant in participants:
        names.setdefault(participant.specification, []).append(participant.name)
    for same in names.values():
        if len(same) > 1:
            yield f"{' and '.join(same)} are one system under several names, each with its own row"
