"""How many calls at once a run has settled on is what the next run begins with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from arena.config.load import parse_config
from arena.llm.budget import Budget
from arena.llm.request import Usage
from arena.store.database import Store
from arena.store.learned import read_limits, write_limits
from arena.tournament.models import Models
from tests.handmade import content

MODEL = "openai/own"


def models(address: str, *, concurrency: int = 64) -> Models:
    section = {"api_base": address, "concurrency": concurrency}
    config = parse_config(content() | {"models": {MODEL: section}}, where="x")
    return Models(config, (), budget=Budget(), further=(MODEL,))


async def call(models: Models, times: int) -> None:
    for _ in range(times):
        async with models.gate(MODEL).open() as permit:
            permit.usage = Usage(input_tokens=10, output_tokens=10)


async def test_a_run_begins_with_what_the_last_one_settled_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.duckdb")
    first = models("http://h:1/v1")
    await call(first, 1)
    limits = [(limit.model, limit.address, limit.calls) for limit in first.settled_limits()]
    assert limits == [(MODEL, "http://h:1/v1", first.gate(MODEL).limit)]
    for calls in (7, 23):  # the later one replaces the earlier one
        changed = [
            type(limit)(model=MODEL, address="http://h:1/v1", calls=calls)
            for limit in first.settled_limits()
        ]
        store.write(partial(write_limits, tournament="t", limits=changed))
    assert read_limits(store, "another") == []
    for address, most, limit in (
        ("http://h:1/v1", 64, 23),
        ("http://h:1/v1", 10, 10),  # what the file says comes first
        ("http://h:2/v1", 64, 4),  # another address is another server
    ):
        later = models(address, concurrency=most)
        later.remember_limits(read_limits(store, "t"))
        assert later.gate(MODEL).limit == limit


async def test_a_model_that_never_answered_has_settled_on_nothing() -> None:
    own = models("http://h:1/v1")
    own.gate(MODEL)
    assert own.settled_limits() == []
