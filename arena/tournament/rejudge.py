"""Judging a stored tournament again by another bench, without playing anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.config.load import parse_config
from arena.config.resolve import ResolvedConfig, resolve
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.text import counted
from arena.tournament.open_work import OpenWork
from arena.tournament.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBench:
    """A bench as the command line describes it.

    Attributes:
        name: '' for the judge's name, followed by the model's if another bench has that name.
        runs: the number of ballots per debate; None for the default.
        family: the family of its models; '' to tell it from their names.
        swap: whether it judges each pair of answers in both orders.
    """

    judge: str
    model: str = ""
    name: str = ""
    runs: int | None = None
    family: str = ""
    swap: bool = False
    options: Mapping[str, Any]


def add_bench(resolved: ResolvedConfig, new: NewBench) -> tuple[ResolvedConfig, Bench]:
    """Add a bench to a stored tournament, unless it has the same bench already.

    Returns:
        The tournament with the bench, and the bench.

    Raises:
        ConfigError: the judge, the model or an option is unknown, another bench has this name, or
            the tournament was imported and has no speeches to judge.
    """
    resolved.require_speeches()
    judge_class(new.judge, where="--judge")
    for name in _possible_names(new):
        section = _section(new, name)
        extended, bench = _extended(resolved, section)
        stored = next((known for known in resolved.benches if known.name == name), bench)
        if stored is bench:
            return extended, bench
        if _is_same(stored, bench, named_family=new.family):
            return resolved, stored
    raise ConfigError(
        f"--name: tournament {resolved.name!r} has another bench {name!r} ({stored.judge} on "
        f"{stored.model or 'no model'}, {counted(stored.runs, 'run')}"
        f"{_format_further(stored, named_family=new.family)}). "
        "Choose another name."
    )


def ballots_only(plan: Plan, bench: Bench) -> Plan:
    """Reduce a plan to the ballots of one bench on debates that are played."""
    kept = (
        OpenWork(
            debate=work.debate,
            play=False,
            ballots=tuple(call for call in work.ballots if call.bench.name == bench.name),
        )
        for work in plan.open
        if not work.play
    )
    return replace(plan, added=(), open=tuple(work for work in kept if work.ballots))


def _section(new: NewBench, name: str) -> dict[str, Any]:
    """Return the table of a configuration file that describes a bench."""
    optional = {
        "model": new.model,
        "runs": new.runs,
        "family": new.family,
        "swap": new.swap,
        "options": dict(new.options),
    }
    present = {key: value for key, value in optional.items() if value}
    return {"name": name, "judge": new.judge, **present}


def _is_same(stored: Bench, bench: Bench, *, named_family: str) -> bool:
    """Return whether a bench is the stored one; the families count only if one is named."""
    if named_family and stored.family != bench.family:
        return False
    return (stored.specification, stored.runs) == (bench.specification, bench.runs)


def _format_further(bench: Bench, *, named_family: str) -> str:
    orders = ", both orders" * bench.swap
    return f"{orders}, family {bench.family!r}" if named_family else orders


def _possible_names(new: NewBench) -> list[str]:
    if new.name:
        return [new.name]
    return [new.judge, f"{new.judge}-{new.model.rpartition('/')[2]}"]


def _extended(resolved: ResolvedConfig, section: Mapping[str, Any]) -> tuple[ResolvedConfig, Bench]:
    content = resolved.config.model_dump(mode="json", exclude_none=True)
    content["benches"] = [*content["benches"], section]
    names = [bench.name for bench in resolved.benches]
    if section["name"] in names:  # the new one is only compared with the stored one
        content["benches"] = [section]
    where = f"bench {section['name']!r}"
    extended = resolve(parse_config(content, where=where), where=where, motions=resolved.motions)
    return extended, extended.benches[-1]
