"""A name on the command line: a file, else an example, and never a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.shipped import example_named
from arena.errors import ConfigError


def test_a_file_comes_before_an_example_and_an_example_before_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert example_named("one", ["one", "two"]) == "one"
    (tmp_path / "one").mkdir()
    assert example_named("one", ["one", "two"]) == "one"
    (tmp_path / "two").touch()
    assert example_named("two", ["one", "two"]) == ""
    assert example_named("no/such.toml", ["one"]) == "", "whoever reads it says what is wrong"


def test_what_is_neither_is_told_the_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match=r"^folder: is a directory; name a file in it\.$"):
        example_named("folder", ["one"])
    with pytest.raises(ConfigError) as caught:
        example_named("three", ["two", "one"], advice="Write one.")
    assert str(caught.value) == (
        "three: no such file, and no such example. Examples: one, two. Write one."
    )
