"""A unit of work and its calls: journalled, budgeted, limited, retried, and collected.

The unit is one debate, or one run of a bench on one debate. Played again after a crash it asks
the same calls in the same places, and finds the finished ones in its journal.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from arena.errors import ContentFault, InfrastructureFault, ProviderRejected
from arena.llm.backend import Backend, Completion, Request, Usage
from arena.llm.budget import Budget, worst_case
from arena.llm.journal import UnitJournal
from arena.llm.limits import Gate
from arena.records import Call, digest

#: First and longest pause before a retry, in seconds.
_PAUSE = (0.5, 30.0)
#: A hint for longer than this is not worth waiting for within one call, in seconds.
_LONGEST_HINT = 120.0


class Access(Protocol):
    """How a run reaches its models: shared by all of its units."""

    budget: Budget
    retries: int

    def backend(self, model: str) -> Backend:
        """The backend that serves a model."""
        ...

    def gate(self, model: str) -> Gate:
        """The gate that calls of a model pass."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A completion with what it took to get it."""

    completion: Completion
    cost_usd: float
    seconds: float
    retries: int


@dataclass(slots=True, kw_only=True)
class Unit:
    """One unit of work.

    Attributes:
        unit_id: debate id or ballot id.
        entropy: what the sampling seeds of its calls are made from, beside path and attempt.
    """

    unit_id: str
    entropy: str
    access: Access
    journal: UnitJournal
    calls: list[Call] = field(default_factory=list)
    _exchanges: list[dict[str, Any]] = field(default_factory=list)

    @property
    def cost_usd(self) -> float:
        """What its calls cost, lost answers included."""
        return sum(call.cost_usd for call in self.calls)

    def seed(self, path: str, attempt: int) -> int:
        """The sampling seed of a call: 31 bits."""
        text = f"{self.entropy}|{path}|{attempt}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    async def call(self, request: Request) -> Completion:
        """The completion of a request, from the journal or from its model.

        Raises:
            InfrastructureFault: no answer after all retries.
            BudgetReached: the call could exceed the cap.
            JournalMismatch: the journal holds another request in this place.
        """
        key = (request.path, request.attempt)
        known = self.journal.find(*key, request.hash())
        if known is None:
            settled = await self._make(request)
            await self.journal.append(
                *key,
                request_hash=request.hash(),
                usd=settled.completion.cost_usd,
                cost_usd=settled.cost_usd,
                completion=asdict(settled.completion),
                seconds=settled.seconds,
                retries=settled.retries,
            )
        else:
            settled = _settled(known)
        self._collect(request, settled)
        return settled.completion

    async def search(
        self, query: str, *, path: str, find: Callable[[], Awaitable[list[dict[str, str]]]]
    ) -> list[dict[str, str]]:
        """What a search returned, from the journal or from `find`; noted like a call."""
        identity = digest("search", query)
        known = self.journal.find(path, 0, identity)
        if known is not None:
            return list(known["found"])
        found = await find()
        await self.journal.append(path, 0, request_hash=identity, found=found)
        return found

    def exchanges(self) -> bytes:
        """All requests and answers, as compressed JSON: by path and attempt, sorted."""
        ordered = sorted(self._exchanges, key=lambda one: (one["path"], one["attempt"]))
        return zlib.compress(json.dumps(ordered, ensure_ascii=False).encode(), 6)

    async def _make(self, request: Request) -> Settled:
        access = self.access
        worst = worst_case(request, access.backend(request.model).price(request.model))
        earlier = self.journal.charge(request.path, request.attempt)
        started, lost = time.monotonic(), 0.0
        for retry in range(access.retries + 1):
            try:
                completion = await self._try(request, worst)
            except InfrastructureFault as fault:
                lost += worst if fault.billed_usd is None else fault.billed_usd
                if isinstance(fault, ProviderRejected) or retry == access.retries:
                    raise
                await asyncio.sleep(_pause(fault, retry))
            else:
                return Settled(
                    completion=completion,
                    cost_usd=completion.cost_usd + lost + earlier,
                    seconds=round(time.monotonic() - started, 4),
                    retries=retry,
                )
        raise AssertionError("the loop returns or raises")

    async def _try(self, request: Request, worst: float) -> Completion:
        access, gate = self.access, self.access.gate(request.model)
        await access.budget.reserve(worst)
        actual = worst  # what a cancelled call counts for
        sent = False
        try:
            async with gate.open():
                if worst > 0:
                    self.journal.note("start", request.path, request.attempt, usd=worst)
                sent = True
                completion = await access.backend(request.model).complete(request)
            actual = completion.cost_usd
            return completion
        except InfrastructureFault as fault:
            actual = worst if fault.billed_usd is None else fault.billed_usd
            self.journal.note("lost", request.path, request.attempt, usd=actual)
            if fault.retry_after is not None and fault.retry_after <= _LONGEST_HINT:
                gate.pause(fault.retry_after)
            raise
        except ContentFault:  # a prompt that is too long: refused before anything was billed
            actual = 0.0
            self.journal.note("lost", request.path, request.attempt, usd=0.0)
            raise
        finally:
            await access.budget.settle(worst, actual=actual if sent else 0.0)

    def _collect(self, request: Request, settled: Settled) -> None:
        completion = settled.completion
        usage = completion.usage
        self.calls.append(
            Call(
                path=request.path,
                attempt=request.attempt,
                task=request.task,
                prompt_hash=request.prompt_hash,
                model=request.model,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=usage.cached_tokens,
                reasoning_tokens=usage.reasoning_tokens,
                cost_usd=settled.cost_usd,
                seconds=settled.seconds,
                retries=settled.retries,
                finish_reason=completion.finish_reason,
                dropped=", ".join(completion.dropped),
            )
        )
        self._exchanges.append(
            {
                "path": request.path,
                "attempt": request.attempt,
                "model": request.model,
                "seed": request.seed,
                "messages": [[message.role, message.text] for message in request.messages],
                "answer": completion.text or completion.refusal,
                "dropped": list(completion.dropped),
            }
        )


def _pause(fault: InfrastructureFault, retry: int) -> float:
    if fault.retry_after is not None:
        return min(fault.retry_after, _LONGEST_HINT)
    longest = min(_PAUSE[0] * 2**retry, _PAUSE[1])
    return random.uniform(longest / 2, longest)  # noqa: S311 - timing only, never content


def _settled(line: Mapping[str, Any]) -> Settled:
    noted = dict(line["completion"])
    usage = Usage(**noted.pop("usage"))
    dropped = tuple(noted.pop("dropped"))
    return Settled(
        completion=Completion(**noted, usage=usage, dropped=dropped),
        cost_usd=line["cost_usd"],
        seconds=line["seconds"],
        retries=line["retries"],
    )
