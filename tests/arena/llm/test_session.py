"""The calls of a unit of work, from the journal and from models."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from arena.errors import (
    BudgetReached,
    InfrastructureFault,
    JournalMismatch,
    ProviderRejected,
    StoreError,
    TruncatedReply,
)
from arena.llm.budget import Budget
from arena.llm.journal import Journal
from arena.llm.request import Completion, Request
from arena.llm.session import CallSession, run_unit, without_keys
from arena.llm.worst_case import most_cost
from arena.prompts import Message
from arena.records import Sampling
from tests.support.scripted_backend import (
    ScriptedAccess,
    ScriptedBackend,
    completion,
    unit,
    unit_journal,
)

Opened: TypeAlias = Callable[[ScriptedAccess], CallSession]
_PRICE = (0.001, 0.01)


def _request(**changes: object) -> Request:
    asked = Request(
        model="m",
        messages=(Message(role="user", text="Hello"),),
        task="t",
        sampling=Sampling(max_tokens=10),
        path="pro/writer/1",
        seed=1,
    )
    return replace(asked, **changes)  # type: ignore[arg-type]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens a session of one unit, as often as it is called; in the end, they are closed."""
    with ExitStack() as stack:

        def open_session(access: ScriptedAccess) -> CallSession:
            session = unit(access, tmp_path)
            stack.callback(session.journal.close)
            return session

        yield open_session


class _Failing(ScriptedBackend):
    """Fails with some faults before it answers."""

    def __init__(self, *faults: Exception, price: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__(
            lambda _: completion("yes", cost_usd=0.05 if price[0] else 0.0), price=price
        )
        self.faults = list(faults)

    async def complete(self, request: Request) -> Completion:
        if self.faults:
            self.requests.append(request)
            raise self.faults.pop(0)
        return await super().complete(request)


async def test_what_the_provider_returned_is_kept_in_the_journal_and_the_calls(
    opened: Opened,
) -> None:
    answer = replace(
        completion("yes"), structured="schema", served_model="m-2024", fingerprint="fp_1"
    )
    first = opened(ScriptedAccess(ScriptedBackend(lambda _: answer)))
    await first.call(_request())
    again = opened(ScriptedAccess(ScriptedBackend(lambda _: "no")))
    assert await again.call(_request()) == answer
    call = again.calls[0]
    assert (call.structured, call.served_model, call.fingerprint) == ("schema", "m-2024", "fp_1")
    assert json.loads(zlib.decompress(again.exchanges()))[0]["structured"] == "schema"


async def test_a_finished_call_is_not_made_again(opened: Opened) -> None:
    backend = ScriptedBackend(lambda _: "yes")
    first = opened(ScriptedAccess(backend))
    answer = await first.call(_request())
    again = opened(ScriptedAccess(backend))
    assert await again.call(_request()) == answer
    assert len(backend.requests) == 1
    assert again.calls == first.calls
    assert again.exchanges() == first.exchanges()


_HOSTILE: tuple[object, ...] = (
    None,
    True,
    -1,
    1.5,
    "x",
    [],
    {},
    [[1]],
    {"a": {}},
    10**400,
    "9" * 5_000,
    "\x00",
)


@pytest.mark.parametrize("value", _HOSTILE)
async def test_a_line_with_fields_of_other_types_is_a_call_that_was_not_made(
    opened: Opened, tmp_path: Path, value: object
) -> None:
    access = ScriptedAccess(ScriptedBackend(lambda _: "yes"))
    first = opened(access)
    answer = await first.call(_request())
    (line,) = [json.loads(text) for text in unit_journal(first).file.read_text().splitlines()]
    changed = [{**line, name: value} for name in line]
    changed += [
        {**line, "completion": {**line["completion"], name: value}} for name in line["completion"]
    ]
    for fields in changed:
        unit_journal(first).file.write_text(json.dumps(fields) + "\n")
        again = opened(access)
        with suppress(JournalMismatch):  # where the hash is the one that was changed
            answered = await again.call(_request())
            assert answered.text in ("yes", value)
    assert answer.text == "yes"


@pytest.mark.parametrize("missing", ["completion", "request_hash", "usage", "text", "path"])
async def test_a_line_without_a_field_is_a_call_that_was_not_made(
    opened: Opened, missing: str
) -> None:
    backend = ScriptedBackend(lambda _: "yes")
    first = opened(ScriptedAccess(backend))
    answer = await first.call(_request())
    fields = json.loads(unit_journal(first).file.read_text())
    for part in (fields, fields["completion"]):
        part.pop(missing, None)
    unit_journal(first).file.write_text(json.dumps(fields) + "\n")
    assert await opened(ScriptedAccess(backend)).call(_request()) == answer
    assert len(backend.requests) == 2


async def test_another_request_in_its_place_is_a_mismatch(opened: Opened) -> None:
    access = ScriptedAccess(ScriptedBackend(lambda _: "yes"))
    first = opened(access)
    await first.call(_request())
    again = opened(access)
    with pytest.raises(JournalMismatch):
        await again.call(_request(messages=(Message(role="user", text="Changed"),)))


async def test_infrastructure_faults_are_retried_and_counted(opened: Opened) -> None:
    backend = _Failing(InfrastructureFault("429", retry_after=0.0), InfrastructureFault("500"))
    made = opened(ScriptedAccess(backend, retries=2))
    await made.call(_request())
    assert [call.retries for call in made.calls] == [2]
    assert len(backend.requests) == 3


@pytest.mark.parametrize(
    ("fault", "times"), [(InfrastructureFault("500"), 3), (ProviderRejected("401"), 1)]
)
async def test_retries_end(fault: InfrastructureFault, times: int, opened: Opened) -> None:
    backend = _Failing(*[fault] * 5)
    with pytest.raises(type(fault)):
        await opened(ScriptedAccess(backend, retries=2)).call(_request())
    assert len(backend.requests) == times


async def test_a_lost_answer_counts_at_its_worst_case(opened: Opened) -> None:
    backend = _Failing(
        InfrastructureFault("500"),
        InfrastructureFault("dropped", billed_usd=None),
        InfrastructureFault("no choices", billed_usd=0.02),
        price=_PRICE,
    )
    access = ScriptedAccess(backend, retries=3, budget=Budget(100.0))
    made = opened(access)
    await made.call(_request())
    expected = most_cost(_request(), _PRICE).usd + 0.02 + 0.05
    assert made.cost_usd == pytest.approx(expected)
    assert access.budget.spent == pytest.approx(expected)
    assert access.budget.usd.reserved == 0.0
    again = opened(access)
    charge = unit_journal(again).charge("pro/writer/1", 0)
    assert charge[:2] == pytest.approx((expected, most_cost(_request(), _PRICE).usd))
    (call,) = made.calls
    assert (call.cost_usd, call.reserved_usd) == pytest.approx(charge[:2])
    assert call.reserved_tokens > 0


async def test_a_call_that_a_kill_cut_off_counts_towards_the_cap_but_is_no_cost(
    opened: Opened,
) -> None:
    worst = most_cost(_request(), _PRICE).usd
    killed = opened(ScriptedAccess(_Failing(price=_PRICE)))
    unit_journal(killed).note("start", "pro/writer/1", 0, usd=worst)
    resumed = opened(ScriptedAccess(_Failing(price=_PRICE)))
    await resumed.call(_request())
    replayed = opened(ScriptedAccess(_Failing(price=_PRICE)))
    await replayed.call(_request())  # from its journal
    for made in (resumed, replayed):
        (call,) = made.calls
        assert call.reserved_usd == pytest.approx(worst)
        assert call.cost_usd - call.reserved_usd == pytest.approx(0.05)


async def test_a_call_reserves_what_a_prompt_of_its_length_may_cost(opened: Opened) -> None:
    seen: list[int] = []

    class _Tiered(ScriptedBackend):
        def price(self, model: str, prompt_tokens: int = 1) -> tuple[float, float]:
            seen.append(prompt_tokens)
            return (2.0, 0.0) if prompt_tokens > 1000 else (1.0, 0.0)

    access = ScriptedAccess(_Tiered(lambda _: "yes"), budget=Budget(1500.0))
    made = opened(access)
    with pytest.raises(BudgetReached):
        await made.call(_request(messages=(Message(role="user", text="ab " * 350),)))
    assert 1050 <= seen[0] < 1100


async def test_a_prompt_that_is_refused_for_its_length_costs_nothing(opened: Opened) -> None:
    backend = _Failing(TruncatedReply("too long"), price=_PRICE)
    access = ScriptedAccess(backend, budget=Budget(100.0))
    made = opened(access)
    with pytest.raises(TruncatedReply):
        await made.call(_request())
    assert access.budget.spent == 0.0


async def test_the_cap_stops_a_call_before_it_is_sent(opened: Opened) -> None:
    backend = ScriptedBackend(lambda _: "yes", price=_PRICE)
    made = opened(ScriptedAccess(backend, budget=Budget(0.01)))
    with pytest.raises(BudgetReached):
        await made.call(_request())
    assert not backend.requests


async def test_searches_are_journalled_like_calls(opened: Opened) -> None:
    asked: list[str] = []

    async def find() -> list[dict[str, str]]:
        asked.append("query")
        return [{"origin": "o", "excerpt": "e"}]

    access = ScriptedAccess(ScriptedBackend(lambda _: ""))
    for _ in range(2):
        made = opened(access)
        found, failure = await made.search("query", path="pro/search/1", find=find)
        assert (found, failure) == ([{"origin": "o", "excerpt": "e"}], "")
        assert not made.failed_searches
    assert len(asked) == 1


async def test_a_search_is_retried_like_a_call(opened: Opened) -> None:
    faults = [InfrastructureFault("busy", retry_after=0.0), InfrastructureFault("busy")]

    async def find() -> list[dict[str, str]]:
        if faults:
            raise faults.pop(0)
        return [{"origin": "o", "excerpt": "e"}]

    made = opened(ScriptedAccess(ScriptedBackend(lambda _: ""), retries=2))
    found, failure = await made.search("query", path="pro/search/1", find=find)
    assert (len(found), failure, faults) == (1, "", [])


@pytest.mark.parametrize(
    ("fault", "times", "message"),
    [
        (InfrastructureFault("busy"), 3, "busy"),
        (ProviderRejected("no quota"), 1, "no quota"),
        (KeyError("results"), 1, "KeyError: 'results'"),
    ],
)
async def test_a_failure_of_a_search_is_journalled_and_told_again(
    opened: Opened, fault: Exception, times: int, message: str
) -> None:
    asked: list[str] = []

    async def find() -> list[dict[str, str]]:
        asked.append("query")
        raise fault

    access = ScriptedAccess(ScriptedBackend(lambda _: ""), retries=2)
    for _ in range(2):
        made = opened(access)
        assert await made.search("query", path="pro/search/1", find=find) == ([], message)
        assert made.failed_searches == [message]
    assert len(asked) == times


async def test_requests_and_answers_are_kept_sorted(opened: Opened) -> None:
    made = opened(ScriptedAccess(ScriptedBackend(lambda request: f"to {request.path}")))
    for path in ("b", "a"):
        await made.call(_request(path=path))
    kept = json.loads(zlib.decompress(made.exchanges()))
    assert [(one["path"], one["answer"]) for one in kept] == [("a", "to a"), ("b", "to b")]
    assert kept[0]["messages"] == [["user", "Hello"]]


def test_seeds_differ_by_unit_path_and_attempt(opened: Opened) -> None:
    made = opened(ScriptedAccess(ScriptedBackend(lambda _: "")))
    other = replace(made, entropy="other")
    seeds = {made.seed("a", 0), made.seed("a", 1), made.seed("b", 0), other.seed("a", 0)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)


async def test_a_call_that_failing_code_left_under_way_is_journalled(tmp_path: Path) -> None:
    answering = asyncio.Event()

    class Slow(ScriptedBackend):
        async def complete(self, request: Request) -> Completion:
            await answering.wait()
            return await super().complete(request)

    async def fail() -> None:
        raise KeyError("x")

    async def work(session: CallSession) -> str:
        calls = (session.call(_request(path=path)) for path in ("pro/a", "pro/b"))
        try:
            await asyncio.gather(*calls, fail())
        except KeyError:
            asyncio.get_running_loop().call_soon(answering.set)
        return "failed"

    backend = Slow(lambda _: "yes")
    made = unit(ScriptedAccess(backend), tmp_path)
    result, record = await run_unit(made, Journal(tmp_path), work)
    assert result == "failed" and [call.path for call in record.calls] == ["pro/a", "pro/b"]
    with pytest.raises(StoreError, match="has ended"):
        await made.call(_request(path="pro/c"))
    again = unit(ScriptedAccess(backend), tmp_path)
    await again.call(_request(path="pro/a"))
    await again.call(_request(path="pro/b"))
    assert len(backend.requests) == 2
    again.journal.close()


_KEY = "sk-5f2c9e71d0"


def test_configured_keys_and_those_of_the_environment_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OWN_API_KEY", _KEY)
    assert without_keys(completion(f"My key is {_KEY}."), []).text == "My key is [key]."
    assert without_keys(completion("It is other-key-1."), ["other-key-1"]).text == "It is [key]."


def test_short_values_are_words_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_API_KEY", "none")
    answer = completion("There is none.")
    assert without_keys(answer, ["local"]) == answer


def test_the_journal_and_the_caller_get_the_answer_without_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OWN_API_KEY", _KEY)
    session = unit(ScriptedAccess(ScriptedBackend(lambda _: f"{_KEY} it is")), tmp_path)
    request = Request(
        model="m", messages=(Message(role="user", text="Hello"),), task="t", path="a", seed=1
    )
    assert asyncio.run(session.call(request)).text == "[key] it is"
    (file,) = Journal(tmp_path).folder.glob("*.jsonl")
    assert _KEY not in file.read_text("utf-8")
    assert _KEY not in json.dumps(session._exchanges)
