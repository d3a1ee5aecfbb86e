"""What a server saw and what it would have billed."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One HTTP request that asked for a chat completion.

    Attributes:
        digest: identity of seed and messages.
        times: how often this digest was asked before, this time included.
        in_flight: requests under way when it arrived, itself included.
        started: seconds on the monotonic clock.
        seconds: how long it took.
        fate: `answered`, `lost`, or the fault that it met.
    """

    seed: int | None
    digest: str
    times: int
    in_flight: int
    started: float
    seconds: float
    status: int
    fate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Tokens and USD of one answer; `worst_usd` counts it at its limit, and nothing as cached.

    Attributes:
        model: that answered.
        cached_tokens: part of the input.
        reasoning_tokens: part of the output.
    """

    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    usd: float
    worst_usd: float
    worst_tokens: int


class Ledger:
    """The log of a server, and its own count of what was spent.

    Attributes:
        requests: finished chat requests, in the order in which they ended.
        http_requests: all HTTP requests, refused ones and other addresses included.
        answered_usd: answers that were sent whole.
        lost_usd: answers that were made and never arrived, at their own length.
        lost_worst_usd: the same answers at the limit of their length.
        usd_by_model, tokens_by_model: of all answers, lost ones at the limit of their length.
        last_body: the body of the latest chat request.
    """

    def __init__(
        self,
        usd_per_token: tuple[float, float] = (0.0, 0.0),
        *,
        usd_per_cached: float | None = None,
    ) -> None:
        self.usd_per_token = usd_per_token
        self.usd_per_cached = usd_per_token[0] if usd_per_cached is None else usd_per_cached
        self.requests: list[Seen] = []
        self.times: Counter[str] = Counter()
        self.http_requests = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self.connections: set[int] = set()
        self.answered_usd = 0.0
        self.lost_usd = 0.0
        self.lost_worst_usd = 0.0
        self.usd_by_model: Counter[str] = Counter()
        self.tokens_by_model: Counter[str] = Counter()
        self.last_body: dict[str, Any] = {}

    def arrive(self, digest: str) -> int:
        """Note an arrival; how often this request was asked, now included."""
        self.times[digest] += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        return self.times[digest]

    def leave(
        self, *, seed: int | None, digest: str, started: float, status: int, fate: str
    ) -> None:
        """Note the end of a request."""
        self.requests.append(
            Seen(
                seed=seed,
                digest=digest,
                times=self.times[digest],
                in_flight=self.in_flight,
                started=started,
                seconds=time.monotonic() - started,
                status=status,
                fate=fate,
            )
        )
        self.in_flight -= 1

    def bill(
        self, body: Mapping[str, Any], text: str, *, cached: int = 0, reasoning: int = 0
    ) -> Bill:
        """What an answer costs: cached tokens are part of the prompt, reasoning is output."""
        asked = sum(tokens(str(message["content"])) + 4 for message in body["messages"])
        answered = min(tokens(text) + reasoning, limit(body))
        first, second = self.usd_per_token
        cached = min(cached, asked)
        return Bill(
            model=str(body.get("model", "")),
            input_tokens=asked,
            output_tokens=answered,
            cached_tokens=cached,
            reasoning_tokens=min(reasoning, answered),
            usd=(asked - cached) * first + cached * self.usd_per_cached + answered * second,
            worst_usd=asked * first + limit(body) * second,
            worst_tokens=asked + limit(body),
        )

    def charge(self, bill: Bill) -> None:
        """Count an answer that was sent."""
        self.answered_usd += bill.usd
        self._count(bill, bill.usd, bill.input_tokens + bill.output_tokens)

    def lose(self, bill: Bill) -> None:
        """Count an answer that nobody received."""
        self.lost_usd += bill.usd
        self.lost_worst_usd += bill.worst_usd
        self._count(bill, bill.worst_usd, bill.worst_tokens)

    def _count(self, bill: Bill, usd: float, tokens: int) -> None:
        self.usd_by_model[bill.model] += usd  # type: ignore[assignment]
        self.tokens_by_model[bill.model] += tokens

    @property
    def repeated(self) -> int:
        """Requests that had been asked before."""
        return self.times.total() - len(self.times)


def identity(body: Mapping[str, Any]) -> str:
    """What tells requests apart: their seed and their messages."""
    text = json.dumps([body.get("seed"), body["messages"]], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def tokens(text: str) -> int:
    """A tokenizer's count, roughly: four bytes to a token."""
    return len(text.encode()) // 4 + 1 if text else 0


def limit(body: Mapping[str, Any]) -> int:
    """The most tokens that an answer may have."""
    return int(body.get("max_completion_tokens") or body.get("max_tokens") or 4096)
