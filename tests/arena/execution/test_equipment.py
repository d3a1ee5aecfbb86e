"""What a worker's machine has, and what it lacks."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import pytest

from arena.execution.equipment import (
    Equipment,
    find_objections,
    needed_packages,
    read_equipment,
)
from arena.execution.variables import may_need_litellm, needed_variables
from tests.support.tournaments import content, resolved_of

_HERE = Equipment(python="3.12", versions={"litellm": "1.2", "ray": "2.6"}, code="ab", unset=())


def test_this_process_has_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET_KEY", "secret")
    monkeypatch.setenv("EMPTY_KEY", "")
    packages = [*needed_packages(litellm=True), "no-such-package"]
    assert {*needed_packages(litellm=True)} - {*needed_packages(litellm=False)} == {"litellm"}
    here = read_equipment(packages, ["SET_KEY", "EMPTY_KEY", "UNSET_KEY"])
    assert here.versions["litellm"] == version("litellm")
    assert here.versions["debate-arena"] == version("debate-arena")
    assert here.versions["no-such-package"] == ""
    assert here.unset == ["EMPTY_KEY", "UNSET_KEY"]
    assert re.fullmatch("[0-9a-f]{64}", here.code) and "secret" not in repr(here)
    assert not find_objections(here, read_equipment(packages, ["SET_KEY"]))


@pytest.mark.parametrize(
    ("difference", "objections"),
    [
        ({}, []),
        ({"python": "3.11"}, ["Python is 3.11 there and 3.12 here: use the same there"]),
        (
            {"versions": {"litellm": "", "ray": "2.6"}},
            ["litellm is not installed there: install litellm 1.2 there"],
        ),
        (
            {"versions": {"litellm": "1.2", "ray": "2.5"}, "code": "cd"},
            ["ray is 2.5 there and 2.6 here: install the same versions there"],
        ),
        ({"code": "cd"}, ["the modules of debate-arena are not the same there as here: install"]),
        (
            {"unset": ["A_KEY", "B_KEY"]},
            ["A_KEY, B_KEY are not set there: set them in the environment"],
        ),
    ],
)
def test_each_difference_is_named_with_its_remedy(
    difference: dict[str, Any], objections: list[str]
) -> None:
    found = find_objections(_HERE, replace(_HERE, **difference))
    assert len(found) == len(objections)
    assert all(one.startswith(start) for one, start in zip(found, objections, strict=True))


def test_variables_of_used_models_are_needed_where_they_are_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OWN_KEY", "GROQ_API_KEY", "GOOGLE_API_KEY", "UNUSED_API_KEY"):
        monkeypatch.setenv(name, "secret")
    config = content()
    for participant, model in zip(
        config["participants"], ["openai/mine", "groq/llama", "gemini/flash"], strict=True
    ):
        participant["model"] = model
    free = {"input": 0, "output": 0}
    config["models"] = {
        "openai/mine": {
            "api_base": "env:MY_SERVER|http://127.0.0.1:8000/v1",
            "api_key": "env:OWN_KEY",
            "usd_per_million": free,
        },
        "groq/llama": {"usd_per_million": free},
        "gemini/flash": {"usd_per_million": free},
    }
    needed = ["GOOGLE_API_KEY", "GROQ_API_KEY", "OWN_KEY"]
    assert needed_variables(resolved_of(config).config) == needed
    del config["models"]["openai/mine"]["api_key"]
    assert needed_variables(resolved_of(config).config) == ["GOOGLE_API_KEY", "GROQ_API_KEY"]


@pytest.mark.parametrize(
    ("model", "may"),
    [
        ("offline/good", False),
        ("openai/own", False),
        ("hosted_vllm/own", False),
        ("anthropic/claude-sonnet-4-5", True),
    ],
)
def test_machines_need_litellm_only_for_its_models(model: str, may: bool) -> None:  # noqa: FBT001
    config = content("strong", "weak")
    config["participants"][0]["model"] = model
    config["models"] = {
        model: {"api_base": "http://own:8000", "usd_per_million": {"input": 0, "output": 0}}
    }
    if model.startswith("offline/"):
        del config["models"]
    assert may_need_litellm(resolved_of(config).config) is may
