"""Configuration files: what is accepted, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.config import SamplingSection, examples, from_environment, load, parse
from arena.errors import ConfigError
from tests.handmade import SMALL, changed, content

KEY = "sk-live-0123456789abcdef"


def refusal(given: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(given, where="own.toml")
    assert str(caught.value).startswith("own.toml:")
    return str(caught.value).removeprefix("own.toml:").strip()


def file_refusal(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", sorted(examples()))
def test_a_shipped_example_is_valid_and_found_by_its_name(name: str) -> None:
    found = load(name)
    assert len(found.participants) >= 2
    judges = {"debate": "debatrix", "essay": "single", "question": "correctness"}
    assert found.benches[0].judge == judges[found.tournament.contest]


def test_a_file_says_what_is_played_and_defaults_say_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    found = load(path)
    assert (found.tournament.name, found.tournament.seed) == ("small", 7)
    assert [one.name for one in found.participants] == ["strong", "fair", "weak"]
    assert found.benches[0].runs == 1
    assert (found.limits.usd, found.limits.words, found.limits.retries) == (None, 600, 8)
    assert found.tournament.categories == ["fact", "policy", "value"]
    assert (found.search.kind, found.sampling) == ("brief", SamplingSection())


def test_names_may_be_in_any_script() -> None:
    assert parse(content("辩手 1", "Ümit"), where="own.toml").participants[0].name == "辩手 1"


@pytest.mark.parametrize(
    ("place", "section", "accepted"),
    [
        (["extra"], "the file", "tournament, schedule, limits, search, sampling, models, "),
        (["tournament", "sead"], "tournament", "name, contest, languages, motions, categories, "),
        (["schedule", "rounds"], "schedule", "kind, matchups_per_pair, newcomers, opponents, "),
        (["limits", "eur"], "limits", "usd, words, timeout_seconds, retries."),
        (["search", "paths"], "search", "kind, path, api_base, api_key, requests_per_minute."),
        (["sampling", "heat"], "sampling", "temperature, top_p, max_tokens."),
        (["models", "a/b", "url"], "models.a/b", "api_base, api_key, usd_per_million, requests_"),
        (
            ["models", "a/b", "usd_per_million"],
            "models.a/b.usd_per_million",
            "input, output, cached.",
        ),
        (["participants", 1, "modell"], "participants[2]", "name, debater, model, options, "),
        (
            ["participants", 1, "sampling"],
            "participants[2].sampling",
            "temperature, top_p, max_tokens.",
        ),
        (["benches", 0, "seed"], "benches[1]", "name, judge, model, runs, swap, sampling, "),
        (["benches", 0, "sampling"], "benches[1].sampling", "temperature, top_p, max_tokens."),
    ],
)
def test_an_unknown_key_is_refused_with_the_accepted_ones(
    place: list[str | int], section: str, accepted: str
) -> None:
    key = str(place[-1])
    value: object = 1
    if section.endswith(key):  # an unknown key within the table of this name
        key, value = "odd", {"input": 1.0, "output": 1.0, "odd": 1}
        if "sampling" in section:
            value = {"odd": 1}
    said = refusal(changed(content(), place, value))
    where = key if section == "the file" else f"{section}.{key}"
    assert said.startswith(f"{where}: unknown key. Accepted in {section}: {accepted}")


def test_several_problems_are_one_message_with_a_line_for_each() -> None:
    given = changed(content(), ["tournament", "sead"], 7)
    said = refusal(changed(given, ["benches", 0, "runs"], 0))
    assert [line.split(": ")[0] for line in said.splitlines()] == [
        "- tournament.sead",
        "  - benches[1].runs",
    ]


@pytest.mark.parametrize(
    ("place", "value", "where", "accepted"),
    [
        (["tournament", "contest"], "chess", "tournament.contest", "'debate'"),
        (["tournament", "languages"], ["fr"], "tournament", "accepted: en, zh"),
        (["tournament", "languages"], ["en", "en"], "tournament", "`languages` names one twice"),
        (["tournament", "languages"], [], "tournament.languages", "at least 1"),
        (["tournament", "categories"], ["taste"], "tournament.categories[1]", "'policy'"),
        (["tournament", "seed"], -1, "tournament.seed", "greater than or equal to 0"),
        (["tournament", "seed"], 2**63, "tournament.seed", "less than"),
        (["tournament", "name"], "", "tournament.name", "at least 1"),
        (["tournament", "name"], "a\nb", "tournament.name", "match pattern"),
        (["schedule", "kind"], "knockout", "schedule.kind", "'round_robin'"),
        (["schedule", "matchups_per_pair"], 0, "schedule.matchups_per_pair", "equal to 1"),
        (["schedule", "matchups"], 0, "schedule.matchups", "equal to 1"),
        (["limits", "usd"], 0, "limits.usd", "greater than 0"),
        (["limits", "words"], "600", "limits.words", "valid integer"),
        (["search", "kind"], "web", "search.kind", "'tavily' or 'none'"),
        (["sampling", "temperature"], 3.0, "sampling.temperature", "equal to 2"),
        (["participants", 0, "name"], 7, "participants[1].name", "valid string"),
        (["benches", 0, "runs"], 0, "benches[1].runs", "equal to 1"),
    ],
)
def test_a_bad_value_is_refused_with_place_and_what_is_accepted(
    place: list[str | int], value: object, where: str, accepted: str
) -> None:
    said = refusal(changed(content(), place, value))
    assert said.startswith(f"{where}: ")
    assert accepted in said
    if not isinstance(value, list):
        assert f"Given: {value!r}." in said


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ({"input": 1.0, "output": 2.0, "cached": 1.5}, "`cached` must not be more than `input`"),
        ({"input": 1.0, "output": 2.0, "cached": -1.0}, "usd_per_million.cached"),
        ({"input": float("inf"), "output": 2.0}, "usd_per_million.input"),
        ({"input": 1.0, "output": float("nan")}, "usd_per_million.output"),
        ({"input": 1.0, "output": 1.0, "cached": float("nan")}, "usd_per_million.cached"),
    ],
)
def test_a_price_that_cannot_be_is_refused(price: dict[str, float], said: str) -> None:
    given = changed(content(), ["models", "a/b", "usd_per_million"], price)
    assert said in refusal(given)


def test_an_unknown_language_is_named() -> None:
    assert "'fr'" in refusal(content(languages=["en", "fr"]))


@pytest.mark.parametrize("place", ["tournament", "participants", "benches"])
def test_a_missing_table_is_named(place: str) -> None:
    given = content()
    del given[place]
    assert refusal(given).startswith(f"{place}: missing.")


def test_two_participants_of_one_name_are_refused() -> None:
    assert "two participants are named 'ann'; names must differ" in refusal(content("ann", "ann"))


def test_two_benches_of_one_name_are_refused() -> None:
    given = content()
    given["benches"] *= 2
    assert "two benches are named 'bench'; names must differ" in refusal(given)


def test_one_participant_is_too_few() -> None:
    said = refusal(content("ann"))
    assert said.startswith("participants: ")
    assert "at least 2 needed, 1 given" in said


def test_a_tournament_needs_a_bench() -> None:
    said = refusal(changed(content(), ["benches"], []))
    assert said.startswith("benches: ")
    assert "at least 1 needed, 0 given" in said and "[[benches]]" in said


@pytest.mark.parametrize("value", [KEY, [KEY], {"key": KEY}])
def test_a_key_in_the_file_is_refused_and_never_shown(value: object) -> None:
    said = refusal(changed(content(), ["models", "openai/gpt-4o", "api_key"], value))
    assert said.startswith("models.openai/gpt-4o.api_key")
    assert KEY not in said
    if value == KEY:
        assert "write env:NAME of a variable" in said


@pytest.mark.parametrize(
    "place",
    [
        ["models", "openai/gpt-4o", "apikey"],
        ["models", "api_key"],
        ["models", "openai"],
        ["participants", 0, "api_key"],
        ["benches", 0, "key"],
        ["api_key"],
    ],
)
def test_a_key_in_the_wrong_place_is_refused_and_never_shown(place: list[str | int]) -> None:
    said = refusal(changed(content(), place, KEY))
    assert str(place[-1]) in said
    assert KEY not in said


def test_a_key_of_the_environment_is_kept_as_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", KEY)
    given = changed(content(), ["models", "openai/gpt-4o", "api_key"], "env:OWN_KEY")
    found = parse(given, where="own.toml")
    assert found.models["openai/gpt-4o"].api_key == "env:OWN_KEY"
    assert KEY not in found.model_dump_json()


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


def test_a_syntax_error_is_told_with_file_and_line(tmp_path: Path) -> None:
    said = file_refusal(tmp_path / "own.toml", SMALL + "\nrounds = = 2\n")
    assert "no valid TOML" in said
    assert f"line {SMALL.count(chr(10)) + 2}" in said


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    said = file_refusal(tmp_path / "own.toml", SMALL.replace("fair", "fähr").encode("latin-1"))
    assert "it is not UTF-8 text" in said


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert load(path).tournament.name == "small"


@pytest.mark.parametrize(("name", "reason"), [("no.toml", "No such file"), (".", "Is a directory")])
def test_what_cannot_be_read_is_told_with_its_path(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        load(tmp_path / name)
    assert str(tmp_path) in str(caught.value)


def test_an_unknown_example_lists_the_known_ones_and_how_to_start() -> None:
    with pytest.raises(ConfigError) as caught:
        load("ofline")
    assert str(caught.value).startswith("ofline: no such file, and no such example.")
    assert f"Examples: {', '.join(sorted(examples()))}." in str(caught.value)
    assert "arena init" in str(caught.value)


@pytest.mark.parametrize("given", ["own_motions.toml", "sets/own.toml"])
def test_a_motion_file_is_named_relative_to_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "t.toml").write_text(SMALL.replace("arena66", given), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load("here/t.toml").tournament.motions == str(tmp_path / "here" / given)


def test_a_shipped_set_and_an_absolute_path_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    for given in ("arena66", "/sets/own.toml"):
        path.write_text(SMALL.replace("arena66", given), encoding="utf-8")
        assert load(path).tournament.motions == given


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"kind": "folder"}, "kind 'folder' needs `path`"),
        ({"path": "docs"}, "`path` has no effect with kind 'brief'; it belongs to kind 'folder'"),
        ({"kind": "none", "requests_per_minute": 5}, "`requests_per_minute` has no effect"),
        ({"kind": "folder", "path": "d", "api_base": "http://h"}, "`api_base` has no effect"),
    ],
)
def test_a_key_of_another_kind_of_search_is_refused(section: dict[str, object], words: str) -> None:
    said = refusal(changed(content(), ["search"], section))
    assert said.startswith("search: ") and words in said


def test_a_key_of_a_search_in_the_file_is_refused_and_never_shown() -> None:
    said = refusal(changed(content(), ["search"], {"kind": "tavily", "api_key": KEY}))
    assert said.startswith("search.api_key: ") and "write env:NAME" in said
    assert KEY not in said
    assert KEY not in refusal(changed(content(), ["search"], {"kind": "tavily", "key": KEY}))


@pytest.mark.parametrize("given", ["documents", "../documents", "sub/documents"])
def test_a_folder_to_search_is_named_relative_to_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "here").mkdir()
    section = f'\n[search]\nkind = "folder"\npath = "{given}"\n'
    (tmp_path / "here" / "t.toml").write_text(SMALL + section, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load("here/t.toml").search.path == str((tmp_path / "here" / given).resolve())
