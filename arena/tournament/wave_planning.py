"""Waves of a stored tournament: what the next one is planned from, and what is stored with it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from arena.boards.comparisons import ComparisonSet, compare
from arena.boards.selecting import scope
from arena.boards.selection import Selection
from arena.scheduling.asked import Asked
from arena.scheduling.dealing import Pair, deal_wave, pair_of
from arena.scheduling.meetings import field_of, most_matchups, planned_matchups
from arena.scheduling.schedules import schedule_of
from arena.scheduling.waves import Meeting, Situation, Wave
from arena.store.lookups import read_forfeit_winners, read_wave_rows
from arena.text import first_sentence
from arena.tournament.forecast import ListPrices, Price, list_prices
from ratings import Comparisons, Confidence, confidence
from ratings.intervals.targets import (
    Contenders,
    Progress,
    measure_newcomer,
    measure_precision,
    measure_ranking,
    measure_top,
)

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.config.schedule_section import TargetSection
    from arena.records import Debate
    from arena.store.database import Store

#: What is stored of a meeting, beside its matchup.
_STORED = ("reason", "gain", "usd")

#: How far a tournament is that has no target, or no verdicts yet.
UNKNOWN = Progress(settled=0, total=0, is_reached=False, text="", open_pairs=())


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWave:
    """The next wave of a tournament, and what it is planned from.

    Attributes:
        number: counts from 0 within the tournament.
        judged: the debates that count in it and in no wave before.
        left_out: the statuses of the debates planned before that do not count, by id.
        prices: what debates cost, at list price.
        wave: who meets whom, and why; without meetings where the schedule is at its end.
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
            "schedule": {
                **self.asked.content(),
                "guided": self.wave.guided,
                "planned": planned_matchups(self.asked, len(resolved.participants)),
            },
            "judged": list(self.judged),
            "left_out": dict(self.left_out),
            "usd": {**self.prices.sides, "": self.prices.judging},
            "meetings": [
                {"matchup_id": matchup_id} | {name: getattr(meeting, name) for name in _STORED}
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
    """Plan the next wave of a tournament from what is stored."""
    asked = asked or Asked.of(resolved)
    waves = _read_waves(resolved, store, stored)
    rows = read_comparisons(resolved, store, asked)
    ids = () if rows is None else tuple(sorted(rows.rows["debate_id"]))
    prices = list_prices(store, resolved, ids, price=price)
    situation = replace(
        _situation(resolved, store, rows, waves, stored),
        usd=prices.sides,
        judging_usd=prices.judging,
    )
    progress = measure_progress(asked, situation, names=resolved.names)
    beside = 0
    if not asked.schedule.newcomers:
        beside = sum(len(wave.matchups) for wave in waves if wave.is_placing)
    wave = _ask(asked, resolved, situation, progress, beside=beside)
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
        debates=tuple(
            deal_wave(field_of(resolved), wave.pairs, stored=stored, retired=wave.retired)
        ),
        progress=progress,
        situation=situation,
    )


def read_situation(
    resolved: ResolvedConfig,
    store: Store,
    stored: Sequence[Debate],
    *,
    asked: Asked,
    open_matchups: Collection[str] = (),
) -> Situation:
    """Read what a schedule may know of a tournament, but for prices.

    Args:
        open_matchups: ids of matchups that still have something to be played or judged. Those of
            the last wave count as not decided; what later waves were planned from is.
    """
    waves = _read_waves(resolved, store, stored)
    rows = read_comparisons(resolved, store, asked)
    situation = _situation(resolved, store, rows, waves, stored)
    last = len(situation.matchups) - (len(waves[-1].matchups) if waves else 0)
    ordered = [matchup_id for wave in waves for matchup_id in wave.matchups]
    left = [number for number in range(last, len(ordered)) if ordered[number] in open_matchups]
    forfeits = {
        number: winners for number, winners in situation.forfeits.items() if number not in left
    }
    judged = situation.comparisons
    kept = ~np.isin(judged.cluster, left)
    return replace(situation, comparisons=judged.only(kept), forfeits=forfeits)


def _situation(
    resolved: ResolvedConfig,
    store: Store,
    rows: ComparisonSet | None,
    waves: Sequence[_StoredWave],
    stored: Sequence[Debate],
) -> Situation:
    ordered = (matchup_id for wave in waves for matchup_id in wave.matchups)
    number = {matchup_id: place for place, matchup_id in enumerate(ordered)}
    winners = {} if store.empty() else read_forfeit_winners(store, resolved.name)
    forfeits = defaultdict[int, list[str]](list)
    for debate in stored:
        if debate.debate_id in winners:
            forfeits[number[debate.matchup_id]].append(winners[debate.debate_id])
    return Situation(
        participants=tuple(sorted(resolved.names)),
        comparisons=_number_matchups(resolved, rows, number, stored),
        waves=tuple(wave.wave for wave in waves),
        forfeits=forfeits,
        seed=resolved.config.tournament.seed,
    )


def _ask(
    asked: Asked,
    resolved: ResolvedConfig,
    situation: Situation,
    progress: Progress,
    *,
    beside: int,
) -> Wave:
    """Ask the schedule for the next wave, unless the target or the most matchups are reached.

    Args:
        beside: matchups that placed newcomers; they belong to plans of their own.
    """
    if progress.is_reached:
        return Wave()
    wave = schedule_of(asked, resolved).next_wave(situation)
    if asked.schedule.kind != "adaptive":
        return wave
    most = most_matchups(asked.schedule, len(resolved.participants))
    left = most - (len(situation.matchups) - beside)
    note = "" if left > 0 else _describe_end(most, further=-left, beside=beside)
    return replace(wave, meetings=wave.meetings[: max(left, 0)], note=wave.note or note)


def _describe_end(most: int, *, further: int, beside: int) -> str:
    """Say that all matchups of a schedule are played, and how many others there are.

    >>> _describe_end(42, further=0, beside=15)
    'All 42 matchups that the schedule allows are played, besides 15 that placed newcomers.'
    """
    allowed = "The 1 matchup" if most == 1 else f"All {most} matchups"
    parts = [f"{allowed} that the schedule allows {'is' if most == 1 else 'are'} played"]
    if further:
        parts.append(f"and {further} more of an earlier plan")
    if beside:
        parts.append(f"besides {beside} that placed newcomers")
    return f"{', '.join(parts)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredWave:
    """An earlier wave.

    Attributes:
        matchups: the ids of its matchups, in the order of dealing.
        judged: the debates that counted in it and in no wave before.
        is_unplanned: whether these are the matchups that belong to no wave: they were planned when
            the tournament had a schedule that is known as a whole.
        is_placing: whether it placed a newcomer, beside the tournament's own schedule.
    """

    wave: Wave
    matchups: tuple[str, ...]
    judged: tuple[str, ...] = ()
    is_unplanned: bool = False
    is_placing: bool = False


def _read_waves(
    resolved: ResolvedConfig, store: Store, stored: Sequence[Debate]
) -> list[_StoredWave]:
    pairs = {debate.matchup_id: pair_of(debate.pro, debate.con) for debate in stored}
    rows = [] if store.empty() else read_wave_rows(store, resolved.name)
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
                    pair=pairs[meeting["matchup_id"]], **{name: meeting[name] for name in _STORED}
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
        is_placing=row["is_placing"],
    )


def read_comparisons(resolved: ResolvedConfig, store: Store, asked: Asked) -> ComparisonSet | None:
    """Read the comparisons of the deciding bench; participants are named by their ids."""
    if store.empty():
        return None
    selection = Selection(tournament=resolved.name, bench=asked.bench)
    own = {key: key for key in resolved.names}
    by_id = replace(scope(resolved), participants=own, partial=frozenset())  # waits for all votes
    return compare(store, selection, by_id, by_motion=True)


def _number_matchups(
    resolved: ResolvedConfig,
    rows: ComparisonSet | None,
    number: Mapping[str, int],
    stored: Sequence[Debate],
) -> Comparisons:
    """Return comparisons whose clusters are the numbers of their matchups."""
    if rows is None:
        return Comparisons.of([], [], [], names=list(resolved.names)).described(motion=[])
    matchup = {debate.debate_id: number[debate.matchup_id] for debate in stored}
    cluster = np.array([matchup[debate_id] for debate_id in rows.rows["debate_id"]], dtype=np.intp)
    lost = rows.comparisons.forfeits
    if lost is not None:  # below 0 where no leg of the matchup has a verdict
        renumbered = dict(zip(rows.comparisons.cluster.tolist(), cluster.tolist(), strict=True))
        lost = replace(
            lost, cluster=np.array([renumbered.get(old, -1 - old) for old in lost.cluster.tolist()])
        )
    return replace(rows.comparisons, cluster=cluster, forfeits=lost)


def measure_progress(asked: Asked, situation: Situation, *, names: Mapping[str, str]) -> Progress:
    """Return how far the target is reached, by statements that hold at every look.

    Where it is known when play ends at the latest, orders hold at every look until then.
    """
    if asked.target is None or not len(situation.comparisons):
        return UNKNOWN
    ids = {name: participant_id for participant_id, name in names.items()}
    newcomers = [ids[name] for name in asked.schedule.newcomers or ()]
    about = newcomers if asked.target.objective == "newcomer" else ()
    by_plan = situation.comparisons.pairing == "planned" and asked.target.objective != "precision"
    sure = confidence(situation.comparisons, anytime=None if by_plan else True, about=about)
    parts = measure(asked.target, sure, situation.participants, newcomers, names=names)
    return Progress(
        settled=sum(part.settled for part in parts),
        total=sum(part.total for part in parts),
        is_reached=all(part.is_reached for part in parts),
        text=" ".join(part.text for part in parts),
        open_pairs=tuple(pair for part in parts for pair in part.open_pairs),
    )


def measure(
    target: TargetSection,
    sure: Confidence,
    among: Sequence[str],
    newcomers: Sequence[str],
    *,
    names: Mapping[str, str],
) -> tuple[Progress, ...]:
    """Return how far a target is reached on a board; one for each newcomer."""
    contenders = Contenders.of(sure, among=among, labels=names)
    number = target.amount
    match target.objective:
        case "ranking":
            return (measure_ranking(contenders),)
        case "top-k":
            return (measure_top(contenders, int(number)),)
        case "precision":
            return (measure_precision(contenders, number),)
        case "newcomer":
            place = partial(measure_newcomer, contenders, places=int(number))
            return tuple(place(newcomer) for newcomer in newcomers)
