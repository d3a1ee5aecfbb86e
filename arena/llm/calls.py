"""Making one paid call: within the spending cap and the rate limits, with retries."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from arena.errors import ContentFault, GivenUp, InfrastructureFault, ProviderRejected
from arena.llm.budget import Budget
from arena.llm.journal import UnitJournal
from arena.llm.purse import Cost
from arena.llm.request import Backend, Completion, Embeddings
from arena.llm.traffic.gate import Gate

_Answer = TypeVar("_Answer", Completion, Embeddings)
_Result = TypeVar("_Result")

#: Longest pause before the first retry and before any retry, in seconds; it doubles each time.
_PAUSE = (0.5, 30.0)
#: A pause is not doubled more often: larger powers are no floats.
_MOST_DOUBLINGS = 60
#: Longest `Retry-After`, in seconds, that a call waits for.
LONGEST_HINT = 120.0


class Access(Protocol):
    """Access to the models of a run, shared by all of its units of work.

    Attributes:
        retries: of one call, on infrastructure faults.
    """

    budget: Budget
    retries: int

    @property
    def secrets(self) -> Collection[str]:
        """The keys of its providers and of its search service, as far as they are configured."""
        ...

    def backend(self, model: str) -> Backend:
        """Return the backend that serves a model."""
        ...

    def gate(self, model: str) -> Gate:
        """Return the gate that limits the calls of a model."""
        ...

    def extra_body(self, model: str) -> Mapping[str, Any]:
        """Return what the configuration adds to the body of a model's calls."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidAnswer(Generic[_Answer]):
    """An answer and what it took to get it.

    Attributes:
        cost_usd: of the answer and of those that were lost before it.
        reserved_usd: the part of it whose bill is not known: the worst case of lost answers.
        reserved_tokens: the tokens of these answers, at most.
    """

    answer: _Answer
    cost_usd: float
    reserved_usd: float
    reserved_tokens: int
    seconds: float
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidCall(Generic[_Answer]):
    """A call to be made, with its worst-case cost.

    Attributes:
        path, attempt: its place within its unit.
        worst: the most that one answer can cost.
        prompt_tokens: how long the prompt is, about.
        send: makes the call once.
        payer: the id of the participant on whose purses it draws; '' for none.
    """

    path: str
    attempt: int
    model: str
    worst: Cost
    prompt_tokens: int
    send: Callable[[], Awaitable[_Answer]]
    payer: str = ""


async def make_paid_call(
    call: PaidCall[_Answer], access: Access, journal: UnitJournal
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
        cost_usd=charge.usd,
        reserved_usd=charge.reserved,
        reserved_tokens=round(charge.reserved_tokens),
        seconds=round(time.monotonic() - begun, 4),
        retries=len(lost),
    )


async def _send(call: PaidCall[_Answer], access: Access, journal: UnitJournal) -> _Answer:
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
            await budget.settle(worst, actual=actual, payer=call.payer, is_known=is_known)


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


async def retry(attempt: Callable[[], Awaitable[_Result]], *, retries: int) -> tuple[_Result, int]:
    """Return the result of the first attempt that succeeds, and the number that failed before it.

    Between attempts it waits as long as the provider asks for, otherwise longer each time.

    Raises:
        InfrastructureFault: the last fault, or the first one that no retry can cure.
    """
    for failures in range(retries + 1):
        try:
            return await attempt(), failures
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
