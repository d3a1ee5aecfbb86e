"""The most that a model call can cost, which is reserved before it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from arena.llm.budget import Cost
from arena.llm.schemas import wire_schema

if TYPE_CHECKING:
    from arena.llm.request import Request

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


def most_cost(request: Request, price: tuple[float, float]) -> Cost:
    """Return the most that a request can cost, if the answer uses its whole token limit.

    Args:
        price: USD per token of input and of output, for a prompt of `max_prompt_tokens`.
    """
    tokens, limit = max_prompt_tokens(request), request.output_limit
    return Cost(tokens * price[0] + limit * price[1], tokens + limit)
