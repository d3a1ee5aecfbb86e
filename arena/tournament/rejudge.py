"""Judging a stored tournament again by another bench, without playing anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.text import counted
from arena.tournament.open_work import OpenWork

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.records import Bench
    from arena.tournament.plan import TournamentPlan


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
    names = [new.name] if new.name else [new.judge, f"{new.judge}-{new.model.rpartition('/')[2]}"]
    for name in names:
        extended, bench = _extended(resolved, new, name)
        stored = next((known for known in resolved.benches if known.name == name), bench)
        if stored is bench:
            return extended, bench
        # The families count only if one is named.
        is_same_family = not new.family or stored.family == bench.family
        if is_same_family and (stored.specification, stored.runs) == (
            bench.specification,
            bench.runs,
        ):
            return resolved, stored
    further = ", both orders" * stored.swap
    further += f", family {stored.family!r}" if new.family else ""
    raise ConfigError(
        f"--name: tournament {resolved.name!r} has another bench {name!r} ({stored.judge} on "
        f"{stored.model or 'no model'}, {counted(stored.runs, 'run')}{further}). "
        "Choose another name."
    )


def ballots_only(plan: TournamentPlan, bench: Bench) -> TournamentPlan:
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


def _extended(resolved: ResolvedConfig, new: NewBench, name: str) -> tuple[ResolvedConfig, Bench]:
    optional = {
        "model": new.model,
        "runs": new.runs,
        "family": new.family,
        "swap": new.swap,
        "options": dict(new.options),
    }
    section = {"name": name, "judge": new.judge, **{k: v for k, v in optional.items() if v}}
    content = resolved.config.model_dump(mode="json", exclude_none=True)
    content["benches"] = [*content["benches"], section]
    if name in [bench.name for bench in resolved.benches]:  # only compared with the stored one
        content["benches"] = [section]
    where = f"bench {name!r}"
    extended = resolve(parse_config(content, where=where), where=where, motions=resolved.motions)
    return extended, extended.benches[-1]
