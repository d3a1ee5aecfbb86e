"""The plan of a tournament: its stored and its new debates, and the work that is still open."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from arena.config.resolved import ResolvedConfig, bench_models, check_panels
from arena.config.stored import resolve_stored
from arena.errors import ConfigError
from arena.plugins import judge_class, participant_models
from arena.records import ENDED, Bench, Debate, ballot_id
from arena.scheduling.asked import Asked
from arena.scheduling.dealing import deal, missing_legs
from arena.scheduling.meetings import field_of, meetings
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.lookups import (
    read_ballot_states,
    read_kept_configs,
    read_statuses,
    read_stored_configs,
)
from arena.store.motions import check_unchanged
from arena.store.rows import debate_rows, motion_rows, participant_rows, write_tournament
from arena.store.seals import seal_rows
from arena.text import counted
from arena.tournament.open_work import OpenWork, StoredDebates, open_work, read_stored

if TYPE_CHECKING:
    from arena.config.sections import Config
    from arena.tournament.forecast import Price
    from arena.tournament.wave_planning import NextWave


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlan:
    """A tournament as it will be stored, and its open work.

    Attributes:
        debates: all debates of its participants.
        added: the debates that are not stored yet.
        open: all unfinished work, that on added debates included, in playing order.
        finished: the number of debates that are played and judged.
        wave: the wave that the added debates are, or the last one, which has none; `None` where the
            schedule is known as a whole or older waves are still open.
        put_off: number of failed ballots that are asked for again only where no wave follows.
    """

    resolved: ResolvedConfig
    debates: tuple[Debate, ...]
    added: tuple[Debate, ...]
    open: tuple[OpenWork, ...]
    finished: int
    asked: Asked
    wave: NextWave | None = None
    put_off: int = 0

    @property
    def models(self) -> set[str]:
        """The models that its open work calls, and what may follow from it."""
        debating = {
            participant_id
            for work in self.open
            if work.play
            for participant_id in (work.debate.pro, work.debate.con)
        }
        judging = {call.bench.name for work in self.open for call in work.ballots}
        if self.asked.in_waves and self.open:  # later waves may need all of them
            debating = set(self.resolved.names)
            judging = {bench.name for bench in self.resolved.benches}
        models: set[str] = set()
        for participant in self.resolved.participants:
            if participant.participant_id in debating:
                models.update(participant_models(participant))
        for bench in self.resolved.benches:
            if bench.name in judging:
                models.update(bench_models(bench))
        return models - {""}

    @property
    def erred(self) -> tuple[int, int]:
        """The numbers of open debates and ballots that ended in an error of somebody's code."""
        ballots = sum(call.erred for work in self.open for call in work.ballots)
        return sum(work.erred for work in self.open), ballots

    @property
    def units(self) -> set[str]:
        """The ids of all its units of work: debates and ballots."""
        ballots = {
            ballot_id(debate.debate_id, bench.name, run)
            for debate in self.debates
            for bench in self.resolved.benches
            for run in range(bench.runs)
        }
        return ballots | {debate.debate_id for debate in self.debates}

    @property
    def open_units(self) -> set[str]:
        """The ids of the units that are not done."""
        ballots = {
            ballot_id(work.debate.debate_id, call.bench.name, call.run)
            for work in self.open
            for call in work.ballots
        }
        return ballots | {work.debate.debate_id for work in self.open if work.play}


def make_plan(
    resolved: ResolvedConfig, store: Store, *, asked: Asked | None = None
) -> TournamentPlan:
    """Plan a tournament: extend its stored debates to what its configuration asks for.

    Where the schedule goes in waves, this is what is stored; `add_wave` plans the next one.

    Raises:
        ConfigError: the tournament was imported, it does not continue the one that is stored under
            its name, a stored motion differs, or a bench cannot judge participants who meet.
        StoreError: the database was not made by this program.
    """
    if resolved.imported:
        raise ConfigError(
            f"{resolved.name!r} was imported, so there is nothing to play in it. Name another "
            "tournament; `arena list` shows them."
        )
    store.check()
    if not store.empty():
        check_continues(resolved, store)
        check_unchanged(resolved.motions, store)
    asked = asked or Asked.of(resolved)
    known = read_stored(resolved, store)
    if resolved.config.tournament.ranks is not None:  # it holds essays in pairs of one leg
        return _plan(resolved, asked, known, ())
    added = _playable(resolved, missing_legs(known.debates))
    if not asked.in_waves:
        added += deal(field_of(resolved), meetings(resolved), stored=[*known.debates, *added])
    return _plan(resolved, asked, known, added)


def add_wave(plan: TournamentPlan, store: Store, *, price: Price) -> TournamentPlan:
    """Add the next wave to the plan of a tournament that is played in waves.

    Args:
        plan: as `make_plan` returns it. What is open in it plays no part in the wave.

    Returns:
        The plan with the debates of the next wave; without any where the target is reached or the
        schedule is at its end.
    """
    # Schedules and ratings, which a plan that is known as a whole does without.
    from arena.tournament.wave_planning import next_wave  # noqa: PLC0415

    resolved = plan.resolved
    known = read_stored(resolved, store)
    wave = next_wave(resolved, store, known.debates, known.statuses, price=price, asked=plan.asked)
    return replace(_plan(resolved, plan.asked, known, wave.debates), wave=wave)


def _plan(
    resolved: ResolvedConfig, asked: Asked, known: StoredDebates, added: Sequence[Debate]
) -> TournamentPlan:
    debates = _playable(resolved, [*known.debates, *added])
    check_panels(resolved, ((debate.pro, debate.con) for debate in debates))
    work = open_work(resolved, debates, known)
    played = sum(known.statuses.get(debate.debate_id) in ENDED for debate in debates)
    to_judge = sum(not debate_work.play for debate_work in work)
    return TournamentPlan(
        resolved=resolved,
        debates=tuple(debates),
        added=tuple(added),
        open=tuple(work),
        finished=played - to_judge,
        asked=asked,
    )


def _playable(resolved: ResolvedConfig, debates: Iterable[Debate]) -> list[Debate]:
    """Return the debates whose participants and motions are in the tournament."""
    present = resolved.names.keys()
    known = {(motion.motion_id, code) for motion in resolved.motions for code in motion.wordings}
    return [
        debate
        for debate in debates
        if {debate.pro, debate.con} <= present and (debate.motion_id, debate.language) in known
    ]


def store_plan(plan: TournamentPlan, store: Store) -> None:
    """Store the configuration and the added debates in one transaction, before any is played."""
    resolved = plan.resolved
    row = {
        "tournament": resolved.name,
        "config": resolved.config.model_dump(mode="json"),
        "config_hash": resolved.config_hash,
        "seed": resolved.config.tournament.seed,
        "schema_version": SCHEMA_VERSION,
        "code_version": version("debate-arena"),
        "created_at": pd.Timestamp(datetime.now(UTC)),
    }

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        write_tournament(connection, row)
        languages = resolved.config.tournament.languages
        insert(connection, "motions", motion_rows(resolved.motions, languages))
        seal_rows(connection, "motions")
        insert(connection, "participants", participant_rows(resolved.participants, resolved.name))
        insert(connection, "debates", debate_rows(plan.added))
        if plan.wave is not None and plan.added:
            insert(connection, "waves", [plan.wave.row(resolved)])
            seal_rows(connection, "waves")

    store.write(batch)


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
    stored = next(iter(read_stored_configs(store, resolved.name)), None)
    if stored is None or stored.config_hash == resolved.config_hash:
        return
    content = json.loads(stored.config)
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
            _Change("tournament.seed", stored.seed, section.seed),
            _Change("tournament.contest", contest, section.contest),
        ],
        held=f"{store.path} holds a tournament {resolved.name!r}",
        instead="give the new tournament another name (or another --db)",
    )
    statuses = read_statuses(store, resolved.name).values()
    if ended := sum(status in ENDED for status in statuses):
        _refuse(
            _conditions(content, resolved.config),
            held=f"{store.path} holds {counted(ended, 'debate')} of {resolved.name!r}, held",
            instead=(
                "give the new tournament another name (or another --db): debates under different "
                "conditions do not belong in one board"
            ),
        )
    ballots = read_ballot_states(store, resolved.name).items()
    judged = Counter(bench for (_, bench, _), (status, _) in ballots if status == "valid")
    for bench, number in judged.items():
        _check_bench(resolved, store, content, bench, ballots=number)


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
    earlier = map(json.loads, read_kept_configs(store, resolved.name))
    for config in (content, *earlier):
        if any(section["name"] == name for section in config.get("benches", ())):
            return resolve_stored(store, resolved.name, config).bench(name)
    return None


def _conditions(content: Mapping[str, Any], config: Config) -> Iterator[_Change]:
    """Yield the conditions that debates are held under, as they are stored and as they are now.

    A folder that debaters search is known by its name, so that it can be moved.
    """
    search = content["search"]
    yield _Change("limits.words", content["limits"]["words"], config.limits.words)
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
