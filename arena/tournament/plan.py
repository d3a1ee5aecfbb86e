"""The plan of a tournament: its stored and its new debates, and the work that is still open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pandas as pd

from arena.config.panels import check_panels
from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.plugins import judge_models, participant_models
from arena.records import Debate, digest
from arena.scheduling.dealing import Field, deal, missing_legs
from arena.scheduling.meetings import Asked, meetings
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.motions import check_unchanged
from arena.store.rows import debate_rows, motion_rows, participant_rows
from arena.store.seals import seal_rows
from arena.tournament.continuation import check_continues
from arena.tournament.forecast import Price
from arena.tournament.open_work import ENDED, OpenWork, StoredDebates, open_work, read_stored
from arena.tournament.waves import NextWave, next_wave


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as it will be stored, and its open work.

    Attributes:
        debates: all debates of its participants.
        added: the debates that are not stored yet.
        open: all unfinished work, that on added debates included, in playing order.
        finished: the number of debates that are played and judged.
        asked: the schedule and the target.
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
            debating = {person.participant_id for person in self.resolved.participants}
            judging = {bench.name for bench in self.resolved.benches}
        models: set[str] = set()
        for participant in self.resolved.participants:
            if participant.participant_id in debating:
                models.update(participant_models(participant))
        for bench in self.resolved.benches:
            if bench.name in judging:
                models |= {bench.model, *judge_models(bench.judge, bench.options)}
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
            digest(debate.debate_id, bench.name, run)
            for debate in self.debates
            for bench in self.resolved.benches
            for run in range(bench.runs)
        }
        return ballots | {debate.debate_id for debate in self.debates}

    @property
    def open_units(self) -> set[str]:
        """The ids of the units that are not done."""
        ballots = {
            digest(work.debate.debate_id, call.bench.name, call.run)
            for work in self.open
            for call in work.ballots
        }
        return ballots | {work.debate.debate_id for work in self.open if work.play}


def make_plan(resolved: ResolvedConfig, store: Store, *, asked: Asked | None = None) -> Plan:
    """Plan a tournament: extend its stored debates to what its configuration asks for.

    Where the schedule goes in waves, this is what is stored; `add_wave` plans the next one.

    Args:
        resolved: the tournament.
        store: where it is, or will be.
        asked: the schedule and the target in place of the configuration's.

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
    added = _playable(resolved, missing_legs(known.debates))
    if not asked.in_waves:
        added += _deal(resolved, [*known.debates, *added])
    return _plan(resolved, asked, known, added)


def add_wave(plan: Plan, store: Store, *, price: Price) -> Plan:
    """Add the next wave to the plan of a tournament that is played in waves.

    Args:
        plan: as `make_plan` returns it. What is open in it plays no part in the wave.
        store: where the tournament is, or will be.
        price: looks up a model's list price.

    Returns:
        The plan with the debates of the next wave; without any where the target is reached or the
        schedule is at its end.
    """
    resolved = plan.resolved
    known = read_stored(resolved, store)
    wave = next_wave(resolved, store, known.debates, known.statuses, price=price, asked=plan.asked)
    return replace(_plan(resolved, plan.asked, known, wave.debates), wave=wave)


def _plan(
    resolved: ResolvedConfig, asked: Asked, known: StoredDebates, added: Sequence[Debate]
) -> Plan:
    debates = _playable(resolved, [*known.debates, *added])
    check_panels(resolved, ((debate.pro, debate.con) for debate in debates))
    work = open_work(resolved, debates, known)
    played = sum(known.statuses.get(debate.debate_id) in ENDED for debate in debates)
    to_judge = sum(not debate_work.play for debate_work in work)
    return Plan(
        resolved=resolved,
        debates=tuple(debates),
        added=tuple(added),
        open=tuple(work),
        finished=played - to_judge,
        asked=asked,
    )


def _deal(resolved: ResolvedConfig, stored: Sequence[Debate]) -> list[Debate]:
    """Deal the debates that are not stored yet."""
    if resolved.config.tournament.ranks is not None:
        return []
    field = Field(
        tournament=resolved.name,
        seed=resolved.config.tournament.seed,
        participants=[participant.participant_id for participant in resolved.participants],
        motions=resolved.motions,
        languages=resolved.config.tournament.languages,
    )
    return deal(field, meetings(resolved), stored=stored)


def _playable(resolved: ResolvedConfig, debates: Iterable[Debate]) -> list[Debate]:
    """Return the debates whose participants and motions are in the tournament."""
    present = {participant.participant_id for participant in resolved.participants}
    known = {(motion.motion_id, code) for motion in resolved.motions for code in motion.wordings}
    return [
        debate
        for debate in debates
        if {debate.pro, debate.con} <= present and (debate.motion_id, debate.language) in known
    ]


def store_plan(plan: Plan, store: Store) -> None:
    """Store the configuration and the added debates in one transaction, before any is played.

    Raises:
        StoreError: the database cannot be written.
    """
    resolved = plan.resolved

    def batch(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        insert(connection, "tournaments", [_tournament_row(resolved)])
        connection.execute(
            "UPDATE tournaments SET config = $config, config_hash = $hash "
            "WHERE tournament = $tournament AND config_hash <> $hash",
            {
                "config": json.dumps(resolved.config.model_dump(mode="json"), ensure_ascii=False),
                "hash": resolved.config_hash,
                "tournament": resolved.name,
            },
        )
        languages = resolved.config.tournament.languages
        insert(connection, "motions", motion_rows(resolved.motions, languages))
        seal_rows(connection, "motions")
        insert(connection, "participants", participant_rows(resolved.participants, resolved.name))
        insert(connection, "debates", debate_rows(plan.added))
        if plan.wave is not None and plan.added:
            insert(connection, "waves", [plan.wave.row(resolved)])
            seal_rows(connection, "waves")

    store.write(batch)


def _tournament_row(resolved: ResolvedConfig) -> dict[str, Any]:
    return {
        "tournament": resolved.name,
        "config": resolved.config.model_dump(mode="json"),
        "config_hash": resolved.config_hash,
        "seed": resolved.config.tournament.seed,
        "schema_version": SCHEMA_VERSION,
        "code_version": version("debate-arena"),
        "created_at": pd.Timestamp(datetime.now(UTC)),
    }
