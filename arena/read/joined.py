"""Several stored tournaments as one, so that one board counts the debates of all of them.

A participant that they share, by name and system, is one; so is a bench. What cannot be joined is
refused or left out, and said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

from arena.config.resolved import ResolvedConfig
from arena.config.stored import resolve_stored, stored_config
from arena.errors import ConfigError
from arena.records import Bench, Participant
from arena.store.database import Store
from arena.store.joined import JoinedStore

#: What stands between the names of tournaments that are read as one.
AND: Final = " + "
_CONFIGS: Final = """
    SELECT tournament, config FROM tournaments
    WHERE list_contains(CAST($names AS TEXT[]), tournament) ORDER BY created_at, tournament
"""


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
    asked = list(dict.fromkeys(part for name in names for part in _split(store, name)))
    if len(asked) < 2:
        return store, stored_config(store, asked[0] if asked else None)
    for name in asked:
        stored_config(store, name)  # says which tournaments there are
    parts = [
        _Part(content=content, resolved=resolve_stored(store, row["tournament"], content))
        for row in store.plain_rows(_CONFIGS, {"names": asked})
        for content in [json.loads(row["config"])]
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


def _split(store: Store, name: str) -> list[str]:
    """Return the names that a name joins; itself where a tournament has it."""
    if AND not in name or store.plain_rows(_CONFIGS, {"names": [name]}):
        return [name]
    return name.split(AND)


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
    first, *others = parts
    common, notes = [], []
    for bench in first.resolved.benches:
        missing = [part.name for part in others if bench.name not in _benches(part)]
        found = [(part, _benches(part)[bench.name]) for part in others if part.name not in missing]
        differing = [(part.name, list(_differences(bench, other))) for part, other in found]
        if missing:
            notes.append(f"bench {bench.name} is left out: {', '.join(missing)} does not have it")
        elif told := [f"{name}: {'; '.join(each)}" for name, each in differing if each]:
            notes.append(f"bench {bench.name} is left out: it differs in {'; '.join(told)}")
        else:
            common.append(bench.name)
    known = {bench.name for bench in first.resolved.benches}
    for part in others:
        own = [name for name in _benches(part) if name not in known]
        notes += [f"bench {name} is left out: only {part.name} has it" for name in own]
        known.update(own)
    if not common:
        raise ConfigError(
            f"{' and '.join(repr(part.name) for part in parts)} have no bench in common, so no "
            f"board can count both: {'; '.join(notes)}. Give one tournament the bench of the "
            "other: `arena rejudge`."
        )
    return common, notes


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
