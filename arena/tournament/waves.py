"""Waves of a stored tournament: what the next one is planned from, and what is stored with it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd

from arena.boards.comparisons import ComparisonSet, compare
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.config.resolve import ResolvedConfig
from arena.records import Debate
from arena.scheduling.dealing import Field, Pair, deal_wave, pair_of
from arena.scheduling.meetings import Asked, most_matchups, schedule_of
from arena.scheduling.waves import Meeting, Situation, Wave
from arena.store.database import Store
from arena.text import first_sentence
from arena.tournament.forecast import Price
from arena.tournament.list_prices import ListPrices, list_prices
from arena.tournament.targets import measure_progress
from ratings import Comparisons
from ratings.intervals.targets import Progress

_STORED = """
    SELECT wave, schedule->>'$.schedule.kind' AS kind, judged, meetings, byes, phase, retired, note
    FROM waves WHERE tournament = $name ORDER BY wave
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWave:
    """The next wave of a tournament, and what it is planned from.

    Attributes:
        number: counts from 0 within the tournament.
        asked: the schedule and the target.
        judged: the debates that count in it and in no wave before.
        left_out: the statuses of the debates planned before that do not count, by id.
        prices: what debates cost, at list price.
        wave: who meets whom, and why; without meetings where the schedule is at its end.
        debates: those that the meetings become.
        progress: how far the target is reached.
        situation: what it is planned from.
    """

    number: int
    asked: Asked
    judged: tuple[str, ...]
    left_out: Mapping[str, str]
    prices: ListPrices
    wave: Wave
    debates: tuple[Debate, ...]
    progress: Progress
    situation: Situation

    @property
    def result(self) -> str:
        """Why the tournament ends here, or how far it is, in sentences."""
        return " ".join(filter(None, (self.progress.text, self.wave.note)))

    @property
    def ending(self) -> str:
        """How far the target is reached where the schedule is at its end, in a sentence."""
        if self.debates:
            return ""
        if self.asked.target is None:
            return self.wave.note
        text = first_sentence(self.progress.text)
        text = text.replace("The ", "the ", 1) if text.startswith("The ") else text
        return f"the target is {'' if self.progress.is_reached else 'not '}reached: {text}"

    @property
    def misses_target(self) -> bool:
        """Whether the schedule is at its end, and the target is not reached."""
        return bool(self.asked.target and not self.debates and not self.progress.is_reached)

    @property
    def way_on(self) -> str:
        """What to change where the target is missed, before the file is run; '' for nothing."""
        key = self.asked.schedule.length_key
        if not (self.misses_target and key):
            return ""
        return f"To play on, raise `{key}` of [schedule] in the file, then run it"

    def row(self, resolved: ResolvedConfig) -> dict[str, Any]:
        """Return the row of the table `waves`."""
        matchups = [debate.matchup_id for debate in self.debates if debate.leg == 0]
        return {
            "tournament": resolved.name,
            "wave": self.number,
            "schedule": {**self.asked.content(), "guided": self.wave.guided},
            "judged": list(self.judged),
            "left_out": dict(self.left_out),
            "usd": {**self.prices.sides, "": self.prices.judging},
            "meetings": [
                {
                    "matchup_id": matchup_id,
                    "reason": meeting.reason,
                    "gain": meeting.gain,
                    "usd": meeting.usd,
                }
                for matchup_id, meeting in zip(matchups, self.wave.meetings, strict=True)
            ],
            "byes": list(self.wave.byes),
            "phase": self.wave.phase,
            "motions": [motion.motion_id for motion in resolved.motions],
            "retired": sorted(self.wave.retired),
            "note": self.progress.text,
            "created_at": pd.Timestamp(datetime.now(UTC)),
        }


def next_wave(
    resolved: ResolvedConfig,
    store: Store,
    stored: Sequence[Debate],
    statuses: Mapping[str, str],
    *,
    price: Price,
    asked: Asked | None = None,
) -> NextWave:
    """Plan the next wave of a tournament from what is stored.

    Args:
        resolved: the tournament.
        store: where it is, or will be.
        stored: its debates so far.
        statuses: of these debates, by id.
        price: looks up a model's list price.
        asked: the schedule and the target in place of the configuration's.
    """
    asked = asked or Asked.of(resolved)
    waves = _read_waves(resolved, store, stored)
    rows = read_comparisons(resolved, store, asked)
    ids = () if rows is None else tuple(sorted(rows.rows["debate_id"]))
    prices = list_prices(store, resolved, ids, price=price)
    situation = Situation(
        participants=tuple(sorted(p.participant_id for p in resolved.participants)),
        comparisons=_number_matchups(resolved, rows, waves, stored),
        waves=tuple(wave.wave for wave in waves),
        usd=prices.sides,
        judging_usd=prices.judging,
        seed=resolved.config.tournament.seed,
    )
    names = {p.participant_id: p.name for p in resolved.participants}
    progress = measure_progress(asked, situation, names=names)
    wave = _ask(asked, resolved, situation, progress)
    before = {debate_id for wave in waves for debate_id in wave.judged}
    return NextWave(
        number=sum(not wave.is_unplanned for wave in waves),
        asked=asked,
        judged=tuple(debate_id for debate_id in ids if debate_id not in before),
        left_out={
            debate.debate_id: statuses.get(debate.debate_id, "planned")
            for debate in stored
            if debate.debate_id not in set(ids)
        },
        prices=prices,
        wave=wave,
        debates=tuple(_deal(resolved, wave, stored)),
        progress=progress,
        situation=situation,
    )


def _ask(asked: Asked, resolved: ResolvedConfig, situation: Situation, progress: Progress) -> Wave:
    """Ask the schedule for the next wave, unless the target or the most matchups are reached."""
    if progress.is_reached:
        return Wave()
    wave = schedule_of(asked, resolved).next_wave(situation)
    if asked.schedule.kind != "adaptive":
        return wave
    most = most_matchups(asked.schedule, len(resolved.participants))
    left = max(0, most - len(situation.matchups))
    allowed = "The 1 matchup" if most == 1 else f"All {most} matchups"
    verb = "is" if most == 1 else "are"
    note = "" if left else f"{allowed} that the schedule allows {verb} played."
    return replace(wave, meetings=wave.meetings[:left], note=wave.note or note)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredWave:
    """An earlier wave.

    Attributes:
        matchups: the ids of its matchups, in the order of dealing.
        judged: the debates that counted in it and in no wave before.
        is_unplanned: whether these are the matchups that belong to no wave: they were planned when
            the tournament had a schedule that is known as a whole.
    """

    wave: Wave
    matchups: tuple[str, ...]
    judged: tuple[str, ...] = ()
    is_unplanned: bool = False


def _read_waves(
    resolved: ResolvedConfig, store: Store, stored: Sequence[Debate]
) -> list[_StoredWave]:
    pairs = {debate.matchup_id: pair_of(debate.pro, debate.con) for debate in stored}
    rows = [] if store.empty() else store.rows(_STORED, {"name": resolved.name})
    waves = [_read_wave(row, pairs) for row in rows]
    planned = {matchup_id for wave in waves for matchup_id in wave.matchups}
    others = tuple(sorted(pairs.keys() - planned))
    if not others:
        return waves
    meetings = [Meeting(pair=pairs[matchup_id]) for matchup_id in others]
    first = _StoredWave(wave=Wave(meetings=meetings), matchups=others, is_unplanned=True)
    return [first, *waves]


def _read_wave(row: Mapping[str, Any], pairs: Mapping[str, Pair]) -> _StoredWave:
    meetings = json.loads(row["meetings"])
    return _StoredWave(
        wave=Wave(
            meetings=tuple(
                Meeting(
                    pair=pairs[meeting["matchup_id"]],
                    reason=meeting["reason"],
                    gain=meeting["gain"],
                    usd=meeting["usd"],
                )
                for meeting in meetings
            ),
            byes=tuple(json.loads(row["byes"])),
            phase=row["phase"],
            retired=frozenset(json.loads(row["retired"])),
            kind=row["kind"] or "",
        ),
        matchups=tuple(meeting["matchup_id"] for meeting in meetings),
        judged=tuple(json.loads(row["judged"])),
    )


def read_comparisons(resolved: ResolvedConfig, store: Store, asked: Asked) -> ComparisonSet | None:
    """Read the comparisons of the deciding bench; participants are named by their ids."""
    if store.empty():
        return None
    ids = [participant.participant_id for participant in resolved.participants]
    selection = Selection(tournament=resolved.name, bench=asked.bench)
    by_id = replace(scope(resolved), participants=dict(zip(ids, ids, strict=True)))
    return compare(store, selection, by_id, by_motion=True)


def _number_matchups(
    resolved: ResolvedConfig,
    rows: ComparisonSet | None,
    waves: Sequence[_StoredWave],
    stored: Sequence[Debate],
) -> Comparisons:
    """Return comparisons whose clusters are the numbers of their matchups."""
    if rows is None:
        ids = [participant.participant_id for participant in resolved.participants]
        return Comparisons.of([], [], [], names=ids).described(motion=[])
    ordered = (matchup_id for wave in waves for matchup_id in wave.matchups)
    number = {matchup_id: place for place, matchup_id in enumerate(ordered)}
    matchup = {debate.debate_id: number[debate.matchup_id] for debate in stored}
    cluster = np.array([matchup[debate_id] for debate_id in rows.rows["debate_id"]], dtype=np.intp)
    return replace(rows.comparisons, cluster=cluster)


def _deal(resolved: ResolvedConfig, wave: Wave, stored: Sequence[Debate]) -> list[Debate]:
    field = Field(
        tournament=resolved.name,
        seed=resolved.config.tournament.seed,
        participants=[participant.participant_id for participant in resolved.participants],
        motions=resolved.motions,
        languages=resolved.config.tournament.languages,
    )
    return deal_wave(field, wave.pairs, stored=stored, retired=wave.retired)
