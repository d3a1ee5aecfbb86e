"""Configurations, read from files and shipped examples, and what is wrong with them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from arena.config.load import (
    find_example,
    from_environment,
    lacks_schedule,
    load_config,
    parse_config,
    parse_file,
)
from arena.config.resolve import resolve_to_play
from arena.config.schedule_section import TargetSection
from arena.errors import ConfigError
from arena.store.database import Store
from tests.support.refused_configs import refusal
from tests.support.tournaments import SMALL, changed, content

KEY = "sk-live-0123456789abcdef"


def test_names_may_be_in_any_script() -> None:
    assert (
        parse_config(content("辩手 1", "Ümit"), where="own.toml").participants[0].name == "辩手 1"
    )


def at(place: str) -> list[str | int]:
    """The keys of a place that is written as `participants.0.name`."""
    return [int(part) if part.isdigit() else part for part in place.split(".")]


_SAMPLING = "temperature, top_p, max_tokens, reasoning_effort."


@pytest.mark.parametrize(
    ("place", "section", "accepted"),
    [
        ("extra", "the file", "tournament, run, schedule, target, limits, search, speaking, "),
        ("tournament.sead", "tournament", "name, contest, languages, motions, categories, "),
        ("schedule.rouns", "schedule", "kind, matchups_per_pair, newcomers, opponents, "),
        ("limits.eur", "limits", "usd, usd_per_day, tokens, tokens_per_day, words, "),
        ("search.paths", "search", "kind, path, api_base, api_key, requests_per_minute."),
        ("sampling.heat", "sampling", _SAMPLING),
        ("models.a/b.url", "models.a/b", "api_base, api_key, usd_per_million, requests_"),
        ("models.a/b.usd_per_million", "models.a/b.usd_per_million", "input, output, cached."),
        ("participants.1.modell", "participants[2]", "name, debater, model, options, "),
        ("participants.1.sampling", "participants[2].sampling", _SAMPLING),
        ("benches.0.seed", "benches[1]", "name, judge, model, runs, count, swap, "),
        ("benches.0.sampling", "benches[1].sampling", _SAMPLING),
    ],
)
def test_an_unknown_key_is_refused_with_the_accepted_ones(
    place: str, section: str, accepted: str
) -> None:
    key = place.rpartition(".")[2]
    value: object = 1
    if section.endswith(key):  # an unknown key within the table of this name
        key, value = "odd", {"input": 1.0, "output": 1.0, "odd": 1}
        if "sampling" in section:
            value = {"odd": 1}
    message = refusal(changed(content(), at(place), value))
    where = key if section == "the file" else f"{section}.{key}"
    assert message.startswith(f"{where}: unknown key. Accepted in {section}: {accepted}")


def test_several_problems_are_one_message_with_a_line_for_each() -> None:
    config = changed(content(), ["tournament", "sead"], 7)
    message = refusal(changed(config, ["benches", 0, "runs"], 0))
    assert [line.split(": ")[0] for line in message.splitlines()] == [
        "- tournament.sead",
        "  - benches[1].runs",
    ]


_NAME_RULE = (
    "a name begins with a letter or digit, followed by letters, digits, spaces and "
    ". + @ : / - _, at most 80 characters"
)


@pytest.mark.parametrize(
    ("place", "value", "where", "accepted"),
    [
        ("tournament.contest", "chess", "tournament.contest", "'debate'"),
        ("tournament.languages", ["fr"], "tournament", "accepted: en, zh"),
        ("tournament.languages", ["en", "en"], "tournament", "`languages` lists a value twice"),
        ("tournament.languages", [], "tournament.languages", "at least 1"),
        ("tournament.categories", ["taste"], "tournament.categories[1]", "'policy'"),
        ("tournament.seed", -1, "tournament.seed", "greater than or equal to 0"),
        ("tournament.seed", 2**63, "tournament.seed", "less than"),
        ("tournament.name", "", "tournament.name", "at least 1"),
        ("tournament.name", "a\nb", "tournament.name", _NAME_RULE),
        ("schedule.kind", "ladder", "schedule.kind", "'round_robin'"),
        ("schedule.matchups_per_pair", 0, "schedule.matchups_per_pair", "equal to 1"),
        ("schedule.matchups", 0, "schedule.matchups", "equal to 1"),
        ("limits.usd", 0, "limits.usd", "greater than 0"),
        ("limits.words", "600", "limits.words", "valid integer"),
        ("search.kind", "web", "search.kind", "'tavily' or 'none'"),
        ("sampling.temperature", 3.0, "sampling.temperature", "equal to 2"),
        ("participants.0.name", 7, "participants[1].name", "valid string"),
        ("benches.0.runs", 0, "benches[1].runs", "equal to 1"),
    ],
)
def test_a_bad_value_is_refused_with_place_and_what_is_accepted(
    place: str, value: object, where: str, accepted: str
) -> None:
    message = refusal(changed(content(), at(place), value))
    assert message.startswith(f"{where}: ")
    assert accepted in message
    if not isinstance(value, list):
        assert f"Given: {value!r}." in message


@pytest.mark.parametrize(
    ("price", "message"),
    [
        ({"input": 1.0, "output": 2.0, "cached": 1.5}, "`cached` must not be higher than `input`"),
        ({"input": 1.0, "output": 2.0, "cached": -1.0}, "usd_per_million.cached"),
        ({"input": float("inf"), "output": 2.0}, "usd_per_million.input"),
        ({"input": 1.0, "output": float("nan")}, "usd_per_million.output"),
        ({"input": 1.0, "output": 1.0, "cached": float("nan")}, "usd_per_million.cached"),
    ],
)
def test_a_price_that_cannot_be_is_refused(price: dict[str, float], message: str) -> None:
    config = changed(content(), ["models", "a/b", "usd_per_million"], price)
    assert message in refusal(config)


@pytest.mark.parametrize("place", ["tournament", "participants", "benches"])
def test_a_missing_table_is_named(place: str) -> None:
    config = content()
    del config[place]
    assert refusal(config).startswith(f"{place}: missing.")


def test_two_of_one_name_are_refused() -> None:
    assert "two participants are named 'ann'; names must differ" in refusal(content("ann", "ann"))
    config = content()
    config["benches"] *= 2
    assert "two benches are named 'bench'; names must differ" in refusal(config)


@pytest.mark.parametrize(
    ("place", "value", "start", "words"),
    [
        ("participants", content("ann")["participants"], "participants: at least 2 req", "1 given"),
        ("benches", [], "benches: at least 1 required, 0 given", "[[benches]]"),
        ("search", {"kind": "folder"}, "search: ", "kind 'folder' needs `path`"),
        (
            "search",
            {"path": "d"},
            "search: `path` has no effect with kind 'brief'",
            "kind 'folder'",
        ),
        ("search", {"kind": "none", "requests_per_minute": 5}, "search: `requests_per_minute`", ""),
        ("search", {"kind": "folder", "path": "d", "api_base": "h"}, "search: `api_base` has", ""),
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    place: str, value: object, start: str, words: str
) -> None:
    message = refusal(changed(content(), [place], value))
    assert message.startswith(start) and words in message
    assert place != "participants" or "Given:" not in message, "tables are not repeated as Python"


def test_a_file_without_schedule_or_target_is_played_until_the_order_is_settled(
    tmp_path: Path,
) -> None:
    file = tmp_path / "few.toml"
    file.write_text(SMALL.replace("[schedule]\nmatchups_per_pair = 1\nconcurrency = 4\n", ""))
    config = load_config(file)
    assert config.target is not None and config.schedule.kind == "adaptive"
    file.write_text(SMALL)
    assert load_config(file).target is None
    assert not lacks_schedule(tomllib.loads(SMALL))
    question = SMALL.replace('name = "small"', 'name = "small"\ncontest = "question"')
    assert not lacks_schedule(tomllib.loads(question))


def test_a_stored_tournament_keeps_its_schedule(small_database: Path, tmp_path: Path) -> None:
    text = SMALL.replace("[schedule]\nmatchups_per_pair = 1\nconcurrency = 4\n", "")
    kept = resolve_to_play(text, Store(small_database), where="few.toml").config
    assert (kept.schedule.kind, kept.target) == ("round_robin", None)
    new = resolve_to_play(text, Store(tmp_path / "none.duckdb"), where="few.toml").config
    assert (new.schedule.kind, new.target) == ("adaptive", TargetSection())


@pytest.mark.parametrize(
    ("places", "is_refused"), [("", True), ("places = 3", True), ("places = 2", False)]
)
def test_a_target_that_every_place_would_reach_is_refused_in_a_file(
    places: str, is_refused: bool
) -> None:
    schedule = 'kind = "adaptive"\nnewcomers = ["weak"]'
    text = SMALL.replace("matchups_per_pair = 1", schedule)
    text += f'\n[target]\nobjective = "newcomer"\n{places}\n'
    stored = parse_config(tomllib.loads(text), where="stored")
    assert len(stored.participants) == 3, "what was stored can be read"
    if is_refused:
        with pytest.raises(ConfigError, match="target.places is 3, but there are 3 participants"):
            parse_file(text, where="own.toml")
    else:
        assert parse_file(text, where="own.toml") == stored


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (["models", "openai/gpt-4o", "api_key"], KEY, "Write env:NAME, where NAME is the envi"),
        (["models", "openai/gpt-4o", "api_key"], [KEY], "models.openai/gpt-4o.api_key"),
        (["models", "openai/gpt-4o", "api_key"], {"key": KEY}, "models.openai/gpt-4o.api_key"),
        (["search"], {"kind": "tavily", "api_key": KEY}, "search.api_key: a key must not be w"),
        (["search"], {"kind": "tavily", "key": KEY}, "search.key"),
        (["models", "openai/gpt-4o", "apikey"], KEY, "apikey"),
        (["models", "api_key"], KEY, "api_key"),
        (["models", "openai"], KEY, "openai"),
        (["participants", 0, "api_key"], KEY, "api_key"),
        (["benches", 0, "key"], KEY, "key"),
        (["api_key"], KEY, "api_key"),
    ],
)
def test_a_key_in_the_file_is_refused_wherever_it_stands_and_never_shown(
    place: list[str | int], value: object, words: str
) -> None:
    message = refusal(changed(content(), place, value))
    assert words in message and KEY not in message


def test_a_key_of_the_environment_is_kept_as_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", KEY)
    tables = changed(content(), ["models", "openai/gpt-4o", "api_key"], "env:OWN_KEY")
    config = parse_config(tables, where="own.toml")
    assert config.models["openai/gpt-4o"].api_key == "env:OWN_KEY"
    assert KEY not in config.model_dump_json()


@pytest.mark.parametrize(
    ("value", "variable", "expected"),
    [
        ("env:ARENA_X", "set", "set"),
        ("env:ARENA_X|else", "set", "set"),
        ("env:ARENA_X|else", None, "else"),
        ("env:ARENA_X|else", "", "else"),
        ("env:ARENA_X|http://h/v1|x", None, "http://h/v1|x"),
        ("env:ARENA_X", None, None),
        ("http://h/v1", "set", "http://h/v1"),
        (None, "set", None),
    ],
)
def test_a_reference_gives_the_variable_or_its_default(
    value: str | None, variable: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_X", raising=False)
    if variable is not None:
        monkeypatch.setenv("ARENA_X", variable)
    assert from_environment(value) == expected


def test_a_file_comes_before_an_example_and_an_example_before_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_example("one", ["one", "two"]) == "one"
    (tmp_path / "one").mkdir()
    assert find_example("one", ["one", "two"]) == "one"
    (tmp_path / "two").touch()
    assert find_example("two", ["one", "two"]) == ""
    assert find_example("no/such.toml", ["one"]) == "", "whoever reads it says what is wrong"


def test_an_example_may_stand_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_example("papers/one", ["papers/one"]) == "papers/one"
    with pytest.raises(ConfigError, match=r"no such example. Examples: papers/one\."):
        find_example("papers/two", ["papers/one"])
    assert find_example("other/two", ["papers/one"]) == ""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers/one").touch()
    assert find_example("papers/one", ["papers/one"]) == ""


def test_what_is_neither_is_told_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match=r"^folder: is a directory. Name a file in it\.$"):
        find_example("folder", ["one"])
    with pytest.raises(ConfigError) as caught:
        find_example("three", ["two", "one"], advice="Write one.")
    assert str(caught.value) == (
        "three: no such file, and no such example. Examples: one, two. Write one."
    )
