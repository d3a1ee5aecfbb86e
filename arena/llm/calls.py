"""Paid calls: made within the cap and the rate limits, with retries, and kept as records."""

from __future__ import annotations

import asyncio
import base64
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from arena.errors import ContentFault, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.budget import Budget, Cost
from arena.llm.journal import CallJournal, Charge, UnitJournal
from arena.llm.request import Backend, Completion, Embeddings, Request, Usage
from arena.llm.traffic.rate_limiter import RateLimiter
from arena.records import Call

_Answer = TypeVar("_Answer", Completion, Embeddings)
_Result = TypeVar("_Result")

#: Longest pause before the first retry and before any retry, in seconds; it doubles each time.
_PAUSE = (0.5, 30.0)
#: A pause is not doubled more often: larger powers are no floats.
_MOST_DOUBLINGS = 60
#: Longest `Retry-After`, in seconds, that a call waits for.
LONGEST_HINT = 120.0


#: A line of the journal, or the part of it that a call adds.
Line = Mapping[str, Any]


class Access(Protocol):
    """Access to the models of a run, shared by all of its units of work.

    Attributes:
        retries: of one call, on infrastructure faults.
    """

    retries: int

    @property
    def secrets(self) -> Collection[str]:
        """The keys of its providers and of its search service, as far as they are configured."""
        ...

    def backend(self, model: str) -> Backend:
        """Return the backend that serves a model."""
        ...

    def extra_body(self, model: str) -> Mapping[str, Any]:
        """Return what the configuration adds to the body of a model's calls."""
        ...

    async def pay(self, call: PaidCall[Any], journal: CallJournal) -> Line:
        """Make a call within the caps and limits; return its line, which is in the journal.

        Raises:
            InfrastructureFault: no answer after all retries; `GivenUp` if the provider was away for
                too long.
            BudgetReached: the call could exceed the cap.
            CallAbandoned: the run is to end, and the call would have to wait for its provider.
            StoreError: the journal cannot be written.
        """
        ...


class PayingAccess(Access, Protocol):
    """Access that holds the purses and the limits itself."""

    budget: Budget

    def gate(self, model: str) -> RateLimiter:
        """Return the gate that limits the calls of a model."""
        ...

    async def pay(self, call: PaidCall[Any], journal: CallJournal) -> Line:
        """Make a call like `make_paid_call`, and write its line."""
        assert isinstance(journal, UnitJournal)  # who pays keeps the journals
        paid = await make_paid_call(call, self, journal)
        line = {"request_hash": call.request_hash, **call.fields(paid)}
        await journal.append(call.path, call.attempt, **line)
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidAnswer(Generic[_Answer]):
    """An answer and what it took to get it.

    Attributes:
        charge: of the answer and of those that were lost before it.
    """

    answer: _Answer
    charge: Charge
    seconds: float
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCall(Generic[_Answer]):
    """A call to be made, with its worst-case cost.

    Attributes:
        worst: the most that one answer can cost.
        send: makes it once.
        fields: returns the fields of its journal line that hold its answer and its cost.
        payer: the id of the participant on whose purses it draws; '' for none.
    """

    path: str
    attempt: int
    model: str
    request_hash: str
    worst: Cost
    prompt_tokens: int
    send: Callable[[], Awaitable[_Answer]]
    fields: Callable[[PaidAnswer[_Answer]], dict[str, Any]]
    payer: str = ""


async def make_paid_call(
    call: PaidCall[_Answer], access: PayingAccess, journal: UnitJournal
) -> PaidAnswer[_Answer]:
    """Make a call, and retry it after infrastructure faults.

    Failures that are not this call's own, because its provider is away or takes no calls for now,
    do not count as retries: the call waits with all others of its model.

    Raises:
        InfrastructureFault: no answer after all retries; `GivenUp` if the provider was away for
            too long.
        BudgetReached: the call could exceed the cap.
        CallAbandoned: the run is to end, and the call would have to wait for its provider.
    """
    gate, spent_earlier = access.gate(call.model), journal.charge(call.path, call.attempt)
    begun, lost, blamed = time.monotonic(), list[InfrastructureFault](), 0
    while True:
        started = time.monotonic()
        try:
            answer = await _send(call, access, journal)
            break
        except InfrastructureFault as fault:
            if isinstance(fault, ProviderRejected | GivenUp):
                raise
            lost.append(fault)
            blamed += gate.blames_call(fault, fault.sent_at or started)
            if blamed > access.retries:
                raise
            if fault.kind != "rate_limit":  # after a refusal, the gate itself waits
                await gate.draining.back_off(_pause(fault, len(lost) - 1))
    charge = spent_earlier.add(_cost(answer), is_known=True)
    for loss in lost:
        charge = charge.add(_billed(loss, call), is_known=loss.billed_usd is not None)
    return PaidAnswer(
        answer=answer,
        charge=charge,
        seconds=round(time.monotonic() - begun, 4),
        retries=len(lost),
    )


async def _send(call: PaidCall[_Answer], access: PayingAccess, journal: UnitJournal) -> _Answer:
    gate, budget, worst = access.gate(call.model), access.budget, call.worst
    budget.check(worst, payer=call.payer)
    actual, is_known = worst, False  # a cancelled call counts at its worst case
    sent = False
    try:
        async with gate.open(call.prompt_tokens, caller=call) as permit:
            # Only now: what waits, perhaps for hours, must not hold the others' part of the cap.
            await budget.reserve(worst, payer=call.payer)
            sent = True
            gate.restart(permit)
            if worst.usd > 0 or budget.counts_tokens:
                journal.note("start", call.path, call.attempt, **_amounts(worst, budget))
            answer = await call.send()
            permit.usage = answer.usage
        actual, is_known = _cost(answer), True
        return answer
    except InfrastructureFault as fault:
        if sent:
            fault.sent_at = permit.attempt.started
            actual, is_known = _billed(fault, call), fault.billed_usd is not None
            amounts = _amounts(actual, budget)
            journal.note("lost", call.path, call.attempt, **amounts, billed=is_known)
        raise
    except ContentFault:  # a prompt that is too long: refused before anything was billed
        actual, is_known = Cost(), True
        amounts = _amounts(actual, budget)
        journal.note("lost", call.path, call.attempt, **amounts, billed=True)
        raise
    finally:
        if sent:
            budget.settle(worst, actual=actual, payer=call.payer, is_known=is_known)


def _amounts(cost: Cost, budget: Budget) -> dict[str, float]:
    """Return what a line of the journal counts; tokens only where they have a limit."""
    return cost._asdict() if budget.counts_tokens else {"usd": cost.usd}


def _cost(answer: Completion | Embeddings) -> Cost:
    tokens = answer.usage.input_tokens + answer.usage.output_tokens
    return Cost(answer.cost_usd, tokens)


def _billed(fault: InfrastructureFault, call: PaidCall[_Answer]) -> Cost:
    """Return what counts for a lost answer; of one that was billed, tokens at their most."""
    if fault.billed_usd is None:
        return call.worst
    return Cost(fault.billed_usd, call.worst.tokens if fault.billed_usd else 0)


async def retry(attempt: Callable[[], Awaitable[_Result]], *, retries: int) -> _Result:
    """Return the result of the first attempt that succeeds.

    Between attempts it waits as long as the provider asks for, otherwise longer each time. It
    raises the last fault, or the first one that no retry can cure.
    """
    for failures in range(retries + 1):
        try:
            return await attempt()
        except InfrastructureFault as fault:
            if isinstance(fault, ProviderRejected) or failures == retries:
                raise
            await asyncio.sleep(_pause(fault, failures))
    raise AssertionError("the loop returns or raises")


def _pause(fault: InfrastructureFault, failures: int) -> float:
    if fault.retry_after is not None:
        return min(fault.retry_after, LONGEST_HINT)
    longest = min(_PAUSE[0] * 2.0 ** min(failures, _MOST_DOUBLINGS), _PAUSE[1])
    return random.uniform(longest / 2, longest)  # noqa: S311 - timing only, never content


_COMPLETION, _USAGE = TypeAdapter(Completion), TypeAdapter(Usage)
#: Fields of an answer that a line leaves out where they are empty, as earlier versions did.
_MAY_BE_EMPTY = ("structured", "served_model", "fingerprint", "estimated", "place")


def completion_fields(paid: PaidAnswer[Completion]) -> dict[str, Any]:
    """Return a completion's fields of its journal line."""
    return _line_fields(paid, completion=_filled(paid.answer))


def embedding_fields(paid: PaidAnswer[Embeddings]) -> dict[str, Any]:
    """Return the fields of a journal line of embeddings."""
    vectors = pack_vectors(paid.answer.vectors)
    return _line_fields(paid, usage=_filled(paid.answer.usage), vectors=vectors)


def _filled(answer: Completion | Usage) -> dict[str, Any]:
    # Not `asdict`: it copies all values deeply, which takes longer than all else here.
    values = {name: getattr(answer, name) for name in answer.__dataclass_fields__}
    fields = {name: value for name, value in values.items() if value or name not in _MAY_BE_EMPTY}
    return fields | ({"usage": _filled(answer.usage)} if isinstance(answer, Completion) else {})


def _line_fields(
    paid: PaidAnswer[Completion] | PaidAnswer[Embeddings],
    **answer: Any,  # noqa: ANN401 - JSON
) -> dict[str, Any]:
    # Left out where there is none, as in the journals of earlier versions.
    usd, tokens = paid.charge.reserved, round(paid.charge.reserved_tokens)
    return {
        "usd": paid.answer.cost_usd,
        "cost_usd": paid.charge.usd,
        **({"reserved_usd": usd} if usd else {}),
        **({"reserved_tokens": tokens} if tokens else {}),
        **answer,
        "seconds": paid.seconds,
        "retries": paid.retries,
    }


def read_completion(request: Request, line: Line) -> tuple[Completion, Call, dict[str, Any]]:
    """Read the completion in a journal line, its row of `calls` and its part of `exchanges`."""
    completion = _COMPLETION.validate_python(line["completion"])
    call = Call(
        path=request.path,
        attempt=request.attempt,
        task=request.task,
        prompt_hash=request.prompt_hash,
        model=request.model,
        **asdict(completion.usage),
        **_read_costs(line),
        finish_reason=completion.finish_reason,
        dropped=", ".join(completion.dropped),
        structured=completion.structured,
        served_model=completion.served_model,
        fingerprint=completion.fingerprint,
    )
    exchange = {
        "path": request.path,
        "attempt": request.attempt,
        "model": request.model,
        "seed": request.seed,
        "messages": [[message.role, message.text] for message in request.messages],
        "answer": completion.text or completion.refusal,
        "dropped": list(completion.dropped),
        **({"structured": completion.structured} if completion.structured else {}),
    }
    return completion, call, exchange


def read_embeddings(
    texts: Sequence[str], line: Line, *, model: str, path: str
) -> tuple[NDArray[np.float64], Call, dict[str, Any]]:
    """Read embeddings like `read_completion`; `exchanges` have the vectors by their shape only."""
    call = Call(
        path=path,
        attempt=0,
        task="embed",
        prompt_hash="",
        model=model,
        **asdict(_USAGE.validate_python(line["usage"])),
        **_read_costs(line),
        finish_reason="stop",
    )
    count, dimensions = line["vectors"]["shape"]
    exchange = {
        "path": path,
        "attempt": 0,
        "model": model,
        "messages": [["user", text] for text in texts],
        "answer": f"{count} vectors of {dimensions} dimensions",
    }
    return unpack_vectors(line["vectors"]), call, exchange


def _read_costs(line: Line) -> dict[str, Any]:
    names = ("cost_usd", "seconds", "retries", "reserved_usd", "reserved_tokens")
    return {name: line[name] for name in names if name in line}


def read_vectors(data: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
    """Return the vectors of an answer, shape (n, d), in the order of the texts.

    >>> data = [{"index": 1, "embedding": [2, 2]}, {"index": 0, "embedding": [1, 1]}]
    >>> read_vectors(data).tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    in_order = sorted(data, key=lambda item: int(item["index"]))
    return np.array([item["embedding"] for item in in_order], dtype=np.float64)


def pack_vectors(vectors: NDArray[np.float64]) -> dict[str, Any]:
    """Pack vectors of shape (n, d) into a JSON object: 4 bytes per number, in base 64."""
    single = np.ascontiguousarray(vectors, dtype="<f4")
    return {"shape": list(single.shape), "f4": base64.b64encode(single.tobytes()).decode()}


def unpack_vectors(packed: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the vectors that `pack_vectors` has packed.

    >>> unpack_vectors(pack_vectors(np.array([[0.5, 2.0]]))).tolist()
    [[0.5, 2.0]]
    """
    single = np.frombuffer(base64.b64decode(packed["f4"]), dtype="<f4")
    return single.reshape(packed["shape"]).astype(np.float64)
