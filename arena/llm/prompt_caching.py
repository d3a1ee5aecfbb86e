"""Asking a provider to keep the beginning of a prompt, where it must be asked.

Only Anthropic must: other providers cache by themselves. What is marked is the system part. Within
a stage of a debate several calls of the same side share it (the rules, the motion and the debate so
far), and nothing after it is the same in two calls. Reading it back costs a tenth of the price of
input, writing it a quarter more than that price, so a part that is too short to be cached is left
alone. Marks stand outside the identity of a request: they change its price and not its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arena.llm.usage import estimate_tokens

#: Providers that cache only what is marked.
ASKED: Final = frozenset({"anthropic"})
#: The shortest part that any of their models caches, in tokens.
_SHORTEST = 1024
_MARK: Final = {"type": "ephemeral"}


def mark_beginning(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages whose system part is to be cached, if it is long enough.

    Args:
        messages: in OpenAI's form, with texts as contents.
    """
    if not messages or messages[0]["role"] != "system":
        return list(messages)
    text = messages[0]["content"]
    if estimate_tokens(text) < _SHORTEST:
        return list(messages)
    block = {"type": "text", "text": text, "cache_control": dict(_MARK)}
    return [{**messages[0], "content": [block]}, *messages[1:]]
