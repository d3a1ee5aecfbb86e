"""A unit of work and its calls: journalled, budgeted, limited, retried, and collected.

The unit is one debate, or one run of a bench on one debate. Played again after a crash it asks
the same calls in the same places, and finds the finished ones in its journal.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from arena.errors import ArenaError, ContentFault, InfrastructureFault
from arena.llm.backend import Backend, Completion, Request, Usage
from arena.llm.budget import Budget, most_tokens, worst_case
from arena.llm.journal import UnitJournal
from arena.llm.limits import Gate
from arena.llm.retrying import LONGEST_HINT, persistent
from arena.records import Call, digest


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
        failed_searches: why searches failed, one entry for each.
    """

    unit_id: str
    entropy: str
    access: Access
    journal: UnitJournal
    calls: list[Call] = field(default_factory=list)
    failed_searches: list[str] = field(default_factory=list)
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
    ) -> tuple[list[dict[str, str]], str]:
        """What a search returned, and why it failed if it did; from the journal or from `find`.

        It is retried and noted like a call of a model. A failure is noted too: played again, the
        unit has to be told the same.
        """
        identity = digest("search", query)
        known = self.journal.find(path, 0, identity)
        if known is None:
            found, failure = await self._found(find)
            await self.journal.append(path, 0, request_hash=identity, found=found, failure=failure)
        else:
            found, failure = list(known["found"]), str(known.get("failure", ""))
        if failure:
            self.failed_searches.append(failure)
        return found, failure

    def exchanges(self) -> bytes:
        """All requests and answers, as compressed JSON: by path and attempt, sorted."""
        ordered = sorted(self._exchanges, key=lambda one: (one["path"], one["attempt"]))
        return zlib.compress(json.dumps(ordered, ensure_ascii=False).encode(), 6)

    async def _found(
        self, find: Callable[[], Awaitable[list[dict[str, str]]]]
    ) -> tuple[list[dict[str, str]], str]:
        try:
            return (await persistent(find, retries=self.access.retries))[0], ""
        except ArenaError as fault:
            return [], str(fault)
        except Exception as bug:  # a stranger's tool: a speech can do without it
            return [], f"{type(bug).__name__}: {bug}"

    async def _make(self, request: Request) -> Settled:
        access = self.access
        price = access.backend(request.model).price(request.model, most_tokens(request))
        worst = worst_case(request, price)
        earlier = self.journal.charge(request.path, request.attempt)
        started, lost = time.monotonic(), [0.0]

        async def attempt() -> Completion:
            try:
                return await self._try(request, worst)
            except InfrastructureFault as fault:
                lost.append(worst if fault.billed_usd is None else fault.billed_usd)
                raise

        completion, retries = await persistent(attempt, retries=access.retries)
        return Settled(
            completion=completion,
            cost_usd=completion.cost_usd + sum(lost) + earlier,
            seconds=round(time.monotonic() - started, 4),
            retries=retries,
        )

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
            if fault.retry_after is not None and fault.retry_after <= LONGEST_HINT:
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
