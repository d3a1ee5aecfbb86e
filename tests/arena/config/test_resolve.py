"""Names in a configuration become participants, benches and motions; who may judge whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.config.model_names import settings_of
from arena.config.resolve import resolve
from arena.config.resolved import check_panels
from arena.config.section import ModelSection
from arena.errors import ConfigError, UnknownName
from arena.languages import Side
from arena.plugins import debater_class, model_families, participant_models
from arena.records import Participant, Sampling, family_of, family_words
from arena.store.database import Store
from arena.tournament.forecast import estimate
from arena.tournament.plan import make_plan
from tests.support.scripted_backend import ScriptedBackend
from tests.support.scripted_ballots import answer, take
from tests.support.tournaments import ONE_EACH, changed, content, motion, resolved_of

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
        (
            ["benches", 0, "options"],
            {"preset": "chess"},
            "benches[1].options.preset: Input should be 'arena', 'debatrix' or 'paper'",
        ),
        (
            ["tournament", "motions"],
            "arena67",
            "tournament.motions: Unknown motion set 'arena67'; shipped sets: arena6",
        ),
    ],
)
def test_an_unknown_name_is_refused_with_place_and_known_ones(
    place: list[str | int], value: object, message: str
) -> None:
    assert refusal(changed(content(), place, value)).startswith(message)


def test_an_unknown_option_lists_those_of_its_debater() -> None:
    config = changed(content(), ["participants", 0, "debater"], "agent4debate")
    message = refusal(changed(config, ["participants", 0, "options"], {"searchr": False}))
    known = ", ".join(debater_class("agent4debate").Options.model_fields)
    told = f"unknown option. Options: {known}. Did you mean 'searcher'?"
    assert message == f"participants[1].options.searchr: {told}"
    with pytest.raises(UnknownName):
        resolved_of(changed(content(), ["participants", 1, "debater"], "x"))


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


@pytest.mark.parametrize(
    ("model", "family", "words"),
    [
        ("openai/gpt-4o-mini", "gpt", {"openai", "gpt"}),
        ("openrouter/Anthropic/claude-haiku", "claude", {"openrouter", "anthropic", "claude"}),
        ("offline/fair", "fair", {"offline", "fair"}),
        ("", "", set()),
    ],
)
def test_a_family_is_told_by_the_models_name(model: str, family: str, words: set[str]) -> None:
    assert family_of(model) == family
    assert family_words([model]) == words
    assert family_words([model, "x/y-1"]) == words | {"x", "y"}


def with_jury(*models: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    members = [{"judge": "single", "model": model} for model in models]
    bench = {
        "name": "panel",
        "judge": "jury",
        "model": "offline/fair",
        "options": {"members": members, **more},
    }
    return changed(content(), ["benches"], [bench])


def test_a_bench_that_is_related_to_all_its_debaters_is_refused_by_the_plan(
    tmp_path: Any,  # noqa: ANN401
) -> None:
    store = Store(tmp_path / "own.duckdb")
    resolved = resolved_of(with_jury("offline/fair"))
    with pytest.raises(ConfigError) as caught:
        make_plan(resolved, store)
    assert str(caught.value).startswith(
        "bench 'panel' cannot judge 'ann' and 'bob': each of its members is of a debater's "
        "family (fair). Add a member of another family"
    )
    kept = make_plan(resolved_of(with_jury("offline/fair", leave_out_family=False)), store)
    assert len(kept.debates) == 6
    assert make_plan(resolved_of(with_jury("offline/fair", "offline/good", "offline/weak")), store)


def test_only_the_pairs_that_meet_are_looked_at(tmp_path: Any) -> None:  # noqa: ANN401
    given = with_jury("offline/fair", "offline/good", "offline/good")
    given = changed(given, ["participants", 0, "model"], "offline/good")
    resolved = resolved_of(given)
    check_panels(resolved, [])
    with pytest.raises(ConfigError, match="cannot judge 'ann' and "):
        make_plan(resolved, Store(tmp_path / "own.duckdb"))


def test_a_plan_knows_the_models_of_all_members_and_their_prices() -> None:
    given = with_jury("house/dear-1", "offline/good", "house/cheap-1")
    resolved = resolved_of(given)
    assert resolved.models == ["house/cheap-1", "house/dear-1", "offline/fair", "offline/good"]
    prices = {"house/dear-1": (1.0, 1.0), "house/cheap-1": (0.1, 0.1)}
    result = estimate(
        resolved, [], ballots=["panel"], price=lambda model: prices.get(model, (0.0, 0.0))
    )
    assert result.calls.tolist() == [3, 3, 6]
    assert result.usd.tolist() == pytest.approx((1.1 * result.tokens / 3).tolist())


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"judge": "single", "model": "gpt-4o"}, "'gpt-4o' has no provider"),
        ({"judge": "single", "model": "offline/best"}, "unknown simulated model 'offline/best'"),
        ({"judge": "oracle"}, "members[1]: unknown judge 'oracle'"),
    ],
)
def test_a_member_that_cannot_judge_is_named(member: dict[str, str], message: str) -> None:
    config = changed(with_jury("offline/good"), ["benches", 0, "options", "members"], [member])
    with pytest.raises(ConfigError) as caught:
        resolved_of(config)
    assert message in str(caught.value)
    assert "benches[1].options" in str(caught.value)


def with_mixed_team(config: dict[str, Any]) -> dict[str, Any]:
    """Ann's inner judge is of another family than she is."""
    config = changed(config, ["participants", 0, "debater"], "mad")
    return changed(config, ["participants", 0, "options"], {"models": {"judge": "offline/good"}})


def test_every_model_that_speaks_for_a_participant_is_related_to_it() -> None:
    ann, bob, _ = resolved_of(with_mixed_team(content())).participants
    assert participant_models(ann) == ("offline/fair", "offline/good")
    assert participant_models(Participant(name="pro", debater="", model="")) == ("",)
    assert model_families([ann]) == {"offline", "fair", "good"}
    assert model_families([bob]) == {"offline", "fair"}
    assert model_families([replace(ann, debater="imported", name="x/gpt-4o")]) == {"x", "gpt"}


def test_a_plan_knows_the_families_of_a_debaters_roles(tmp_path: Path) -> None:
    alone = with_jury("offline/good")
    assert make_plan(resolved_of(alone), Store(tmp_path / "own.duckdb"))
    with pytest.raises(ConfigError, match=r"cannot judge 'ann' and .*family \(good\)"):
        make_plan(resolved_of(with_mixed_team(alone)), Store(tmp_path / "own.duckdb"))


async def test_who_is_of_the_family_of_a_debaters_role_does_not_sit(tmp_path: Path) -> None:
    roles = {"models": {"negative": "house/m1"}}
    sides: Mapping[Side, Participant] = {
        "pro": Participant(name="ann", debater="mad", model="house/x", options=roles),
        "con": Participant(name="bob", debater="direct", model="house/y"),
    }
    panel = {"members": [{"judge": "single", "model": f"other/m{n}"} for n in (1, 2, 3)]}
    record = await take("jury", panel, ScriptedBackend(answer), tmp_path, sides=sides)
    assert [step.get("absent") for step in record.ballot.trace] == ["left out: of m1", None, None]
