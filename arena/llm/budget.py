"""The spending caps: a call's worst-case cost is reserved before it and settled after it."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from arena.llm.purse import REMEDY, Cost, Measure, Purse, current_account
from arena.llm.request import Request
from arena.llm.wire_schema import wire_schema

#: Tokens that a provider's chat format adds to a message, at most.
_TOKENS_PER_MESSAGE = 16


def max_prompt_tokens(request: Request) -> int:
    """Return the most tokens that a request's prompt can have.

    A byte-level tokenizer makes at most one token per byte, so the bytes bound the tokens.
    """
    tokens = len(request.text().encode()) + _TOKENS_PER_MESSAGE * (len(request.messages) + 1)
    if (schema := request.sent_schema) is not None:
        sent = json.dumps(wire_schema(schema.body), ensure_ascii=False)
        tokens += max(len(schema.text().encode()), len(sent.encode()))
    return tokens


def max_text_tokens(texts: Iterable[str]) -> int:
    """Return the most tokens that texts can have, by the rule of `max_prompt_tokens`."""
    return sum(len(text.encode()) + _TOKENS_PER_MESSAGE for text in texts)


def worst_case(request: Request, price: tuple[float, float]) -> float:
    """Return the most that a request can cost, in USD, if the answer uses its whole token limit.

    Args:
        request: the request.
        price: USD per token of input and of output, for a prompt of `max_prompt_tokens`.
    """
    return max_prompt_tokens(request) * price[0] + request.output_limit * price[1]


def most_cost(request: Request, price: tuple[float, float]) -> Cost:
    """Return the most that a request can cost, in USD and in tokens; see `worst_case`."""
    return Cost(worst_case(request, price), max_prompt_tokens(request) + request.output_limit)


class Days(Protocol):
    """When a day begins, and what had been spent by then."""

    def turn(self, spent: Cost) -> Cost | None:
        """Return what had been spent when the day began that it is now.

        Args:
            spent: in all, up to now.

        Returns:
            `None` where it is the same day as at the last call.
        """
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
        daily: the purses of a day.
        participants: the purses of single participants, by participant id.
        days: when a day begins; needed for `daily`.

    Attributes:
        usd, tokens: the purses of the whole tournament.
        unbilled: the part of `spent` that counts for answers whose bill is not known, in USD.
        days: when a day begins; `None` where that makes no difference.
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
        self._settled = asyncio.Condition()
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
        own = (purse for purses in self._participants.values() for purse in purses)
        return (*self.purses(), *own)

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens have a limit, so that those of free calls count, too."""
        return any(purse.measure == "tokens" for purse in self.limited)

    def purses(self, payer: str = "", measure: Measure | None = None) -> list[Purse]:
        """Return the purses with a limit of a participant, or those on which every call draws.

        Args:
            payer: the participant's id; '' for what every call draws on.
            measure: of the purses; `None` for both.
        """
        return [
            purse
            for purse in (self._participants.get(payer, ()) if payer else self._common)
            if measure in (None, purse.measure) and math.isfinite(purse.limit)
        ]

    def turn(self) -> None:
        """Fill the purses of the day anew where a day has begun."""
        if self.days is None:
            return
        total = Cost(self.usd.spent, self.tokens.spent)
        mark = self.days.turn(total)
        if mark is not None:
            for purse in self._daily:
                purse.begin_day(total.less(mark).of(purse.measure))

    def check(self, cost: Cost, *, payer: str = "") -> None:
        """Check that a call would fit if the calls in flight cost nothing.

        Args:
            cost: the most that it can cost.
            payer: the id of the participant whose call it is; '' where it is nobody's.

        Raises:
            BudgetReached: it would not.
        """
        self.turn()
        for purse in self._drawn(payer):
            purse.check(cost.of(purse.measure))

    async def reserve(self, cost: Cost, *, payer: str = "") -> None:
        """Reserve the most that a call can cost; wait while others may still settle for less.

        Raises:
            BudgetReached: it does not fit, and no call in flight can change that.
        """
        purses = self._drawn(payer)
        async with self._settled:
            self.check(cost, payer=payer)
            while not all(purse.has_room(cost.of(purse.measure)) for purse in purses):
                await self._settled.wait()
                self.check(cost, payer=payer)
            for purse in purses:
                purse.reserve(cost.of(purse.measure))

    async def settle(
        self, cost: Cost, *, actual: Cost, payer: str = "", is_known: bool = True
    ) -> None:
        """Replace a reservation by the actual cost.

        Args:
            cost: as it was reserved.
            actual: what counts.
            payer: as it was reserved.
            is_known: whether that is what was billed; otherwise it is the worst case of an answer
                that was lost.
        """
        account = current_account.get()
        async with self._settled:
            self.unbilled += 0.0 if is_known else actual.usd
            for purse in self._drawn(payer):
                amount = actual.of(purse.measure)
                purse.settle(cost.of(purse.measure), actual=amount, is_known=is_known)
                if account is not None:
                    account.charge(purse, amount, is_known=is_known)
            self._settled.notify_all()

    def _drawn(self, payer: str) -> list[Purse]:
        return [*self._common, *self._participants.get(payer, ())]
