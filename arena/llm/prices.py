"""Prices of models by LiteLLM's list. Nothing here imports LiteLLM: it is passed in."""

from __future__ import annotations

from types import ModuleType

from arena.errors import MissingPrice
from arena.llm.keys import LOCAL


def listed_price(litellm: ModuleType, model: str, prompt_tokens: int) -> tuple[float, float]:
    """Return USD per token of input and of output, at most, for prompts of a length.

    Raises:
        MissingPrice: the list has no price of the model.
    """
    try:
        prompt_usd, token_usd = litellm.cost_per_token(
            model=model, prompt_tokens=prompt_tokens, completion_tokens=1
        )
    except Exception:
        prompt_usd = token_usd = 0.0
    # Many entries of the list have no price per token, which reads as 0.
    if not prompt_usd + token_usd and not model.startswith(LOCAL):
        raise MissingPrice(model)
    # Some models charge more for reasoning than for the answer.
    entry = litellm.model_cost.get(model, {})
    reasoning_usd = entry.get("output_cost_per_reasoning_token") or 0.0
    return float(prompt_usd) / prompt_tokens, max(float(token_usd), float(reasoning_usd))
