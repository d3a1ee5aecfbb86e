"""The spending cap: a call's worst-case cost is reserved before it and settled after it."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterable

from arena.errors import BudgetReached
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


class Budget:
    """The spending cap of one tournament, in USD, shared by all of its calls.

    Attributes:
        limit: the cap; `math.inf` for none.
        spent: settled costs, those of earlier runs included.
        reserved: worst-case costs of the calls in flight.
        largest: the largest reservation of one call so far.
        reached: once something did not fit: which cap is reached, and what to do.
    """

    def __init__(self, limit: float = math.inf, *, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = self.largest = 0.0
        self.reached = ""
        self._settled = asyncio.Condition()

    def check(self, usd: float) -> None:
        """Check that `usd` would fit if the calls in flight cost nothing.

        Raises:
            BudgetReached: it would not.
        """
        if self.spent + usd > self.limit:
            self.reached = self.reached or self._message(usd)
            raise BudgetReached(self.reached)

    async def reserve(self, usd: float) -> None:
        """Reserve `usd`; wait while calls in flight may still settle for less than they reserved.

        Raises:
            BudgetReached: it does not fit, and no call in flight can change that.
        """
        self.largest = max(self.largest, usd)
        async with self._settled:
            while self.spent + self.reserved + usd > self.limit:
                self.check(usd)
                await self._settled.wait()
            self.reserved += usd

    async def settle(self, usd: float, *, actual: float) -> None:
        """Replace a reservation of `usd` by the `actual` cost."""
        async with self._settled:
            self.reserved = max(0.0, self.reserved - usd)
            if self.reserved < 1e-12:
                self.reserved = 0.0
            self.spent += actual
            self._settled.notify_all()

    def _message(self, usd: float) -> str:
        return (
            f"the spending cap of {self.limit:.2f} USD is reached: {self.spent:.4f} USD have been "
            f"spent, and the next call could cost up to {usd:.4f} USD. Raise `[limits] usd` in the "
            "file, or give --usd, and run it again; finished work is kept."
        )
