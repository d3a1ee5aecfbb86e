"""The plan of a tournament: its stored and its new debates, and the work that is still open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, TypeAlias

import pandas as pd

from arena.config.panels import check_panels
from arena.config.resolve import ResolvedConfig
from arena.debates.ballot import BallotCall
from arena.errors import ConfigError
from arena.plugins import judge_class, judge_models, participant_models
from arena.records import Bench, Debate, digest
from arena.scheduling.dealing import Field, deal
from arena.scheduling.meetings import meetings
from arena.store.database import SCHEMA_VERSION, Store, insert
from arena.store.motions import check_unchanged
from arena.store.rows import debate_rows, motion_rows, participant_rows, read_debates
from arena.store.seals import seal_rows

#: The statuses of debates that are played no more.
_ENDED = ("finished", "forfeit")

#: Stored ballots: status, and how often each was asked for, by debate id, bench name and run.
_Ballots: TypeAlias = dict[tuple[str, str, int], tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWork:
    """The open work on one debate.

    Attributes:
        play: whether it is to be played.
        ballots: those to be asked for.
        erred: whether it ended in an error of a debater's code before.
    """

    debate: Debate
    play: bool
    ballots: tuple[BallotCall, ...]
    erred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament as it will be stored, and its open work.

    Attributes:
        debates: all debates of its participants.
        added: the debates that are not stored yet.
        open: all unfinished work, that on added debates included, in playing order.
        finished: the number of debates that are played and judged.
    """

    resolved: ResolvedConfig
    debates: tuple[Debate, ...]
    added: tuple[Debate, ...]
    open: tuple[OpenWork, ...]
    finished: int

    @property
    def models(self) -> set[str]:
        """The models that its open work calls."""
        debating = {
            participant_id
            for work in self.open
            if work.play
            for participant_id in (work.debate.pro, work.debate.con)
        }
        judging = {call.bench.name for work in self.open for call in work.ballots}
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


def make_plan(resolved: ResolvedConfig, store: Store) -> Plan:
    """Plan a tournament: extend its stored debates to what its configuration asks for.

    Raises:
        ConfigError: the tournament was imported, another one is stored under its name, a stored
            motion differs, or a bench cannot judge participants who meet.
        StoreError: the database was not made by this program.
    """
    if resolved.imported:
        raise ConfigError(
            f"{resolved.name!r} was imported, so there is nothing to play in it. Name another "
            "tournament; `arena list` shows them."
        )
    store.check()
    if not store.empty():
        _check_same_tournament(resolved, store)
        check_unchanged(resolved.motions, store)
    stored, statuses, ballots = _read_stored(resolved, store)
    added = _deal(resolved, stored)
    debates = _playable(resolved, [*stored, *added])
    check_panels(resolved, ((debate.pro, debate.con) for debate in debates))
    work = _open_work(resolved, debates, statuses, ballots)
    played = sum(statuses.get(debate.debate_id) in _ENDED for debate in debates)
    to_judge = sum(not debate_work.play for debate_work in work)
    return Plan(
        resolved=resolved,
        debates=tuple(debates),
        added=tuple(added),
        open=tuple(work),
        finished=played - to_judge,
    )


def _read_stored(
    resolved: ResolvedConfig, store: Store
) -> tuple[list[Debate], dict[str, str], _Ballots]:
    """Read a tournament's stored debates, their statuses by id, and its ballots."""
    stored = [] if store.empty() else read_debates(store, resolved.name)
    if not stored:
        return [], {}, {}
    return stored, _read_statuses(store, resolved.name), _read_ballots(store, resolved.name)


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

    store.write(batch)


def _check_same_tournament(resolved: ResolvedConfig, store: Store) -> None:
    """Check that the tournament that is stored under the name, if any, is this one."""
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
                f"tournament.{key}: {store.path} holds a tournament {resolved.name!r} with {key} "
                f"{old!r}; this configuration has {new!r}. Use {old!r} to continue it, or give the "
                "new tournament another name (or another --db)."
            )


def _read_statuses(store: Store, tournament: str) -> dict[str, str]:
    return dict(
        store.tuples(
            "SELECT debate_id, status FROM debates WHERE tournament = $name", {"name": tournament}
        )
    )


def _read_ballots(store: Store, tournament: str) -> _Ballots:
    rows = store.tuples(
        "SELECT debate_id, bench, run, b.status, asked "
        "FROM ballots b JOIN debates USING (debate_id) WHERE tournament = $name",
        {"name": tournament},
    )
    return {
        (debate_id, bench, run): (status, asked) for debate_id, bench, run, status, asked in rows
    }


def _open_work(
    resolved: ResolvedConfig,
    debates: Sequence[Debate],
    statuses: dict[str, str],
    ballots: _Ballots,
) -> list[OpenWork]:
    work = []
    # A run asks nobody to vote: see `arena.people.votes`.
    benches = [bench for bench in resolved.benches if not judge_class(bench.judge).by_people]
    for debate in debates:
        status = statuses.get(debate.debate_id, "planned")
        calls = () if status == "forfeit" else tuple(_open_ballots(benches, debate, ballots))
        play = status not in _ENDED
        if play or calls:
            erred = status == "error"
            work.append(OpenWork(debate=debate, play=play, ballots=calls, erred=erred))
    return sorted(work, key=_playing_order)


def _playing_order(work: OpenWork) -> tuple[int, str, int]:
    return work.debate.repeat, work.debate.matchup_id, work.debate.leg


def _open_ballots(
    benches: Iterable[Bench], debate: Debate, ballots: _Ballots
) -> Iterable[BallotCall]:
    for bench in benches:
        for run in range(bench.runs):
            status, asked = ballots.get((debate.debate_id, bench.name, run), ("", 0))
            if status != "valid":
                yield BallotCall(bench=bench, run=run, asked=asked, erred=status == "error")


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
