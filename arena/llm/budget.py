"""The spending cap: the worst case of a call is reserved before it, and settled after it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable

from arena.errors import BudgetReached
from arena.llm.request import Request

#: Tokens that a provider's chat format may add to a message, at most.
_TOKENS_PER_MESSAGE = 16


def most_tokens(request: Request) -> int:
    """The most tokens that a request's prompt can have.

    A byte-level tokenizer makes at most one token of a byte, so the bytes bound the tokens.
    """
    seen = len(request.text().encode()) + _TOKENS_PER_MESSAGE * (len(request.messages) + 1)
    if request.schema is not None:
        seen += len(request.schema.text().encode())
    return seen


def most_tokens_of(texts: Iterable[str]) -> int:
    """The most tokens that some texts can have, as `most_tokens` counts."""
    return sum(len(text.encode()) + _TOKENS_PER_MESSAGE for text in texts)


def worst_case(request: Request, price: tuple[float, float]) -> float:
    """The most that one answer to a request can cost, in USD; the answer is bounded by its limit.

    Args:
        request: what is asked.
        price: USD per token of input and of output, of a prompt of `most_tokens`.
    """
    return most_tokens(request) * price[0] + request.sampling.max_tokens * price[1]


class Budget:
    """The cap of one tournament, in USD, shared by all of its calls.

    Attributes:
        limit: the cap; `math.inf` for none.
        spent: what is settled, earlier runs included.
        reserved: worst cases of the calls in flight.
    """

    def __init__(self, limit: float = math.inf, *, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = 0.0
        self.reached = False
        self._settled = asyncio.Condition()

    async def reserve(self, usd: float) -> None:
        """Set `usd` aside; waits while calls in flight may still settle for less.

        Raises:
            BudgetReached: it does not fit, with nothing left to wait for.
        """
        async with self._settled:
            while self.spent + self.reserved + usd > self.limit:
                if self.reserved <= 0.0 or self.spent + usd > self.limit:
                    self.reached = True
                    raise BudgetReached(self._message(usd))
                await self._settled.wait()
            self.reserved += usd

    async def settle(self, usd: float, *, actual: float) -> None:
        """Turn a reservation of `usd` into the `actual` cost."""
        async with self._settled:
            self.reserved = max(0.0, self.reserved - usd)
            if self.reserved < 1e-12:
                self.reserved = 0.0
            self.spent += actual
            self._settled.notify_all()

    def _message(self, usd: float) -> str:
        return (
            f"the spending cap of {self.limit:.2f} USD is reached: {self.spent:.4f} USD are spent, "
            f"and the next call could cost up to {usd:.4f} USD. "
            "Raise `[limits] usd` in the file and run it again; nothing is lost."
        )
