"""The table `[schedule]`: each kind takes its own keys, and names those who take part."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.sections import Config
from arena.errors import ConfigError
from tests.support.tournaments import content


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
        {"kind": "swiss", "rounds": 5, "knockout": 2},
        {"kind": "knockout", "knockout": 2},
        {"kind": "adaptive", "wave": 4, "matchups": 90},
    ],
)
def test_each_kind_takes_its_own_keys(schedule: dict[str, Any]) -> None:
    found = parse_config({**content(), "schedule": schedule}, where="own.toml").schedule
    assert found.model_dump(exclude_unset=True) == schedule


def test_a_key_of_another_kind_is_refused() -> None:
    assert refusal(kind="swiss", opponents=["ann"]) == (
        "own.toml: schedule: `opponents` has no effect with kind 'swiss'; it belongs to kind "
        "'gauntlet'. Kind 'swiss' takes: rounds, knockout."
    )
    assert refusal(kind="round_robin", matchups=5) == (
        "own.toml: schedule: `matchups` has no effect with kind 'round_robin'; it belongs to kinds "
        "'random', 'adaptive'. Kind 'round_robin' takes: matchups_per_pair, knockout."
    )
    values = {"newcomers": ["ann"], "opponents": ["ann"]}
    pairs = [
        *product(["round_robin", "random", "knockout"], ["newcomers", "rounds", "wave"]),
        *product(["gauntlet"], ["matchups", "knockout"]),
        *product(["adaptive", "swiss", "random"], ["matchups_per_pair", "opponents"]),
    ]
    for kind, key in pairs:
        message = refusal(kind=kind, **{key: values.get(key, 2)})
        assert f"`{key}` has no effect with kind {kind!r}" in message, (kind, key)


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
    "names", [{"newcomers": ["ann", "bob", "cyd"]}, {"newcomers": ["ann"], "opponents": ["ann"]}]
)
def test_a_gauntlet_of_nobody_is_refused(names: dict[str, list[str]]) -> None:
    assert "schedule.newcomers: nobody is left for them to meet." in refusal(
        kind="gauntlet", **names
    )


def test_an_empty_list_of_newcomers_is_refused() -> None:
    assert "schedule.newcomers: " in refusal(kind="gauntlet", newcomers=[])


def test_a_knockout_of_more_than_there_are_is_refused() -> None:
    message = refusal(kind="swiss", knockout=4)
    assert message.startswith("own.toml: schedule.knockout is 4, but there are 3 participants.")


def with_target(target: dict[str, object], **schedule: object) -> Config:
    return parse_config({**content(), "schedule": schedule, "target": target}, where="own.toml")


def test_a_target_without_a_kind_of_schedule_is_played_for_adaptively() -> None:
    assert with_target({}).schedule.kind == "adaptive"
    assert with_target({}, wave=4).schedule.wave == 4
    assert with_target({}, kind="round_robin").schedule.kind == "round_robin"
    assert parse_config(content(), where="own.toml").schedule.kind == "round_robin"


def test_an_objective_has_a_number_of_its_own() -> None:
    assert with_target({"objective": "top-k", "first": 2}).target.amount == 2  # type: ignore[union-attr]
    assert with_target({"objective": "precision"}).target.amount == 60  # type: ignore[union-attr]
    assert with_target({}).target.amount == 0  # type: ignore[union-attr]


def test_a_target_that_does_not_fit_is_refused() -> None:
    refusals: dict[str, dict[str, object]] = {
        "`elo` has no effect with objective 'ranking'": {"elo": 50},
        "target.bench: no bench is named 'jury'. Benches: ": {"bench": "jury"},
        "'newcomer' needs `newcomers` in [schedule]": {"objective": "newcomer"},
        "target.first is 3, but there are 3 participants.": {"objective": "top-k"},
        "target.objective: Input should be 'ranking', 'top-k'": {"objective": "best"},
    }
    for words, target in refusals.items():
        with pytest.raises(ConfigError, match=re.escape(words)):
            with_target(target)
