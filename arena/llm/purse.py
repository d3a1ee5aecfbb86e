"""Purses: how much of a measure may be spent, in all, in a day or by a participant."""

from __future__ import annotations

import math
from contextvars import ContextVar
from typing import Literal, NamedTuple, Protocol, TypeAlias

from arena.errors import BudgetReached
from arena.text import format_cap

#: What is counted: USD, or tokens of prompts and answers.
Measure: TypeAlias = Literal["usd", "tokens"]
MEASURES: tuple[Measure, ...] = ("usd", "tokens")
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
        measure: what is counted.
        title: how messages call it; `{}` stands for its limit.
        remedy: what to do when nothing fits any more, in a sentence.
        participant: the name of the participant that it belongs to; '' for all.
        is_daily: whether it is filled anew every day.

    Attributes:
        reserved: for calls in flight, at their worst case.
        largest: the largest reservation of one call so far.
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
        """What a call may have to reserve beyond its cost.

        The last call of a unit fits only if this is left beside what the unit costs.
        """
        return self._overhead if self._settled_largest >= self.largest else self.largest

    def has_room(self, amount: float) -> bool:
        """Return whether an amount fits beside the calls in flight."""
        return amount <= 0 or self.spent + self.reserved + amount <= self.limit

    def check(self, amount: float) -> None:
        """Check that an amount would fit if the calls in flight cost nothing.

        Raises:
            BudgetReached: it would not.
        """
        if amount > 0 and self.spent + amount > self.limit:
            most = format_amount(amount, self.measure)
            self.refuse(f"the next call could cost up to {most}", amount)

    def refuse(self, what: str, amount: float) -> None:
        """Note that the limit is reached.

        Args:
            what: does not fit, in words.
            amount: that it needs.

        Raises:
            BudgetReached: always.
        """
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
