from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BudgetReached
from arena.llm.budget import Budget, Cost
from arena.llm.request import Request, Schema
from arena.llm.worst_case import most_cost
from arena.prompts import Message
from arena.records import Sampling


def _request(text: str, *, limit: int = 100, schema: Schema | None = None) -> Request:
    return Request(
        model="m",
        messages=(Message(role="user", text=text),),
        task="t",
        sampling=Sampling(max_tokens=limit),
        schema=schema,
        path="p",
        seed=1,
    )


@given(st.text(max_size=200), st.integers(1, 1000))
def test_the_worst_case_bounds_any_tokenizer_of_bytes(text: str, limit: int) -> None:
    worst = most_cost(_request(text, limit=limit), (1.0, 10.0)).usd
    assert worst >= len(text.encode()) + 10.0 * limit


def test_a_schema_counts_too() -> None:
    schema = Schema(name="s", body={"type": "object"})
    plain = most_cost(_request("x"), (1.0, 0.0)).usd
    assert most_cost(_request("x", schema=schema), (1.0, 0.0)).usd >= plain + len(schema.text())


async def test_a_call_that_could_exceed_the_cap_is_not_made() -> None:
    budget = Budget(1.0, spent=0.7)
    with pytest.raises(BudgetReached, match=r"1\.00 USD is reached"):
        await budget.reserve(Cost(0.4))
    assert budget.reached
    await budget.reserve(Cost(0.3))


async def test_a_call_waits_while_others_may_settle_for_less() -> None:
    budget = Budget(1.0)
    await budget.reserve(Cost(0.9))
    waiting = asyncio.create_task(budget.reserve(Cost(0.5)))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.settle(Cost(0.9), actual=Cost(0.2))
    await waiting
    assert budget.spent == pytest.approx(0.2)
    assert budget.usd.reserved == pytest.approx(0.5)


async def test_a_call_that_waited_in_vain_is_refused() -> None:
    budget = Budget(1.0)
    await budget.reserve(Cost(0.9))
    waiting = asyncio.create_task(budget.reserve(Cost(0.5)))
    await asyncio.sleep(0)
    budget.settle(Cost(0.9), actual=Cost(0.9))
    with pytest.raises(BudgetReached):
        await waiting


@given(
    st.lists(st.tuples(st.floats(0.01, 0.5), st.floats(0, 1)), min_size=1, max_size=40),
    st.floats(0.1, 3.0),
)
def test_spending_never_exceeds_the_cap(calls: list[tuple[float, float]], cap: float) -> None:
    async def call(budget: Budget, worst: float, share: float) -> None:
        try:
            await budget.reserve(Cost(worst))
        except BudgetReached:
            return
        await asyncio.sleep(0)
        budget.settle(Cost(worst), actual=Cost(worst * share))

    async def spend() -> float:
        budget = Budget(cap)
        await asyncio.gather(*(call(budget, worst, share) for worst, share in calls))
        assert budget.usd.reserved == pytest.approx(0.0, abs=1e-9)
        return budget.spent

    assert asyncio.run(spend()) <= cap + 1e-9


async def test_without_a_cap_everything_fits() -> None:
    budget = Budget()
    await budget.reserve(Cost(1e9))
    budget.settle(Cost(1e9), actual=Cost(1e9))
    assert not budget.reached
