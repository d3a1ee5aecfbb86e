"""What a tournament has planned and stored, what is still open, and how it is extended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pandas as pd

from arena.config.panels import check_panels
from arena.config.resolve import ResolvedConfig
from arena.debates.ballot import BallotCall
from arena.errors import ConfigError
from arena.plugins import judge_class, judge_models, models_of
from arena.records import Debate, digest
from arena.scheduling.dealing import Field, deal
from arena.scheduling.meetings import meetings
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.motions import check_unchanged
from arena.store.rows import debate_rows, motion_rows, participant_rows, read_debates


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """A debate that is not done: to be played (`play`), judged, or both."""

    debate: Debate
    play: bool
    ballots: tuple[BallotCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as it will be stored, and the work that is open in it.

    Attributes:
        debates: all pairings of its participants.
        added: those that are not stored yet.
        open: all unfinished work, the added included, in playing order.
        finished: debates that are played and judged already.
    """

    resolved: ResolvedConfig
    debates: tuple[Debate, ...]
    added: tuple[Debate, ...]
    open: tuple[OpenWork, ...]
    finished: int

    @property
    def models(self) -> set[str]:
        """The models that its open work asks."""
        seats = {
            seat for work in self.open if work.play for seat in (work.debate.pro, work.debate.con)
        }
        named: set[str] = set()
        for one in self.resolved.participants:
            if one.participant_id in seats:
                named.update(models_of(one))
        asked = {call.bench.name for work in self.open for call in work.ballots}
        for bench in self.resolved.benches:
            if bench.name in asked:
                named |= {bench.model, *judge_models(bench.judge, bench.options)}
        return named - {""}

    @property
    def units(self) -> set[str]:
        """Ids of all its units of work: debates and ballots."""
        ballots = {
            digest(debate.debate_id, bench.name, run)
            for debate in self.debates
            for bench in self.resolved.benches
            for run in range(bench.runs)
        }
        return ballots | {debate.debate_id for debate in self.debates}

    @property
    def open_units(self) -> set[str]:
        """Ids of the units that are not done."""
        ballots = {
            digest(work.debate.debate_id, call.bench.name, call.run)
            for work in self.open
            for call in work.ballots
        }
        return ballots | {work.debate.debate_id for work in self.open if work.play}


def make_plan(resolved: ResolvedConfig, store: Store) -> Plan:
    """Pair the participants, on top of what is stored.

    Raises:
        ConfigError: another tournament is stored under this name, or a stored motion differs.
        StoreError: the database is not one of ours.
    """
    if resolved.imported:
        raise ConfigError(
            f"{resolved.name!r} was imported: there is nothing to play in it. "
            "Name another tournament; `arena list` shows them."
        )
    store.check()
    stored: list[Debate] = []
    statuses: dict[str, str] = {}
    if not store.empty():
        _same_tournament(resolved, store)
        check_unchanged(resolved.motions, store)
        stored = read_debates(store, resolved.name)
        statuses = _statuses(store, resolved.name)
    field = Field(
        tournament=resolved.name,
        seed=resolved.config.tournament.seed,
        participants=[one.participant_id for one in resolved.participants],
        motions=resolved.motions,
        languages=resolved.config.tournament.languages,
    )
    ranked = resolved.config.tournament.ranks is not None
    added = [] if ranked else deal(field, meetings(resolved), stored=stored)
    present = {one.participant_id for one in resolved.participants}
    known = {(one.motion_id, code) for one in resolved.motions for code in one.wordings}
    playable = [
        debate
        for debate in (*stored, *added)
        if {debate.pro, debate.con} <= present and (debate.motion_id, debate.language) in known
    ]
    check_panels(resolved, ((one.pro, one.con) for one in playable))
    work = _open_work(
        resolved, playable, statuses, _ballots(store, resolved.name) if stored else {}
    )
    done = sum(statuses.get(debate.debate_id) in ("finished", "forfeit") for debate in playable)
    still = sum(not one.play for one in work)
    return Plan(
        resolved=resolved,
        debates=tuple(playable),
        added=tuple(added),
        open=tuple(work),
        finished=done - still,
    )


def store_plan(plan: Plan, store: Store) -> None:
    """Store the configuration and the new pairings, in one transaction, before anything is played.

    Raises:
        StoreError: the database cannot be written.
    """
    resolved = plan.resolved

    def batch(link: Any) -> None:  # noqa: ANN401 - an open connection
        insert(link, "tournaments", [_tournament_row(resolved)])
        link.execute(
            "UPDATE tournaments SET config = $config, config_hash = $hash "
            "WHERE tournament = $tournament AND config_hash <> $hash",
            {
                "config": json.dumps(resolved.config.model_dump(mode="json"), ensure_ascii=False),
                "hash": resolved.config_hash,
                "tournament": resolved.name,
            },
        )
        insert(link, "motions", motion_rows(resolved.motions, resolved.config.tournament.languages))
        insert(link, "participants", participant_rows(resolved.participants, resolved.name))
        insert(link, "debates", debate_rows(plan.added))

    store.write(batch)


def _same_tournament(resolved: ResolvedConfig, store: Store) -> None:
    stored = store.read(
        "SELECT seed, config FROM tournaments WHERE tournament = $name", {"name": resolved.name}
    )
    if stored.empty:
        return
    section = resolved.config.tournament
    content = json.loads(stored["config"][0])
    if "source" in content:
        raise ConfigError(
            f"tournament.name: {store.path} holds imported battles under the name "
            f"{resolved.name!r}. "
            "Give the tournament another name (or another --db)."
        )
    contest = content["tournament"]["contest"]
    pairs = [("seed", int(stored["seed"][0]), section.seed), ("contest", contest, section.contest)]
    for key, old, new in pairs:
        if old != new:
            raise ConfigError(
                f"tournament.{key}: {store.path} holds a tournament {resolved.name!r} with "
                f"{key} {old!r}; given is {new!r}. Use {old!r} to go on with it, "
                "or give the new tournament another name (or another --db)."
            )


def _statuses(store: Store, tournament: str) -> dict[str, str]:
    frame = store.read(
        "SELECT debate_id, status FROM debates WHERE tournament = $name", {"name": tournament}
    )
    return dict(zip(frame["debate_id"], frame["status"], strict=True))


def _ballots(store: Store, tournament: str) -> dict[tuple[str, str, int], tuple[str, int]]:
    rows = store.rows(
        "SELECT debate_id, bench, run, b.status, asked "
        "FROM ballots b JOIN debates USING (debate_id) WHERE tournament = $name",
        {"name": tournament},
    )
    return {
        (row["debate_id"], row["bench"], row["run"]): (row["status"], row["asked"]) for row in rows
    }


def _open_work(
    resolved: ResolvedConfig,
    debates: Sequence[Debate],
    statuses: dict[str, str],
    ballots: dict[tuple[str, str, int], tuple[str, int]],
) -> list[OpenWork]:
    work = []
    for debate in sorted(debates, key=lambda one: (one.repeat, one.matchup_id, one.leg)):
        status = statuses.get(debate.debate_id, "planned")
        calls = () if status == "forfeit" else tuple(_open_ballots(resolved, debate, ballots))
        if status not in ("finished", "forfeit") or calls:
            play = status not in ("finished", "forfeit")
            work.append(OpenWork(debate=debate, play=play, ballots=calls))
    return work


def _open_ballots(
    resolved: ResolvedConfig, debate: Debate, ballots: dict[tuple[str, str, int], tuple[str, int]]
) -> Iterable[BallotCall]:
    for bench in resolved.benches:
        if judge_class(bench.judge).by_people:
            continue  # their votes come when they come: see `arena.people.votes`
        for run in range(bench.runs):
            status, asked = ballots.get((debate.debate_id, bench.name, run), ("", 0))
            if status != "valid":
                yield BallotCall(bench=bench, run=run, asked=asked)


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
