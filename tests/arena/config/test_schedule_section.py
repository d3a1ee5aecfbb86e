"""The table `[schedule]`: each kind takes its own keys, and names those who take part."""

from __future__ import annotations

from typing import Any

import pytest

from arena.config.load import parse_config
from arena.errors import ConfigError
from tests.handmade import content


def refusal(**schedule: object) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_config({**content(), "schedule": schedule}, where="own.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    "schedule",
    [
        {},
        {"matchups_per_pair": 3},
        {"kind": "gauntlet", "newcomers": ["ann"]},
        {"kind": "gauntlet", "newcomers": ["ann", "bob"], "opponents": ["ann", "cyd"]},
        {"kind": "random", "matchups": 7},
    ],
)
def test_each_kind_takes_its_own_keys(schedule: dict[str, Any]) -> None:
    found = parse_config({**content(), "schedule": schedule}, where="own.toml").schedule
    assert found.model_dump(exclude_unset=True) == schedule


@pytest.mark.parametrize(
    ("kind", "key", "value", "owner", "takes"),
    [
        ("round_robin", "matchups", 5, "random", "matchups_per_pair"),
        ("round_robin", "newcomers", ["ann"], "gauntlet", "matchups_per_pair"),
        ("round_robin", "opponents", ["ann"], "gauntlet", "matchups_per_pair"),
        ("gauntlet", "matchups", 5, "random", "matchups_per_pair, newcomers, opponents"),
        ("random", "matchups_per_pair", 5, "round_robin", "matchups"),
        ("random", "opponents", ["ann"], "gauntlet", "matchups"),
    ],
)
def test_a_key_of_another_kind_is_refused(
    kind: str, key: str, value: object, owner: str, takes: str
) -> None:
    assert refusal(kind=kind, **{key: value}) == (
        f"own.toml: schedule: `{key}` has no effect with kind {kind!r}; it belongs to kind "
        f"{owner!r}. Kind {kind!r} takes: {takes}."
    )


@pytest.mark.parametrize(("kind", "key"), [("gauntlet", "newcomers"), ("random", "matchups")])
def test_what_a_kind_needs_is_asked_for_with_an_example(kind: str, key: str) -> None:
    message = refusal(kind=kind)
    assert message.startswith(f"own.toml: schedule: kind {kind!r} needs `{key}`: write {key} = ")


@pytest.mark.parametrize("key", ["newcomers", "opponents"])
def test_who_is_named_must_take_part(key: str) -> None:
    assert refusal(kind="gauntlet", **{"newcomers": ["ann"], key: ["dan"]}) == (
        f"own.toml: schedule.{key}: no participant is named 'dan'. Participants: ann, bob, cyd."
    )
    message = refusal(kind="gauntlet", **{"newcomers": ["ann"], key: ["bob", "bob"]})
    assert message == f"own.toml: schedule.{key} lists a name twice."


@pytest.mark.parametrize(
    "names",
    [
        {"newcomers": ["ann", "bob", "cyd"]},
        {"newcomers": ["ann"], "opponents": ["ann"]},
    ],
)
def test_a_gauntlet_of_nobody_is_refused(names: dict[str, list[str]]) -> None:
    assert "schedule.newcomers: nobody is left for them to meet." in refusal(
        kind="gauntlet", **names
    )


def test_an_empty_list_of_newcomers_is_refused() -> None:
    assert "schedule.newcomers: " in refusal(kind="gauntlet", newcomers=[])
