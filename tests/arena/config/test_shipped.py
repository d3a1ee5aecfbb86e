"""A name on the command line: a file, else an example, and never a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.shipped import find_example
from arena.errors import ConfigError


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
