"""Addresses from the environment stay out of the pages; those of the file are shown."""

from __future__ import annotations

from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.tournament.run_record import RunState
from dashboard.hidden import find_hidden, hide_in_run, hide_values

ADDRESS = "http://10.1.2.3:8000/secret/v1"


def test_an_address_of_the_environment_is_shown_by_its_name() -> None:
    row = {"model": "openai/a", "address": ADDRESS, "trouble": f"no answer of {ADDRESS}"}
    open_row = {"model": "groq/b", "address": "http://127.0.0.1:1/v1", "trouble": ""}
    run = RunState(
        tournament="t",
        process=1,
        phase="ended",
        began="",
        updated="",
        reason=f"{ADDRESS} is away",
        figures={"units": [["debate", 1, 2, 0]], "troubles": [f"openai/a at {ADDRESS}: away"]},
        models=[row, open_row],
        failures={"void": [{"reason": "10.1.2.3:8000 refused", "count": 1, "example": "d"}]},
        last=ADDRESS,
    )
    sections = {
        "openai/*": SimpleNamespace(api_base="env:MY_BASE|http://127.0.0.1:9/v1"),
        "groq/b": SimpleNamespace(api_base="http://127.0.0.1:1/v1"),
    }
    resolved = cast(Any, SimpleNamespace(config=SimpleNamespace(models=sections)))
    hidden = find_hidden(resolved, run)
    shown = hide_in_run(run, hidden)
    assert "10.1.2.3" not in str(asdict(shown))
    assert shown.models[0]["address"] == "env:MY_BASE"
    assert shown.models[1] == open_row
    assert shown.figures["units"] == [["debate", 1, 2, 0]]
    assert find_hidden(resolved, None) == {}
    assert find_hidden(resolved, replace(run, models=[open_row])) == {}


@pytest.mark.parametrize(
    "stored",
    [
        f"{ADDRESS}: refused",
        "no answer of 10.1.2.3:8000",
        "401 for url 'https://api.example/v1?api_key=hush&a=1'",
        "https://ann:hush@api.example/v1: away",
        "the key hush-hush is not valid",
    ],
)
def test_texts_of_failures_show_no_key_and_no_value_of_a_variable(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_BASE", ADDRESS)
    monkeypatch.setenv("MY_API_KEY", "hush-hush")
    shown = hide_values(stored)
    assert "hush" not in shown and "10.1.2.3" not in shown and "secret" not in shown
    assert hide_values("https://api.example/v1?version=2 is away") == (
        "https://api.example/v1?version=2 is away"
    )
