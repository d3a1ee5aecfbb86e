"""The faults that a server can have, and which request meets which."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

Broken: TypeAlias = Literal["rate_limit", "server_error", "drop", "empty_choices", "malformed"]
Odd: TypeAlias = Literal[
    "prose", "wrong_type", "cut_off", "refusal", "content_filter", "empty_content"
]
#: Answers that stop: half of a body, or nothing for as long as the caller waits.
Stopped: TypeAlias = Literal["truncated", "hang"]
Fault: TypeAlias = Broken | Odd | Stopped

BROKEN: tuple[Broken, ...] = get_args(Broken)
ODD: tuple[Odd, ...] = get_args(Odd)
STOPPED: tuple[Stopped, ...] = get_args(Stopped)
REFUSAL = "I can't help with that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Which faults occur.

    Attributes:
        rates: the share of requests that meet a fault, by its kind; 1 in total at most.
        script: what the first requests meet, in the order of their arrival; `None` for nothing.
        seed: of the draws, which depend on the request and on how often it was asked, never on
            the order of arrival.
        retry_after: what a 429 says in its `Retry-After`; empty for no such header.
    """

    rates: Mapping[Fault, float] = field(default_factory=dict)
    script: tuple[Fault | None, ...] = ()
    seed: int = 0
    retry_after: str = "0"

    def __post_init__(self) -> None:
        known = (*BROKEN, *ODD, *STOPPED)
        if unknown := {*self.rates, *filter(None, self.script)} - set(known):
            raise ValueError(f"unknown faults {sorted(unknown)}; known: {list(known)}.")
        if sum(self.rates.values()) > 1:
            raise ValueError(f"the rates add up to more than 1: {dict(self.rates)}.")

    def draw(self, *, arrival: int, digest: str, times: int) -> Fault | None:
        """What a request meets: its place in the script, else by its rates."""
        if arrival < len(self.script):
            return self.script[arrival]
        drawn = random.Random(f"{self.seed}|{digest}|{times}").random()
        for kind, rate in self.rates.items():
            drawn -= rate
            if drawn < 0:
                return kind
        return None


def spoil(fault: Fault | None, text: str) -> tuple[dict[str, Any], str]:
    """The message and the finish reason of an answer that meets a fault of its content."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    match fault:
        case "prose":
            message["content"] = f"Sure! Here is what you asked for:\n\n{text}\n\nI hope it helps."
        case "wrong_type":
            message["content"] = _wrong_type(text)
        case "cut_off":
            message["content"] = text[: len(text) // 2]
            return message, "length"
        case "refusal":
            message |= {"content": None, "refusal": REFUSAL}
        case "content_filter":
            message["content"] = ""
            return message, "content_filter"
        case "empty_content":
            message["content"] = ""
    return message, "stop"


def _wrong_type(text: str) -> str:
    # The first field of an object becomes an object of objects, which no form asks for.
    try:
        document = json.loads(text)
    except ValueError:
        return json.dumps([text])
    if not isinstance(document, dict) or not document:
        return json.dumps([document])
    first = next(iter(document))
    return json.dumps(document | {first: {"value": {"wrong": True}}}, ensure_ascii=False)
