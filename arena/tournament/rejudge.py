"""Judging a stored tournament again: another bench, and nothing played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.config.load import parse_config
from arena.config.resolve import ResolvedConfig, resolve
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.tournament.plan import OpenWork, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBench:
    """A bench as the command line names it.

    Attributes:
        name: '' for the judge's own, with the model where that is taken.
        runs: `None` for the default.
        family: of its models; '' for what their names tell.
        swap: whether it judges each pair of answers in both orders.
    """

    judge: str
    model: str = ""
    name: str = ""
    runs: int | None = None
    family: str = ""
    swap: bool = False
    options: Mapping[str, Any]


def with_bench(resolved: ResolvedConfig, new: NewBench) -> tuple[ResolvedConfig, Bench]:
    """A stored tournament with one more bench, or with the one that it has already.

    Raises:
        ConfigError: an unknown judge, model or option, another bench has this name, or what was
            said is not known.
    """
    resolved.require_speeches()
    judge_class(new.judge, where="--judge")
    for name in _names(resolved, new):
        section = _section(new, name)
        extended, bench = _extended(resolved, section)
        stored = next((one for one in resolved.benches if one.name == name), bench)
        if stored is bench:
            return extended, bench
        if _same(stored, bench, written=new.family):
            return resolved, stored
    raise ConfigError(
        f"--name: tournament {resolved.name!r} has another bench {name!r} ({stored.judge} on "
        f"{stored.model or 'no model'}, {stored.runs} runs{_further(stored, family=new.family)}). "
        "Choose another name."
    )


def ballots_only(plan: Plan, bench: Bench) -> Plan:
    """A plan without anything but the ballots of one bench on what is played."""
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
    """What a file would say of it."""
    said = {
        "model": new.model,
        "runs": new.runs,
        "family": new.family,
        "swap": new.swap,
        "options": dict(new.options),
    }
    return {"name": name, "judge": new.judge, **{key: one for key, one in said.items() if one}}


def _same(stored: Bench, bench: Bench, *, written: str) -> bool:
    """Whether a command names a stored bench; of its family it need not speak again."""
    if written and stored.family != bench.family:
        return False
    return (stored.specification, stored.runs) == (bench.specification, bench.runs)


def _further(bench: Bench, *, family: str) -> str:
    orders = ", both orders" * bench.swap
    return f"{orders}, family {bench.family!r}" if family else orders


def _names(resolved: ResolvedConfig, new: NewBench) -> list[str]:
    if new.name:
        return [new.name]
    return [new.judge, f"{new.judge}-{new.model.rpartition('/')[2]}"]


def _extended(resolved: ResolvedConfig, section: Mapping[str, Any]) -> tuple[ResolvedConfig, Bench]:
    content = resolved.config.model_dump(mode="json", exclude_none=True)
    content["benches"] = [*content["benches"], section]
    names = [one.name for one in resolved.benches]
    if section["name"] in names:  # compared with the stored one, and not added
        content["benches"] = [section]
    config = parse_config(content, where=f"bench {section['name']!r}")
    found = resolve(config, where=f"bench {section['name']!r}", motions=resolved.motions)
    return found, found.benches[-1]
