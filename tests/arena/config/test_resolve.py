"""Names of a configuration looked up, and what is said of those that nobody knows."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.model_section import ModelSection
from arena.config.model_settings import settings_of
from arena.config.resolve import resolve
from arena.errors import ConfigError, UnknownName
from arena.records import Sampling
from tests.handmade import ONE_EACH, changed, content, motion, resolved_of

MOTIONS = """\
[[motion]]
id = "tea"
category = "value"
topic = "drink"
[motion.en]
text = "Tea is better than coffee"
"""


def registered(group: str) -> str:
    """The names of a group of entry points, as an error lists them."""
    return ", ".join(sorted(point.name for point in entry_points(group=group))) + "."


def refusal(config: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        resolve(parse_config(config, where="own.toml"), where="own.toml")
    assert str(caught.value).startswith("own.toml: ")
    return str(caught.value).removeprefix("own.toml: ")


def test_participants_and_benches_become_records() -> None:
    config = changed(content("ann", "bob"), ["participants", 0, "debater"], "agent4debate")
    config = changed(config, ["participants", 0, "options"], {"reviewer": False})
    resolved = resolved_of(changed(config, ["benches", 0, "model"], "offline/strong"))
    ann, bob = resolved.participants
    assert (ann.name, ann.debater, ann.model) == ("ann", "agent4debate", "offline/fair")
    assert (ann.options["reviewer"], ann.options["searcher"]) == (False, True)
    assert bob.options == {}
    assert (resolved.benches[0].judge, resolved.benches[0].runs) == ("debatrix", 1)
    assert resolved.benches[0].options["preset"] == "arena"
    assert resolved.name == "small"


def test_an_option_left_out_and_its_default_are_one_participant() -> None:
    config = changed(content(), ["participants", 0, "debater"], "agent4debate")
    written = changed(config, ["participants", 0, "options"], {"reviewer": True})
    assert resolved_of(config).participants == resolved_of(written).participants


def test_a_family_is_the_start_of_the_models_name_unless_it_is_written() -> None:
    config = changed(content(), ["benches", 0, "model"], "openrouter/meta/llama-3-70b")
    assert resolved_of(config).benches[0].family == "llama"
    assert resolved_of(changed(config, ["benches", 0, "family"], "own")).benches[0].family == "own"


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            ["participants", 1, "debater"],
            "debat3r",
            "participants[2].debater: unknown debater 'debat3r'. Known: "
            + registered("arena.debaters"),
        ),
        (
            ["benches", 0, "judge"],
            "oracle",
            "benches[1].judge: unknown judge 'oracle'. Known: " + registered("arena.judges"),
        ),
        (
            ["participants", 0, "options", "reviewr"],
            True,
            "participants[1].options.reviewr: unknown option. Options: none.",
        ),
        (
            ["benches", 0, "options", "weights"],
            {"wit": 1},
            "benches[1].options.weights.wit: unknown option. Options: preset, mode, weights.",
        ),
        (
            ["participants", 2, "model"],
            "gpt-4o",
            "participants[3].model: 'gpt-4o' has no provider. Write provider/name, for "
            "example openai/gpt-4o or offline/good.",
        ),
        (["benches", 0, "model"], "offline/", "benches[1].model: 'offline/' has no provider."),
    ],
)
def test_an_unknown_name_is_refused_with_place_and_known_ones(
    place: list[str | int], value: object, message: str
) -> None:
    assert refusal(changed(content(), place, value)).startswith(message)


def test_an_unknown_option_lists_those_of_its_debater() -> None:
    config = changed(content(), ["participants", 0, "debater"], "agent4debate")
    message = refusal(changed(config, ["participants", 0, "options"], {"searchr": False}))
    assert message.startswith(
        "participants[1].options.searchr: unknown option. Options: models, sampling, searcher, "
    )


def test_an_options_bad_value_is_named() -> None:
    message = refusal(changed(content(), ["benches", 0, "options"], {"preset": "chess"}))
    assert message.startswith("benches[1].options.preset: Input should be 'arena' or 'debatrix'")


def test_unknown_names_have_an_error_of_their_own() -> None:
    with pytest.raises(UnknownName):
        resolved_of(changed(content(), ["participants", 1, "debater"], "x"))


def test_an_unknown_motion_set_lists_the_shipped_ones() -> None:
    message = refusal(content(motions="arena67"))
    assert message.startswith(
        "tournament.motions: Unknown motion set 'arena67'; shipped sets: arena6"
    )


def own_set(folder: Path, **tournament: list[str]) -> dict[str, Any]:
    """A configuration on a motion file that has one motion, in English."""
    path = folder / "own.toml"
    path.write_text(MOTIONS, encoding="utf-8")
    return {**content(), "tournament": {"name": "small", "motions": str(path), **tournament}}


def test_motions_are_those_of_the_chosen_categories() -> None:
    def ids(*categories: str) -> set[str]:
        config = content(motions="arena66", categories=list(categories))
        found = resolve(parse_config(config, where="w"), where="w").motions
        assert {one.category for one in found} == set(categories)
        return {one.motion_id for one in found}

    assert ids("fact", "value") == ids("fact") | ids("value")
    assert ids("fact").isdisjoint(ids("value"))


def test_a_set_without_the_chosen_categories_is_refused(tmp_path: Path) -> None:
    message = refusal(own_set(tmp_path, categories=["fact", "policy"]))
    assert message.startswith("tournament.categories: no motion of ")
    assert "(1 motion) is in the category fact, policy. Choose other categories." in message


def test_a_motion_without_a_chosen_language_is_refused(tmp_path: Path) -> None:
    message = refusal(own_set(tmp_path, languages=["en", "zh"]))
    assert message.startswith("tournament.languages: 1 of 1 motion of ")
    assert (
        "have no text in 'zh': tea. Add the texts (the motions are listed by `arena motions chec"
        in message
    )
    assert "own.toml --language zh`), or leave the language out." in message


def test_stored_motions_need_no_motion_file() -> None:
    config = content(motions="/nowhere/own.toml")
    assert resolved_of(config, [motion("tea")]).motions == (motion("tea"),)
    assert "does not exist" in refusal(config)


@pytest.mark.parametrize(
    ("contest", "own", "expected"),
    [
        ({}, {}, (0.2, 0.75, 4096)),
        ({"temperature": 0.5, "max_tokens": 100}, {}, (0.5, 0.75, 100)),
        ({}, {"temperature": 0.9}, (0.9, 0.75, 4096)),
        ({"temperature": 0.5, "max_tokens": 100}, {"temperature": 0}, (0.0, 0.75, 100)),
    ],
)
def test_sampling_is_the_participants_then_the_contests_then_the_debaters(
    contest: dict[str, float], own: dict[str, float], expected: tuple[float, float, int]
) -> None:
    config = changed(content(), ["sampling"], contest)
    resolved = resolved_of(changed(config, ["participants", 0, "sampling"], own))
    temperature, top_p, limit = expected
    sampling = Sampling(temperature=temperature, top_p=top_p, max_tokens=limit)
    assert resolved.participants[0].sampling == sampling
    assert resolved.benches[0].sampling.temperature == 0.7, "the contest's is not for judges"


def test_a_bench_may_have_a_sampling_of_its_own() -> None:
    resolved = resolved_of(changed(content(), ["benches", 0, "sampling"], {"temperature": 0.1}))
    assert resolved.benches[0].sampling.temperature == 0.1


def test_a_models_own_settings_stand_over_its_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "secret")
    section = ModelSection.model_validate
    sections = {
        "openai/*": section(
            {
                "api_base": "http://h/v1",
                "api_key": "env:OWN_KEY",
                "concurrency": 4,
                "usd_per_million": {"input": 1.0, "output": 2.0},
            }
        ),
        "openai/big": section({"concurrency": 1, "usd_per_million": {"input": 5.0, "output": 9.0}}),
        "other/*": section({"concurrency": 99}),
        "openai/cached": section({"usd_per_million": {"input": 5.0, "output": 9.0, "cached": 1.0}}),
    }
    big, small = settings_of("openai/big", sections), settings_of("openai/small", sections)
    assert (big.api_base, big.api_key, big.concurrency) == ("http://h/v1", "secret", 1)
    assert (big.usd_per_million, small.usd_per_million) == ((5.0, 9.0), (1.0, 2.0))
    assert (big.cached_usd_per_million, small.cached_usd_per_million) == (None, None)
    assert settings_of("openai/cached", sections).cached_usd_per_million == 1.0
    assert (small.concurrency, small.requests_per_minute) == (4, None)
    assert settings_of("third/x", sections).api_base is None
    assert "secret" not in repr(big)


def test_the_hash_of_a_configuration_follows_what_it_resolves_to() -> None:
    resolved = resolved_of(content())
    assert resolved.config_hash == resolved_of(content(), ONE_EACH[:1]).config_hash
    assert resolved.config_hash == resolved_of(content(contest="debate")).config_hash
    assert resolved.config_hash != resolved_of(content(seed=8)).config_hash
