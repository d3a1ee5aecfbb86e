"""What a call took: tokens as its provider counted them, and USD."""

from __future__ import annotations

import math
from typing import Any

from arena.llm.request import Usage


def usage_of(answered: Any) -> Usage | None:  # noqa: ANN401 - one of LiteLLM's objects
    """The tokens that the provider counted; `None` where it sent no count.

    Reasoning is output. Most providers count it within `completion_tokens`; where the total says
    that one counts it on top (or there is more of it than of both), it is added here.
    """
    usage = getattr(answered, "usage", None)
    asked = getattr(usage, "prompt_tokens", None) or 0
    made = getattr(usage, "completion_tokens", None) or 0
    if not asked and not made:
        return None
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None) or 0
    details = getattr(usage, "completion_tokens_details", None)
    thought = getattr(details, "reasoning_tokens", None) or 0
    total = getattr(usage, "total_tokens", None) or 0
    on_top = thought > made or (thought > 0 and total == asked + made + thought)
    return Usage(
        input_tokens=asked,
        output_tokens=made + thought if on_top else made,
        cached_tokens=min(cached, asked),
        reasoning_tokens=thought,
    )


def cost_at(usage: Usage, price: tuple[float, float], cached: float | None = None) -> float:
    """USD for some tokens.

    Args:
        usage: the tokens; those that were cached are part of the input.
        price: USD per token of input and of output.
        cached: USD per cached token of input; the price of input where it is `None`.

    >>> usage = Usage(input_tokens=100, output_tokens=10, cached_tokens=60)
    >>> cost_at(usage, (2.0, 8.0)), cost_at(usage, (2.0, 8.0), 0.5)
    (280.0, 190.0)
    """
    first, second = price
    known = usage.cached_tokens * (first if cached is None else cached)
    return (usage.input_tokens - usage.cached_tokens) * first + known + usage.output_tokens * second


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: one per Chinese character, else four characters to one.

    >>> estimate_tokens("four words are here!"), estimate_tokens("四个汉字")
    (5, 4)
    """
    wide = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return wide + math.ceil((len(text) - wide) / 4)
