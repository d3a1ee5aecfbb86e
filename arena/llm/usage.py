"""Tokens and USD of a call: at most before it, counted or estimated after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.llm.request import Request, Usage
from arena.llm.worst_case import max_prompt_tokens

#: Tokens of a call that nobody sees: what a provider adds to a prompt, and thinking beyond the
#: limit of the answer, of which no model is known to do more.
_HIDDEN = 2**17


def count_usage(request: Request, response: Any, shown: str) -> Usage | None:  # noqa: ANN401
    """Return the provider's count of tokens; `None` where there is none that can be true.

    A side that is left out, or 0 although there is a text, is estimated: nothing is free because a
    field is missing.
    """
    counted = read_usage(response)
    if counted is None or is_absurd(counted, request, shown):
        return None
    return replace(
        counted,
        input_tokens=counted.input_tokens or estimate_tokens(request.text()),
        output_tokens=counted.output_tokens or estimate_tokens(shown),
        estimated=not counted.input_tokens or bool(shown and not counted.output_tokens),
    )


def is_absurd(usage: Usage, request: Request, shown: str) -> bool:
    """Return whether a count has more tokens than a call can have, with much room.

    A token has at least one byte of the text that is shown.
    """
    if max(usage.input_tokens, usage.output_tokens) <= _HIDDEN:
        return False
    most_input = max_prompt_tokens(request) + _HIDDEN
    most_output = len(shown.encode(errors="replace")) + request.output_limit + _HIDDEN
    return usage.input_tokens > most_input or usage.output_tokens > most_output


def read_usage(response: Any) -> Usage | None:  # noqa: ANN401 - one of LiteLLM's objects
    """Read the tokens that the provider counted; `None` where it sent no count, or an absurd one.

    Reasoning is part of the output. Most providers count it within `completion_tokens`; where the
    total shows that it comes on top (or there is more of it than of the output), it is added here.
    """
    usage = getattr(response, "usage", None)
    prompt = getattr(usage, "prompt_tokens", None) or 0
    completion = getattr(usage, "completion_tokens", None) or 0
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None)
    cached = cached or getattr(usage, "prompt_cache_hit_tokens", None)  # DeepSeek
    cached = cached or getattr(usage, "cache_read_input_tokens", None) or 0  # Anthropic's models
    details = getattr(usage, "completion_tokens_details", None)
    reasoning = getattr(details, "reasoning_tokens", None)
    reasoning = reasoning or getattr(usage, "reasoning_tokens", None) or 0  # SGLang
    total = getattr(usage, "total_tokens", None) or 0
    if not (prompt or completion) or min(prompt, completion, cached, reasoning, total) < 0:
        return None
    on_top = reasoning > completion or (reasoning > 0 and total == prompt + completion + reasoning)
    output = completion + reasoning if on_top else completion
    return Usage(
        input_tokens=prompt,
        output_tokens=output,
        cached_tokens=min(cached, prompt),
        reasoning_tokens=reasoning,
    )


def count_embedded(response: Any, texts: Sequence[str]) -> tuple[Usage, bool]:  # noqa: ANN401
    """Return the tokens of embedded texts, and whether the provider counted them.

    A count that cannot be true is estimated: one that is no number, or has more tokens than bytes.
    """
    usage = getattr(response, "usage", None)
    tokens = getattr(usage, "prompt_tokens", None)
    most = sum(len(text.encode(errors="replace")) for text in texts) + _HIDDEN
    if type(tokens) is int and 0 < tokens <= most and (counted := read_usage(response)):
        return counted, True
    estimate = sum(map(estimate_tokens, texts))
    return Usage(input_tokens=estimate, output_tokens=0, estimated=True), False


def cost_at(usage: Usage, price: tuple[float, float], cached: float | None = None) -> float:
    """Return the cost of tokens in USD, at a price.

    Args:
        price: USD per token of input and of output.
        cached: USD per cached token of input; the price of input where it is `None`.

    >>> usage = Usage(input_tokens=100, output_tokens=10, cached_tokens=60)
    >>> cost_at(usage, (2.0, 8.0)), cost_at(usage, (2.0, 8.0), 0.5)
    (280.0, 190.0)
    """
    input_price, output_price = price
    from_cache = usage.cached_tokens * (input_price if cached is None else cached)
    new_tokens = usage.input_tokens - usage.cached_tokens
    return new_tokens * input_price + from_cache + usage.output_tokens * output_price


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per Chinese character, one per four other characters.

    >>> estimate_tokens("four words are here!"), estimate_tokens("四个汉字")
    (5, 4)
    """
    wide = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return wide + math.ceil((len(text) - wide) / 4)
