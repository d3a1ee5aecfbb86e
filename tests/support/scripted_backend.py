"""A backend that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.llm.budget import Budget
from arena.llm.calls import PayingAccess
from arena.llm.journal import Journal, UnitJournal
from arena.llm.request import Backend, Completion, Embeddings, FinishReason, Request, Usage
from arena.llm.session import CallSession
from arena.llm.traffic.rate_limiter import RateLimiter
from arena.simulator.embedding import embed_texts

Script = Callable[[Request], str | Completion]


def completion(text: str, *, finish: FinishReason = "stop", cost_usd: float = 0.0) -> Completion:
    """A completion of a text."""
    return Completion(
        text=text,
        finish_reason=finish,
        usage=Usage(input_tokens=10, output_tokens=len(text.split())),
        cost_usd=cost_usd,
        refusal=text if finish == "refusal" else "",
    )


class ScriptedBackend:
    """Answers every request by a function of it; `requests` holds them in order of arrival.

    Every answer waits for one turn of the event loop, so that calls which can run at the same
    time do.
    """

    def __init__(self, script: Script, *, price: tuple[float, float] = (0.0, 0.0)) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.embedded: list[list[str]] = []
        self._price = price

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        await asyncio.sleep(0)
        answer = self.script(request)
        return completion(answer) if isinstance(answer, str) else answer

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        self.embedded.append(list(texts))
        await asyncio.sleep(0)
        return Embeddings(
            vectors=embed_texts(texts),
            usage=Usage(input_tokens=10 * len(texts), output_tokens=0),
            cost_usd=10 * len(texts) * self._price[0],
        )

    def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
        return self._price


class ScriptedAccess(PayingAccess):
    """An `Access` whose every model is one scripted backend."""

    secrets: Collection[str] = ()

    def __init__(self, backend: Backend, *, retries: int = 0, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.retries = retries
        self.one = backend
        self._gate = RateLimiter()

    def backend(self, model: str) -> Backend:
        return self.one

    def gate(self, model: str) -> RateLimiter:
        return self._gate

    def extra_body(self, model: str) -> Mapping[str, Any]:
        return {}


def unit(access: ScriptedAccess, folder: Path, *, unit_id: str = "unit") -> CallSession:
    """A unit of work on a scripted backend, its journal in a folder, closed with `access`."""
    journal = Journal(folder).open(unit_id)
    session = CallSession(unit_id=unit_id, entropy="entropy", access=access, journal=journal)
    weakref.finalize(access, journal.close)
    return session


def unit_journal(session: CallSession) -> UnitJournal:
    """The journal of a session, in its file."""
    assert isinstance(session.journal, UnitJournal)
    return session.journal
