"""Rehearsals: everybody plays once with a simulated model, and nothing is stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.resolve import resolve
from arena.config.resolved import ResolvedConfig
from arena.debaters.direct import Direct
from arena.errors import PromptError
from arena.tournament.rehearsal import distinct_prompts, rehearse
from tests.support.tournaments import changed, content


def small(**tournament: Any) -> ResolvedConfig:  # noqa: ANN401 - values of a table
    """Two participants with a model that is not there, and one bench."""
    made = content("ann", "bob")
    for place in (0, 1):
        made = changed(made, ["participants", place, "model"], "openai/gpt-4o")
    for key, value in tournament.items():
        made = changed(made, ["tournament", key], value)
    return resolve(parse_config(made, where="small.toml"), where="small.toml")


def test_everybody_rehearses_in_every_language() -> None:
    resolved = small(languages=["en", "zh"])
    rehearsals = asyncio.run(rehearse(resolved))
    names = ["ann", "bob", *(bench.name for bench in resolved.benches)]
    assert [(one.name, one.language) for one in rehearsals] == [
        (name, code) for code in ("en", "zh") for name in names
    ]
    assert not any(rehearsal.problem for rehearsal in rehearsals)
    for rehearsal in rehearsals[:2]:
        assert len(rehearsal.requests) == 6
        assert {request.model for request in rehearsal.requests} == {"openai/gpt-4o"}
        assert len(list(distinct_prompts(rehearsal.requests))) == 3


def test_a_broken_prompt_is_a_problem_of_its_participant(monkeypatch: pytest.MonkeyPatch) -> None:
    async def speak(*_: object) -> None:
        raise PromptError("prompt rebuttal.en.md: missing variables side.")

    monkeypatch.setattr(Direct, "speak", speak)
    resolved = small()
    first = asyncio.run(rehearse(replace(resolved, benches=())))[0]
    assert "missing variables side" in first.problem
