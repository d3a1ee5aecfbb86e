"""The wave that follows: planned once nothing can go on, and only on new results."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from arena.tournament.following import Following
from arena.tournament.open_work import OpenWork
from arena.tournament.paid_work import WorkTally, work_through
from arena.tournament.seats import Seats


def debates(*names: str) -> list[OpenWork]:
    return cast(list[OpenWork], list(names))


def play(waves: Sequence[list[OpenWork]], *, judged: set[str], away: set[str]) -> list[Any]:
    """Play waves of debates; those away lend their seats until four things have happened.

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
        seats, following = Seats(2), Following(plan)

        async def do(work: OpenWork) -> None:
            with following.debate():
                if str(work) in away:
                    async with seats.lent():
                        await back.wait()
                await asyncio.sleep(0)
                note(work)
                if str(work) in judged:
                    following.count_ended()

        async def more() -> Sequence[OpenWork]:
            return await following.work(seats)

        await work_through(waves[0], do, WorkTally(), seats=seats, further=more)

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
