"""The spending caps: a call's worst-case cost is reserved before it and settled after it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from arena.errors import BudgetReached
from arena.text import format_cap

if TYPE_CHECKING:
    from asyncio import Future


#: What is counted: USD, or tokens of prompts and answers.
Measure: TypeAlias = Literal["usd", "tokens"]
MEASURES: tuple[Measure, ...] = ("usd", "tokens")
#: What a unit draws on whose purses: '' is everybody's, all others are ids of participants.
Draws: TypeAlias = tuple[str, Measure]
#: What to do when a cap on the whole is reached, unless a command knows more.
REMEDY = "Raise `[limits] usd` in the file, or give --usd, and run it again"


class Cost(NamedTuple):
    """What a call, or several, cost."""

    usd: float = 0.0
    tokens: float = 0.0

    def of(self, measure: Measure) -> float:
        """Return the part in one measure."""
        return self.usd if measure == "usd" else self.tokens

    def plus(self, other: Cost) -> Cost:
        """Return the sum of two costs."""
        return Cost(self.usd + other.usd, self.tokens + other.tokens)

    def less(self, other: Cost) -> Cost:
        """Return what a cost has beyond another."""
        return Cost(self.usd - other.usd, self.tokens - other.tokens)


def format_amount(amount: float, measure: Measure) -> str:
    """Format an amount with its unit.

    >>> format_amount(0.25, "usd"), format_amount(1200300, "tokens")
    ('0.2500 USD', '1,200,300 tokens')
    """
    if measure == "usd":
        return f"{amount:.4f} USD"
    return f"{amount:,.0f} {'token' if round(amount) == 1 else 'tokens'}"


def format_limit(limit: float, measure: Measure) -> str:
    """Format what may be spent, with its unit.

    >>> format_limit(25, "usd"), format_limit(1200300, "tokens")
    ('25.00 USD', '1,200,300 tokens')
    """
    return f"{format_cap(limit)} USD" if measure == "usd" else format_amount(limit, measure)


class Account(Protocol):
    """Keeps what one unit of work draws from each purse."""

    def charge(self, purse: Purse, amount: float, *, is_known: bool) -> None:
        """Add an amount; `is_known` is False where it is the worst case of a lost answer."""
        ...


#: The account of the unit to which the running code belongs; `None` where nobody keeps one.
current_account: ContextVar[Account | None] = ContextVar("current_account", default=None)


class Purse:
    """What may be spent of one measure, by all calls of a tournament or by some of them.

    Args:
        limit: the most; `math.inf` for no limit.
        spent: settled so far, by earlier runs too.
        title: how messages call it; `{}` stands for its limit.
        remedy: what to do when nothing fits any more, in a sentence.
        participant: the name of the one that it belongs to; '' for all.

    Attributes:
        reached: once something did not fit: which limit is reached, and what to do.
        needed: the limit with which that would have fitted; 0 before.
    """

    def __init__(  # noqa: PLR0913 - what tells the kinds apart
        self,
        limit: float = math.inf,
        *,
        spent: float = 0.0,
        measure: Measure = "usd",
        title: str = "the spending cap of {}",
        remedy: str = REMEDY,
        participant: str = "",
        is_daily: bool = False,
    ) -> None:
        self.limit, self.spent, self.measure = limit, spent, measure
        self.participant, self.is_daily = participant, is_daily
        self.reserved = self.largest = self.needed = 0.0
        self.reached = ""
        self._settled_largest = self._overhead = 0.0
        self._title, self._remedy = title, remedy

    @property
    def title(self) -> str:
        """How messages call it: `the spending cap of 1.00 USD`."""
        return self._title.replace("{}", format_limit(self.limit, self.measure))

    @property
    def overhead(self) -> float:
        """What must be left beside a unit's cost for its last call to fit, which reserves more."""
        return self._overhead if self._settled_largest >= self.largest else self.largest

    def has_room(self, amount: float) -> bool:
        """Return whether an amount fits beside the calls in flight."""
        return amount <= 0 or self.spent + self.reserved + amount <= self.limit

    def check(self, amount: float) -> None:
        """Raise `BudgetReached` unless an amount would fit if the calls in flight cost nothing."""
        if amount > 0 and self.spent + amount > self.limit:
            most = format_amount(amount, self.measure)
            self.refuse(f"the next call could cost up to {most}", amount)

    def refuse(self, what: str, amount: float) -> None:
        """Note that the limit is reached, and raise `BudgetReached`."""
        counts = format_amount(self.spent, self.measure)
        self.needed = max(self.needed, self.spent + amount)
        self.reached = self.reached or (
            f"{self.title} is reached: {counts} count towards it, and {what}. {self._remedy}; "
            "finished work is kept."
        )
        # Where nothing was spent today, the next day has no more.
        raise BudgetReached(
            self.reached,
            participant=self.participant,
            is_for_today=self.is_daily and self.spent > 0,
        )

    def reserve(self, amount: float) -> None:
        """Reserve the worst case of a call that has room."""
        self.largest = max(self.largest, amount)
        self.reserved += amount

    def settle(self, amount: float, *, actual: float, is_known: bool) -> None:
        """Replace a reservation by the actual amount, which is known or the worst case."""
        self.reserved = max(0.0, self.reserved - amount)
        if self.reserved < 1e-12:
            self.reserved = 0.0
        self.spent += actual
        if is_known:
            self._settled_largest = max(self._settled_largest, amount)
            self._overhead = max(self._overhead, amount - actual)

    def begin_day(self, spent: float) -> None:
        """Fill it anew; `spent` is what has been spent of the new day already."""
        self.spent, self.reached = spent, ""


class Days(Protocol):
    """When a day begins, and what had been spent by then."""

    def turn(self, spent: Cost) -> Cost | None:
        """Return what had been spent when the present day began; `None` on the day of last time."""
        ...

    def next(self) -> datetime:
        """Return when the next day begins."""
        ...


class Budget:
    """What one tournament may spend, shared by all of its calls.

    Every call draws on the purses of the whole tournament and of the day, and a call of a
    participant's also on that participant's.

    Args:
        limit: of the whole tournament, in USD; `math.inf` for none.
        spent: of it, in USD, by earlier runs.
        unbilled: the part of that whose bill is not known.
        remedy: what to do when it is reached, in a sentence; by default that of `Purse`.
        tokens: the purse of the whole tournament in tokens; by default without a limit.
        days: when a day begins; needed for `daily`, and `None` where that makes no difference.
    """

    def __init__(  # noqa: PLR0913 - the purses of one budget
        self,
        limit: float = math.inf,
        *,
        spent: float = 0.0,
        unbilled: float = 0.0,
        remedy: str = REMEDY,
        tokens: Purse | None = None,
        daily: Sequence[Purse] = (),
        participants: Mapping[str, Sequence[Purse]] | None = None,
        days: Days | None = None,
    ) -> None:
        self.usd = Purse(limit, spent=spent, remedy=remedy)
        self.unbilled = unbilled
        self.tokens = tokens or Purse(measure="tokens")
        self._common = (self.usd, self.tokens, *daily)
        self._daily, self.days = tuple(daily), days
        self._participants = participants or {}
        self._waiting: list[Future[None]] = []
        self.turn()

    @property
    def limit(self) -> float:
        """The cap of the whole tournament in USD; `math.inf` for none."""
        return self.usd.limit

    @property
    def spent(self) -> float:
        """Settled costs in USD, those of earlier runs included."""
        return self.usd.spent

    @property
    def reached(self) -> str:
        """Which cap of the whole tournament is reached, and what to do; '' for none."""
        return self.usd.reached or self.tokens.reached

    @property
    def limited(self) -> tuple[Purse, ...]:
        """All purses with a limit: of the whole, of the day, of participants."""
        return (*self.purses(), *chain.from_iterable(self._participants.values()))

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens have a limit, so that those of free calls count, too."""
        return any(purse.measure == "tokens" for purse in self.limited)

    def purses(self, payer: str = "", measure: Measure | None = None) -> list[Purse]:
        """Return the purses with a limit of a participant (`payer`), or those of every call.

        Args:
            measure: of the purses; `None` for both.
        """
        return [
            purse
            for purse in (self._participants.get(payer, ()) if payer else self._common)
            if measure in (None, purse.measure) and math.isfinite(purse.limit)
        ]

    def turn(self) -> None:
        """Fill the purses of the day anew where a day has begun."""
        total = Cost(self.usd.spent, self.tokens.spent)
        if self.days is not None and (mark := self.days.turn(total)) is not None:
            for purse in self._daily:
                purse.begin_day(total.less(mark).of(purse.measure))

    def check(self, cost: Cost, *, payer: str = "") -> None:
        """Raise `BudgetReached` unless a call would fit if those in flight cost nothing."""
        self.turn()
        for purse in self._drawn(payer):
            purse.check(cost.of(purse.measure))

    async def reserve(self, cost: Cost, *, payer: str = "") -> None:
        """Reserve the most that a call can cost; wait while others may still settle for less.

        Raises:
            BudgetReached: it does not fit, and no call in flight can change that.
        """
        purses = self._drawn(payer)
        self.check(cost, payer=payer)
        while not all(purse.has_room(cost.of(purse.measure)) for purse in purses):
            await self._next_settlement()
            self.check(cost, payer=payer)
        for purse in purses:
            purse.reserve(cost.of(purse.measure))

    def settle(self, cost: Cost, *, actual: Cost, payer: str = "", is_known: bool = True) -> None:
        """Replace a reservation by the actual cost."""
        account = current_account.get()
        self.unbilled += 0.0 if is_known else actual.usd
        for purse in self._drawn(payer):
            amount = actual.of(purse.measure)
            purse.settle(cost.of(purse.measure), actual=amount, is_known=is_known)
            if account is not None:
                account.charge(purse, amount, is_known=is_known)
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def _next_settlement(self) -> None:
        from asyncio import get_running_loop  # noqa: PLC0415 - for its cost: a bill needs none

        waiter = get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _drawn(self, payer: str) -> list[Purse]:
        return [*self._common, *self._participants.get(payer, ())]


def format_purse(purse: Purse) -> str:
    """Format how much of a cap is used: `today: 1.2000 of 2.00 USD`."""
    whose = purse.participant or ("today" if purse.is_daily else "in all")
    spent = format_amount(purse.spent, purse.measure).split()[0]
    return f"{whose}: {spent} of {format_limit(purse.limit, purse.measure)}"
