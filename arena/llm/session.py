"""A unit of work and its calls: journalled, budgeted, limited, retried, and collected.

The unit is one debate, or one run of a bench on one debate. Played again after a crash it asks
the same calls in the same places, and finds the finished ones in its journal.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.llm.budget import most_tokens, most_tokens_of, worst_case
from arena.llm.calls import Access, PaidCall, Settled, persistent, settle
from arena.llm.journal import UnitJournal
from arena.llm.request import Completion, Embedded, Request, Usage
from arena.llm.vectors import packed, unpacked
from arena.records import Call, digest


@dataclass(slots=True, kw_only=True)
class CallSession:
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
        key, identity = (request.path, request.attempt), request.hash()
        known = self.journal.find(*key, identity)
        if known is None:
            settled = await self._make(request)
            await self.journal.append(
                *key,
                request_hash=identity,
                usd=settled.answer.cost_usd,
                cost_usd=settled.cost_usd,
                completion=asdict(settled.answer),
                seconds=settled.seconds,
                retries=settled.retries,
            )
        else:
            settled = _settled(known)
        self._collect(request, settled)
        return settled.answer

    async def embed(self, texts: Sequence[str], *, model: str, path: str) -> NDArray[np.float64]:
        """The embeddings of some texts, from the journal or from a model: one request.

        Args:
            texts: at least one.
            model: provider and name.
            path: of the call, within the unit.

        Returns:
            (texts, dimensions), in single precision, as the journal keeps them.

        Raises:
            InfrastructureFault: no answer after all retries.
            BudgetReached: the call could exceed the cap.
            JournalMismatch: the journal holds other texts in this place.
        """
        identity = digest("embed", model, list(texts))
        known = self.journal.find(path, 0, identity)
        if known is None:
            settled = await self._embedded(texts, model, path)
            known = {
                "request_hash": identity,
                "usd": settled.answer.cost_usd,
                "cost_usd": settled.cost_usd,
                "usage": asdict(settled.answer.usage),
                "vectors": packed(settled.answer.vectors),
                "seconds": settled.seconds,
                "retries": settled.retries,
            }
            await self.journal.append(path, 0, **known)
        self._collect_embedded(texts, known, model=model, path=path)
        return unpacked(known["vectors"])

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

    async def _make(self, request: Request) -> Settled[Completion]:
        backend = self.access.backend(request.model)
        call = PaidCall(
            path=request.path,
            attempt=request.attempt,
            model=request.model,
            worst=worst_case(request, backend.price(request.model, most_tokens(request))),
            ask=lambda: backend.complete(request),
        )
        return await settle(call, self.access, self.journal)

    async def _embedded(self, texts: Sequence[str], model: str, path: str) -> Settled[Embedded]:
        backend, most = self.access.backend(model), most_tokens_of(texts)
        call = PaidCall(
            path=path,
            attempt=0,
            model=model,
            worst=most * backend.price(model, most)[0],
            ask=lambda: backend.embed(model, texts),
        )
        return await settle(call, self.access, self.journal)

    def _collect(self, request: Request, settled: Settled[Completion]) -> None:
        completion = settled.answer
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

    def _collect_embedded(
        self, texts: Sequence[str], known: Mapping[str, Any], *, model: str, path: str
    ) -> None:
        self.calls.append(
            Call(
                path=path,
                attempt=0,
                task="embed",
                prompt_hash="",
                model=model,
                **known["usage"],
                cost_usd=known["cost_usd"],
                seconds=known["seconds"],
                retries=known["retries"],
                finish_reason="stop",
            )
        )
        count, dimensions = known["vectors"]["shape"]
        self._exchanges.append(
            {
                "path": path,
                "attempt": 0,
                "model": model,
                "messages": [["user", text] for text in texts],
                "answer": f"{count} vectors of {dimensions} dimensions",
            }
        )


def _settled(line: Mapping[str, Any]) -> Settled[Completion]:
    noted = dict(line["completion"])
    usage = Usage(**noted.pop("usage"))
    dropped = tuple(noted.pop("dropped"))
    return Settled(
        answer=Completion(**noted, usage=usage, dropped=dropped),
        cost_usd=line["cost_usd"],
        seconds=line["seconds"],
        retries=line["retries"],
    )
