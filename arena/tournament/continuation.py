"""What must stay as it is when a stored tournament is continued with a changed configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.config.resolve import ResolvedConfig
from arena.config.stored import resolve_stored
from arena.errors import ConfigError
from arena.plugins import judge_class
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted

_STORED: Final = "SELECT seed, config, config_hash FROM tournaments WHERE tournament = $name"
#: The configurations that a tournament has had when its boards were kept, the newest first.
_EARLIER: Final = """
    SELECT config FROM boards WHERE tournament = $name
    GROUP BY config ORDER BY max(created_at) DESC
"""
_ENDED: Final = """
    SELECT count(*) AS debates FROM debates
    WHERE tournament = $name AND status IN ('finished', 'forfeit')
"""
_JUDGED: Final = """
    SELECT bench, count(*) AS ballots FROM ballots b JOIN debates USING (debate_id)
    WHERE tournament = $name AND b.status = 'valid' GROUP BY bench
"""


class _Change(NamedTuple):
    """A value that must not change: its place in the file, what it was and what it is to be."""

    key: str
    old: Any
    new: Any


def check_continues(resolved: ResolvedConfig, store: Store) -> None:
    """Check that a configuration continues the tournament that is stored under its name, if any.

    Its results stand in one board, so they must be of one kind: the seed and the contest never
    change, what debates are held under does not once one has ended, and who judges on a bench does
    not once it has given a verdict.

    Raises:
        ConfigError: it would change one of them, or another kind of tournament has the name.
    """
    named = {"name": resolved.name}
    rows = store.rows(_STORED, named)
    if not rows or rows[0]["config_hash"] == resolved.config_hash:
        return
    content = json.loads(rows[0]["config"])
    if "source" in content:
        raise ConfigError(
            f"tournament.name: {store.path} holds imported battles under the name "
            f"{resolved.name!r}. "
            "Give the tournament another name (or another --db)."
        )
    section = resolved.config.tournament
    contest = content["tournament"]["contest"]
    _refuse(
        [
            _Change("tournament.seed", int(rows[0]["seed"]), section.seed),
            _Change("tournament.contest", contest, section.contest),
        ],
        held=f"{store.path} holds a tournament {resolved.name!r}",
        instead="give the new tournament another name (or another --db)",
    )
    if ended := int(store.rows(_ENDED, named)[0]["debates"]):
        _refuse(
            _conditions(content, resolved),
            held=f"{store.path} holds {counted(ended, 'debate')} of {resolved.name!r}, held",
            instead=(
                "give the new tournament another name (or another --db): debates under different "
                "conditions do not belong in one board"
            ),
        )
    for row in store.rows(_JUDGED, named):
        _check_bench(resolved, store, content, row["bench"], ballots=int(row["ballots"]))


def _check_bench(
    resolved: ResolvedConfig, store: Store, content: Mapping[str, Any], name: str, *, ballots: int
) -> None:
    """Check that a bench which has given verdicts still judges in the same way."""
    bench = next((bench for bench in resolved.benches if bench.name == name), None)
    earlier = bench and _earlier_bench(resolved, store, content, name)
    if bench is None or earlier is None or bench.specification == earlier.specification:
        return
    by_people = judge_class(bench.judge).by_people and judge_class(earlier.judge).by_people
    if by_people:  # who votes is the same; what is asked of them may change
        return
    _refuse(
        _differences(earlier, bench),
        held=f"{store.path} holds {counted(ballots, 'ballot')} of bench {name!r}, given",
        instead=(
            "give the new bench another name, beside this one or in its place: verdicts of two "
            "judges do not belong under one name"
        ),
    )


def _differences(earlier: Bench, bench: Bench) -> Iterator[_Change]:
    """Yield what decides a bench's verdicts: all that is in `Bench.specification`."""
    for name in ("judge", "model", "swap"):
        yield _Change(f"benches.{bench.name}.{name}", getattr(earlier, name), getattr(bench, name))
    for table, old, new in (
        ("options", earlier.options, bench.options),
        ("sampling", earlier.sampling.fields(), bench.sampling.fields()),
    ):
        for key in sorted({*old, *new}):
            yield _Change(f"benches.{bench.name}.{table}.{key}", old.get(key), new.get(key))


def _earlier_bench(
    resolved: ResolvedConfig, store: Store, content: Mapping[str, Any], name: str
) -> Bench | None:
    """Return a bench as it was last stored; None where no stored configuration has it."""
    earlier = (json.loads(row["config"]) for row in store.rows(_EARLIER, {"name": resolved.name}))
    for config in (content, *earlier):
        if any(section["name"] == name for section in config.get("benches", ())):
            stored = resolve_stored(store, resolved.name, config)
            return next(bench for bench in stored.benches if bench.name == name)
    return None


def _conditions(content: Mapping[str, Any], resolved: ResolvedConfig) -> Iterator[_Change]:
    """Yield the conditions that debates are held under, as they are stored and as they are now.

    A folder that debaters search is known by its name, so that it can be moved.
    """
    config = resolved.config
    yield _Change("limits.words", content["limits"]["words"], config.limits.words)
    search = content["search"]
    yield _Change("search.kind", search["kind"], config.search.kind)
    folders = (Path(path).name if path else None for path in (search["path"], config.search.path))
    yield _Change("search.path", *folders)


def _refuse(changes: Iterable[_Change], *, held: str, instead: str) -> None:
    """Raise at the first value that is not what it was."""
    for key, old, new in changes:
        if old != new:
            raise ConfigError(
                f"{key}: {held} with {key.rpartition('.')[2]} {old!r}; this configuration has "
                f"{new!r}. Use {old!r} to continue it, or {instead}."
            )
