"""The calls of one unit of work: made once, journalled, paid for, and recorded.

A unit of work is one debate, or one run of a bench on one debate. If it is run again after a
crash, it makes the same calls at the same paths, and those that had finished are read from its
journal.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import zlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError, JournalMismatch, StoreError
from arena.llm import calls as records
from arena.llm.budget import Cost
from arena.llm.calls import Access, Line, PaidCall, retry
from arena.llm.context_window import find_window, limit_thinking
from arena.llm.faults import remove_secrets
from arena.llm.journal import CallJournal, CallKey, JournalSource
from arena.llm.request import Completion, Request, with_thinking_room
from arena.llm.worst_case import max_prompt_tokens, max_text_tokens, most_cost
from arena.records import Call, Step, digest
from arena.text import whole_characters

_Find = Callable[[], Awaitable[list[dict[str, str]]]]


@dataclass(slots=True, kw_only=True)
class CallSession:
    """The calls of one unit of work.

    Attributes:
        unit_id: debate id or ballot id.
        entropy: what the sampling seeds of its calls are derived from, with path and attempt.
        payers: the ids of the participants on whose purses its calls draw, by the first part of
            their paths: the side.
        failed_searches: why searches failed, one entry per failed search.
    """

    unit_id: str
    entropy: str
    access: Access
    journal: CallJournal
    payers: Mapping[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    failed_searches: list[str] = field(default_factory=list)
    _left_out: dict[tuple[str, int], Step] = field(default_factory=dict)
    _exchanges: list[dict[str, Any]] = field(default_factory=list)
    _under_way: set[asyncio.Future[None]] = field(default_factory=set)
    _ended: bool = False

    @property
    def cost_usd(self) -> float:
        """What its calls cost in USD, lost answers included."""
        return sum(call.cost_usd for call in self.calls)

    def seed(self, path: str, attempt: int) -> int:
        """Return the sampling seed of a call: 31 bits."""
        text = f"{self.entropy}|{path}|{attempt}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    async def call(self, request: Request) -> Completion:
        """Return the completion of a request, from the journal or from its model.

        Raises:
            InfrastructureFault: no answer after all retries.
            BudgetReached: the call could exceed the cap.
            JournalMismatch: the journal holds another request in this place.
        """
        if extra_body := self.access.extra_body(request.model):
            request = replace(request, extra_body=extra_body)
        line = await self._find_or_make(
            (request.path, request.attempt),
            "completion",
            request.hash(),
            lambda request_hash: self._complete(request, request_hash),
        )
        completion, call, exchange = records.read_completion(request, line)
        self.calls.append(call)
        self._exchanges.append(exchange)
        return completion

    async def embed(self, texts: Sequence[str], *, model: str, path: str) -> NDArray[np.float64]:
        """Return the embeddings of texts, from the journal or from a model: one request.

        They have the shape (texts, dimensions), in single precision, as the journal keeps them. It
        raises like `call`.
        """
        request_hash = digest("embed", model, list(texts))
        line = await self._find_or_make(
            (path, 0), "vectors", request_hash, lambda key: self._embed(texts, model, path, key)
        )
        vectors, call, exchange = records.read_embeddings(texts, line, model=model, path=path)
        self.calls.append(call)
        self._exchanges.append(exchange)
        return vectors

    async def search(
        self, query: str, *, path: str, find: _Find
    ) -> tuple[list[dict[str, str]], str]:
        """Return a search's findings, and why it failed if it did, from the journal or from `find`.

        A search is retried and journalled like a model's call. A failure is journalled too: a unit
        that is run again must get the same result.
        """
        request_hash = digest("search", query)
        line = await self._find_or_make(
            (path, 0), "found", request_hash, lambda key: self._search(find, path, key)
        )
        failure = str(line.get("failure", ""))  # older journals hold successful searches only
        if failure:
            self.failed_searches.append(failure)
        return list(line["found"]), failure

    def note_reading(self, path: str, attempt: int, bent: Iterable[str]) -> None:
        """Record how the answer of a call was read: what was read as meant, or `unreadable`."""
        kinds = ", ".join(sorted(set(bent)))
        self.calls = [
            replace(call, bent=kinds) if (call.path, call.attempt) == (path, attempt) else call
            for call in self.calls
        ]

    def note_left_out(self, path: str, attempt: int, step: Step) -> None:
        """Record what was left out of the prompt of a call, as a step for a trace."""
        self._left_out[path, attempt] = step

    def take_left_out(self, prefix: str) -> list[Step]:
        """Return what was left out of the prompts of the calls under a path, once each.

        Ordered by path: calls at the same time end in any order.
        """
        places = sorted(place for place in self._left_out if place[0].startswith(prefix))
        return [self._left_out.pop(place) for place in places]

    async def end(self) -> None:
        """Accept no further calls, and wait for those under way: they are paid for.

        Code that fails may leave tasks of its own behind, with calls that the journal must get.
        """
        self._ended = True
        while self._under_way:
            await asyncio.wait(self._under_way)

    def exchanges(self) -> bytes:
        """Return all requests and answers as compressed JSON, sorted by path and attempt."""
        ordered = sorted(self._exchanges, key=lambda row: (row["path"], row["attempt"]))
        return zlib.compress(json.dumps(ordered, ensure_ascii=False).encode(), 6)

    async def _find_or_make(
        self,
        key: CallKey,
        answer: str,
        request_hash: str,
        make: Callable[[str], Awaitable[Line]],
    ) -> Line:
        """Return a call's line in the journal; if none has its answer, make the call.

        Args:
            answer: the field of the line that holds it.
            make: makes the call of a request's hash, and returns its line in the journal.
        """
        path, attempt = key
        if self._ended:
            raise StoreError(f"{path}: no call can be made, its debate or ballot has ended.")
        line = self.journal.find(path, attempt, request_hash)
        if line is None or answer not in line:
            finished = asyncio.get_running_loop().create_future()
            self._under_way.add(finished)
            try:
                line = await make(request_hash)
            finally:
                self._under_way.discard(finished)
                finished.set_result(None)
        return line

    def _payer(self, path: str) -> str:
        return self.payers.get(path.partition("/")[0], "")

    # The following make a call and return its line, which is in the journal.

    async def _complete(self, request: Request, request_hash: str) -> Line:
        backend = self.access.backend(request.model)
        request = with_thinking_room(request, backend)
        request = limit_thinking(request, find_window(backend, request.model))
        price = backend.price(request.model, max_prompt_tokens(request))

        async def send() -> Completion:
            return without_keys(await backend.complete(request), self.access.secrets)

        call = PaidCall(
            path=request.path,
            attempt=request.attempt,
            model=request.model,
            request_hash=request_hash,
            worst=most_cost(request, price),
            prompt_tokens=len(request.text()) // 4,
            send=send,
            fields=records.completion_fields,
            payer=self._payer(request.path),
        )
        return await self.access.pay(call, self.journal)

    async def _embed(self, texts: Sequence[str], model: str, path: str, request_hash: str) -> Line:
        backend, tokens = self.access.backend(model), max_text_tokens(texts)
        call = PaidCall(
            path=path,
            attempt=0,
            model=model,
            request_hash=request_hash,
            worst=Cost(tokens * backend.price(model, tokens)[0], tokens),
            prompt_tokens=tokens,
            send=lambda: backend.embed(model, texts),
            fields=records.embedding_fields,
            payer=self._payer(path),
        )
        return await self.access.pay(call, self.journal)

    async def _search(self, find: _Find, path: str, request_hash: str) -> Line:
        findings, failure = list[dict[str, str]](), ""
        try:
            findings = await retry(find, retries=self.access.retries)
        except ArenaError as fault:
            failure = str(fault)
        except Exception as bug:  # a third-party tool's: a speech can do without findings
            failure = f"{type(bug).__name__}: {bug}"
        line = {"request_hash": request_hash, "found": findings, "failure": failure}
        await self.journal.append(path, 0, **line)
        return line


_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRecord:
    """The calls of a unit of work, with all requests and answers, as they are stored.

    Attributes:
        exchanges: compressed JSON, see `CallSession.exchanges`.
        set_aside: True where an earlier journal did not match and was set aside.
    """

    unit_id: str
    calls: tuple[Call, ...]
    exchanges: bytes
    cost_usd: float
    set_aside: bool = False
    failed_searches: tuple[str, ...] = ()


async def run_unit(
    session: CallSession, journal: JournalSource, work: Callable[[CallSession], Awaitable[_Result]]
) -> tuple[_Result, UnitRecord]:
    """Run a unit's work in its session; start afresh where its journal does not match.

    A journal that holds other requests than those that are made now (after an upgrade, or a
    changed prompt) is set aside, and the work is run again with an empty one.

    Whatever the work raises, the journal keeps the finished calls.
    """
    try:
        return await _run(session, work)
    except JournalMismatch:
        session.journal.set_aside()
    finally:
        session.journal.close()
    fresh = CallSession(
        unit_id=session.unit_id,
        entropy=session.entropy,
        access=session.access,
        journal=journal.open(session.unit_id),
        payers=session.payers,
    )
    try:
        return await _run(fresh, work, set_aside=True)
    finally:
        fresh.journal.close()


async def _run(
    session: CallSession,
    work: Callable[[CallSession], Awaitable[_Result]],
    *,
    set_aside: bool = False,
) -> tuple[_Result, UnitRecord]:
    try:
        result = await work(session)
    finally:
        await session.end()
    return result, UnitRecord(
        unit_id=session.unit_id,
        calls=tuple(sorted(session.calls, key=lambda call: (call.path, call.attempt))),
        exchanges=session.exchanges(),
        cost_usd=session.cost_usd,
        set_aside=set_aside,
        failed_searches=tuple(session.failed_searches),
    )


#: Shorter values, such as "none" or "local", are words that an answer may well contain.
SHORTEST: Final = 8


def without_keys(answer: Completion, keys: Collection[str]) -> Completion:
    """Replace our keys in an answer, configured ones and those of the environment, by `[key]`.

    Halves of characters are replaced as well: nothing could be stored that holds one.
    """

    def clean(words: str) -> str:
        return remove_secrets(whole_characters(words), keys, shortest=SHORTEST)

    return replace(
        answer,
        text=clean(answer.text),
        refusal=clean(answer.refusal),
        served_model=clean(answer.served_model),
        fingerprint=clean(answer.fingerprint),
    )
