"""Counts of tokens that are none: what a provider may have sent in the place of numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping

_DETAILS = "_details"
_TOKENS = "_tokens"


def remove_absurd_count(body: bytes) -> bytes:
    """Return the body of a chat completion, without its `usage` if that holds no counts.

    LiteLLM fails on a count that is not a whole number, and an answer that is paid would be lost.

    >>> remove_absurd_count(b'{"choices": [], "usage": {"prompt_tokens": "many"}}')
    b'{"choices": []}'
    """
    if b'"usage"' not in body:
        return body
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(answer, dict) or "usage" not in answer or is_count(answer["usage"]):
        return body
    del answer["usage"]
    return json.dumps(answer, ensure_ascii=False).encode()


def is_count(usage: object) -> bool:
    """Return whether the tokens in a `usage` object are whole numbers, and none is negative."""
    if usage is None:
        return True
    if not isinstance(usage, Mapping):
        return False
    for name, value in usage.items():
        if value is None:
            continue
        if name.endswith(_TOKENS) and (type(value) is not int or value < 0):
            return False
        if name.endswith(_TOKENS + _DETAILS) and not is_count(value):
            return False
    return True
