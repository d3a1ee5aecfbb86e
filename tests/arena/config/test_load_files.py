"""Configuration files: found, read, and the paths in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.load import load_config, shipped_configs
from arena.config.sections import SamplingSection
from arena.errors import ConfigError, Untrusted
from tests.support.tournaments import SMALL


def file_refusal(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", sorted(shipped_configs()))
def test_a_shipped_example_is_valid_and_found_by_its_name(name: str) -> None:
    config = load_config(name)
    assert len(config.participants) >= 2
    judges = {"debate": "debatrix", "essay": "single", "question": "correctness"}
    if name == "tiny":  # the one that asks least of a small model
        judges["debate"] = "single"
    if name == "papers/debate-to-write":  # whose first table has the marks of relevance
        judges["essay"] = "marks"
    assert config.benches[0].judge == judges[config.tournament.contest]


def test_a_file_says_what_is_played_and_defaults_say_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    config = load_config(path)
    assert (config.tournament.name, config.tournament.seed) == ("small", 7)
    assert [one.name for one in config.participants] == ["strong", "fair", "weak"]
    assert config.benches[0].runs == 1
    assert (config.limits.usd, config.limits.words, config.limits.retries) == (None, 600, 8)
    assert config.tournament.categories == ["fact", "policy", "value"]
    assert (config.search.kind, config.sampling) == ("brief", SamplingSection())


def test_a_syntax_error_is_told_with_file_and_line(tmp_path: Path) -> None:
    message = file_refusal(tmp_path / "own.toml", SMALL + "\nrounds = = 2\n")
    line = SMALL.count(chr(10)) + 2
    assert message.startswith(f"{tmp_path / 'own.toml'}, line {line}, column 10: not valid TOML: ")
    assert message.endswith("Given: rounds = = 2")


def test_a_syntax_error_does_not_repeat_what_may_be_a_key(tmp_path: Path) -> None:
    message = file_refusal(tmp_path / "own.toml", SMALL + "\napi_key = sk-secret\n")
    assert "not valid TOML" in message and "sk-secret" not in message


def test_a_value_that_is_not_closed_is_told(tmp_path: Path) -> None:
    message = file_refusal(tmp_path / "own.toml", SMALL + "\nrounds = [1,\n")
    assert message.startswith(f"{tmp_path / 'own.toml'}: not valid TOML: ")
    assert "Close its quotes or brackets." in message and "end of document" not in message


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    message = file_refusal(tmp_path / "own.toml", SMALL.replace("fair", "fähr").encode("latin-1"))
    assert "it is not UTF-8 text" in message


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert load_config(path).tournament.name == "small"


@pytest.mark.parametrize(
    ("name", "reason"), [("no.toml", "No such file"), (".", "is a directory. Name a file in it.")]
)
def test_what_cannot_be_read_is_told_with_its_path(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as caught:
        load_config(tmp_path / name)
    assert str(tmp_path) in str(caught.value)


def test_an_unknown_example_lists_the_known_ones_and_how_to_start() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config("ofline")
    assert str(caught.value).startswith("ofline: no such file, and no such example.")
    assert f"Examples: {', '.join(sorted(shipped_configs()))}." in str(caught.value)
    assert "arena init" in str(caught.value)


@pytest.mark.parametrize("given", ["own_motions.toml", "sets/own.toml"])
def test_a_motion_file_is_named_relative_to_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "t.toml").write_text(SMALL.replace("arena66", given), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_config("here/t.toml").tournament.motions == str(tmp_path / "here" / given)


def test_a_shipped_set_and_an_absolute_path_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    for given in ("arena66", "/sets/own.toml"):
        path.write_text(SMALL.replace("arena66", given), encoding="utf-8")
        assert load_config(path).tournament.motions == given


@pytest.mark.parametrize("given", ["documents", "../documents", "sub/documents"])
def test_a_folder_to_search_is_named_relative_to_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "here").mkdir()
    section = f'\n[search]\nkind = "folder"\npath = "{given}"\n'
    (tmp_path / "here" / "t.toml").write_text(SMALL + section, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if given.startswith(".."):
        with pytest.raises(Untrusted) as asked:
            load_config("here/t.toml")
        asked.value.remember()
    assert load_config("here/t.toml").search.path == str((tmp_path / "here" / given).resolve())


def test_a_mark_names_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(SMALL.encode("utf-16"))
    assert load_config(tmp_path / "own.toml").tournament.name == "small"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"fair"', "\u201cfair\u201d", 'It has \u201c: write a plain " instead.'),
        ('"fair"', "\u2018fair\u2019", "It has \u2018: write a plain ' instead."),
        (" =", "\u00a0=", "an invisible sign, no-break space (U+00A0): write a blank"),
        (" =", "\u200b=", "an invisible sign, zero width space (U+200B)"),
    ],
)
def test_signs_of_word_processors_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in file_refusal(tmp_path / "own.toml", SMALL.replace(old, new, 1).encode())
