"""What a run begins with, and the waves that follow on it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from arena.store.database import Store
from arena.tournament.next_work import WavePlanner, plan_next_work
from arena.tournament.open_work import OpenWork
from arena.tournament.paid_work import WorkSlots, WorkTally, work_through
from arena.tournament.plan import TournamentPlan, add_wave, make_plan, store_plan
from tests.support.tournaments import (
    ONE_EACH,
    changed,
    commit,
    content,
    judged,
    played,
    resolved_of,
)


def _free(_: str) -> tuple[float, float]:
    return 0.0, 0.0


def _wave(path: Path) -> tuple[Store, TournamentPlan]:
    """A tournament whose first wave of two matchups is stored, nothing of it played."""
    config = changed(content(*"abcd"), ["schedule"], {"kind": "adaptive", "wave": 2})
    resolved, store = resolved_of(config, ONE_EACH), Store(path)
    plan = add_wave(make_plan(resolved, store), store, price=_free)
    store_plan(plan, store)
    return store, plan


def _next(store: Store, plan: TournamentPlan) -> TournamentPlan:
    return plan_next_work(make_plan(plan.resolved, store), store, price=_free)


def _calls(plan: TournamentPlan) -> list[tuple[str, bool, list[int]]]:
    return [
        (work.debate.debate_id, work.play, [call.asked for call in work.ballots])
        for work in plan.open
    ]


def test_a_failed_ballot_waits_until_nobody_has_anything_new(tmp_path: Path) -> None:
    store, plan = _wave(tmp_path / "own.duckdb")
    first, second, *rest = plan.debates
    commit(store, played(first), judged(first, status="failed"), played(second))
    begun = _next(store, plan)
    assert {name for name, _, _ in _calls(begun)} == {d.debate_id for d in (second, *rest)}
    assert (begun.put_off, begun.added) == (1, ())


def test_the_next_wave_is_the_one_that_nobody_disturbed_plans(tmp_path: Path) -> None:
    """It is planned without the failed ballot, whether the run was killed or not."""
    store, plan = _wave(tmp_path / "own.duckdb")
    first, *rest = plan.debates
    records = [judged(debate, 1.0) for debate in rest]
    commit(store, *map(played, plan.debates), judged(first, status="failed"), *records)
    undisturbed = add_wave(plan, store, price=_free)
    continued = _next(store, plan)
    assert undisturbed.wave is not None and continued.wave is not None
    assert continued.added == undisturbed.added != ()
    assert continued.wave.judged == undisturbed.wave.judged
    assert first.debate_id in continued.wave.left_out
    added = {debate.debate_id for debate in continued.added}
    assert {name for name, _, _ in _calls(continued)} == added and continued.put_off == 1


def test_failed_ballots_are_asked_again_where_no_wave_follows(tmp_path: Path) -> None:
    store, plan = _wave(tmp_path / "own.duckdb")
    config = plan.resolved.config
    schedule = config.schedule.model_copy(update={"matchups": 2})
    resolved = resolved_of(
        changed(content(*"abcd"), ["schedule"], schedule.model_dump(exclude_none=True)), ONE_EACH
    )
    first, second, *rest = plan.debates
    commit(
        store,
        *map(played, plan.debates),
        judged(first, status="failed", asked=2),
        judged(second, status="failed"),
        *(judged(debate, 1.0) for debate in rest),
    )
    left = plan_next_work(make_plan(resolved, store), store, price=_free)
    assert _calls(left) == [(second.debate_id, False, [1])], "those asked for least often"
    commit(store, judged(second, 1.0, asked=2))
    left = plan_next_work(make_plan(resolved, store), store, price=_free)
    assert _calls(left) == [(first.debate_id, False, [2])]
    commit(store, judged(first, 1.0, asked=3))
    assert not plan_next_work(make_plan(resolved, store), store, price=_free).open


def debates(*names: str) -> list[OpenWork]:
    return cast(list[OpenWork], list(names))


def play(waves: Sequence[list[OpenWork]], *, judged: set[str], away: set[str]) -> list[Any]:
    """Play waves of debates; those away lend their slots until four things have happened.

    Returns:
        What happened in order: names of debates that ended, and `plan` for each planning.
    """
    events: list[Any] = []
    further = iter(waves[1:])
    back = asyncio.Event()

    def note(event: object) -> None:
        events.append(event)
        if len(events) >= 4:
            back.set()

    async def plan() -> Sequence[OpenWork]:
        note("plan")
        return next(further, [])

    async def run() -> None:
        slots, following = WorkSlots(2), WavePlanner(plan)

        async def do(work: OpenWork) -> None:
            with following.debate():
                if str(work) in away:
                    async with slots.lent():
                        await back.wait()
                await asyncio.sleep(0)
                note(work)
                if str(work) in judged:
                    following.count_ended()

        async def more() -> Sequence[OpenWork]:
            return await following.work(slots)

        await work_through(waves[0], do, WorkTally(), slots=slots, further=more)

    asyncio.run(asyncio.wait_for(run(), 5))
    return events


def test_each_wave_waits_for_the_one_before() -> None:
    waves = [debates("a", "b", "c"), debates("d"), debates("e")]
    events = play(waves, judged={*"abcde"}, away=set())
    assert events == ["a", "b", "c", "plan", "d", "plan", "e", "plan"]


def test_nothing_follows_where_nothing_was_judged() -> None:
    assert play([debates("a"), debates("b")], judged=set(), away=set()) == ["a"]


def test_debates_whose_model_is_away_do_not_hold_the_next_wave() -> None:
    waves = [debates("a", "b"), debates("c"), debates("d")]
    events = play(waves, judged={*"abcd"}, away={"b"})
    assert events == ["a", "plan", "c", "plan", "b", "d", "plan"]


def test_a_schedule_that_waits_is_asked_again_when_the_rest_has_ended() -> None:
    waves = [debates("a", "e", "f", "b"), [], debates("c")]
    events = play(waves, judged={*"abcef"}, away={"b"})
    assert events == ["a", "e", "f", "plan", "b", "plan", "c", "plan"]
