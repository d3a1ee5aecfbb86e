"""What a run of a tournament in waves begins with: a pure function of what is stored.

A run that is killed and continued has to play the same debates as one that nobody disturbed. That
one does not ask for a failed ballot again, and plans the next wave without it. So whoever continues
first does what nobody has tried, then plans the next wave, and asks again for failed ballots only
where no wave follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arena.debates.ballot import BallotCall
from arena.store.database import Store
from arena.tournament.forecast import Price
from arena.tournament.open_work import OpenWork
from arena.tournament.plan import Plan, add_wave


def plan_next_work(plan: Plan, store: Store, *, price: Price) -> Plan:
    """Return a plan whose open work is what comes next in a tournament in waves.

    Args:
        plan: as `make_plan` returns it, with all that is open.
        store: where the tournament is, or will be.
        price: looks up a model's list price.
    """
    new = tuple(select_new(plan.open))
    if new:
        return replace(plan, open=new, put_off=_count_ballots(plan.open) - _count_ballots(new))
    following = add_wave(plan, store, price=price)
    if following.added:
        new = tuple(select_new(following.open))
        put_off = _count_ballots(following.open) - _count_ballots(new)
        return replace(following, open=new, put_off=put_off)
    return replace(following, open=tuple(_least_asked(plan.open)))


def select_new(work: Sequence[OpenWork]) -> Iterator[OpenWork]:
    """Yield open work without the ballots that have failed before."""
    for item in work:
        ballots = tuple(call for call in item.ballots if _is_new(call))
        if ballots or item.play:
            yield replace(item, ballots=ballots)


def _is_new(call: BallotCall) -> bool:
    """Return whether a ballot was never answered; one in an error is taken from its journal."""
    return call.asked == 0 or call.erred


def _least_asked(work: Sequence[OpenWork]) -> Iterator[OpenWork]:
    """Yield the ballots that were asked for least often.

    If a run that asks again is killed, those that it has asked for already are not asked for once
    more before the others.
    """
    least = min((call.asked for item in work for call in item.ballots), default=0)
    for item in work:
        if ballots := tuple(call for call in item.ballots if call.asked == least):
            yield replace(item, ballots=ballots)


def _count_ballots(work: Sequence[OpenWork]) -> int:
    return sum(len(item.ballots) for item in work)
