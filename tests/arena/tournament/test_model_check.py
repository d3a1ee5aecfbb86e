"""Checks of models before a run: a look at their addresses, and one short call."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import Any

import pytest

from arena.errors import InfrastructureFault
from arena.llm.budget import Budget
from arena.llm.catalogue import Look
from arena.llm.request import Completion, Request
from arena.simulator import OfflineBackend
from arena.tournament import model_check
from arena.tournament.model_check import AddressProblem, find_misfits, look_at_addresses, try_model
from arena.tournament.models import Models
from tests.support.tournaments import ONE_EACH, content, resolved_of

OWN = "http://user:password@127.0.0.1:1/v1"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """The addresses that were looked at, with the keys that they were told."""
    looked: list[tuple[str, str | None]] = []

    async def look_at(api_base: str, *, api_key: str | None, seconds: float) -> Look:
        looked.append((api_base, api_key))
        await asyncio.sleep(0)
        listed = tuple(f"m{number}" for number in range(11))
        return Look(fault="connection refused") if api_base == OWN else Look(models=listed)

    monkeypatch.setattr(model_check, "look_at", look_at)
    return looked


def models(**sections: Any) -> Models:  # noqa: ANN401
    config = content() | {
        "models": {name.replace("_", "/"): section for name, section in sections.items()}
    }
    resolved = resolved_of(config)
    return Models(resolved.config, resolved.motions, budget=Budget())


async def test_an_address_that_does_not_answer_is_named_once_and_without_its_password(
    asked: list[tuple[str, str | None]],
) -> None:
    own = models(openai_x={"api_base": OWN}, openai_y={"api_base": OWN, "api_key": None})
    problems = await look_at_addresses(own, ["openai/y", "openai/x"])
    text = "openai/x, openai/y at http://127.0.0.1:1/v1: connection refused"
    assert problems == [AddressProblem(text=text, is_away=True)]
    assert asked == [(OWN, None)]


async def test_a_model_that_is_not_listed_is_named_with_those_that_are(
    asked: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWN_KEY", "k")
    own = models(
        openai_x={"api_base": "http://h/v1", "api_key": "env:OWN_KEY"},
        openai_m3={"api_base": "http://h/v1"},
    )
    (problem,) = await look_at_addresses(own, ["openai/x", "openai/m3"])
    assert not problem.is_away
    assert problem.text == (
        "openai/x at http://h/v1: the server does not list this model, but "
        "m0, m1, m2, m3, m4, m5, m6, m7 and 3 more"
    )
    assert sorted(asked, key=str) == [("http://h/v1", "k"), ("http://h/v1", None)]


@pytest.mark.parametrize(
    ("look", "prevents"),
    [
        (Look(fault="connection refused"), True),
        (Look(fault="it refuses the key (status 401)", is_refused=True), True),
        (Look(models=("another",)), False),
    ],
)
async def test_a_server_that_is_away_or_refuses_prevents_calls(
    look: Look, prevents: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def look_at(api_base: str, *, api_key: str | None, seconds: float) -> Look:
        return look

    monkeypatch.setattr(model_check, "look_at", look_at)
    (problem,) = await look_at_addresses(models(openai_x={"api_base": OWN}), ["openai/x"])
    assert problem.prevents_calls == prevents
    assert problem.is_away == (prevents and not look.is_refused), "a run waits for what is away"


async def test_simulated_and_hosted_models_are_not_looked_at(
    asked: list[tuple[str, str | None]],
) -> None:
    own = models(openai_x={"api_base": OWN})
    assert await look_at_addresses(own, ["offline/fair", "openai/gpt-4o", "anthropic/claude"]) == []
    assert asked == []


async def test_a_name_without_a_tag_is_that_of_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look_at(api_base: str, *, api_key: str | None, seconds: float) -> Look:
        return Look(models=("small:latest",))

    monkeypatch.setattr(model_check, "look_at", look_at)
    own = models(openai_small={"api_base": OWN})
    assert await look_at_addresses(own, ["openai/small"]) == []


@pytest.mark.parametrize(("faults", "answers"), [(1, True), (2, True), (3, False)])
def test_a_busy_server_is_asked_again_twice(
    faults: int, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = OfflineBackend.complete, []

    async def complete(self: OfflineBackend, request: Request) -> Completion:
        calls.append(request)
        if len(calls) <= faults:
            raise InfrastructureFault("429: busy", retry_after=0.0)
        return await whole(self, request)

    monkeypatch.setattr(OfflineBackend, "complete", complete)
    models = Models(resolved_of(content()).config, ONE_EACH, budget=Budget())
    if answers:
        assert "tokens" in asyncio.run(try_model(models, "offline/fair", "debater"))
    else:
        with pytest.raises(InfrastructureFault, match="busy"):
            asyncio.run(try_model(models, "offline/fair", "debater"))
    assert len(calls) == min(faults + 1, 3)


def test_what_a_debate_needs_grows_evenly_with_the_words_of_a_speech() -> None:
    config = content() | {"models": {"openai/own": {"context_tokens": 200}}}
    config["participants"][0]["model"] = "openai/own"
    needed = []
    for words in range(100, 1100, 100):
        resolved = resolved_of(config | {"limits": {"words": words}})
        (line,) = find_misfits(resolved, Models(resolved.config, (), budget=Budget()))
        found = re.search(r"take about ([\d,]+),", line)
        assert found is not None
        needed.append(int(found[1].replace(",", "")))
    steps = [later - earlier for earlier, later in pairwise(needed)]
    assert max(steps) - min(steps) <= 1  # of rounding
    assert needed[0] > steps[0] > 6 * 100  # the rules come on top of six speeches
