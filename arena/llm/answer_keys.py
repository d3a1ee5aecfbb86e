"""Our keys in a model's answer: an answer is stored, shown and quoted in prompts without them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from arena.llm.faults import remove_secrets
from arena.llm.request import Completion

#: Shorter values, such as "none" or "local", are words that an answer may well contain.
SHORTEST: Final = 8


def without_keys(answer: Completion, keys: Iterable[str]) -> Completion:
    """Replace our keys in an answer, configured ones and those of the environment, by `[key]`.

    Args:
        answer: of a model.
        keys: that are configured.
    """
    keys = tuple(keys)
    cleaned = {
        name: remove_secrets(getattr(answer, name), keys, shortest=SHORTEST)
        for name in ("text", "refusal")
    }
    if all(getattr(answer, name) == text for name, text in cleaned.items()):
        return answer
    return replace(answer, text=cleaned["text"], refusal=cleaned["refusal"])
