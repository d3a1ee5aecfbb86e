"""docs/motions.md: its examples are files that load."""

import re
from pathlib import Path

import pytest

from motions import Motion, load

_PAGE = (Path(__file__).parents[2] / "docs" / "motions.md").read_text("utf-8")
_EXAMPLES = re.findall(r"```(csv|jsonl|toml)\n(.*?)```", _PAGE, re.DOTALL)


def example(folder: Path, number: int) -> tuple[Motion, ...]:
    suffix, content = _EXAMPLES[number]
    path = folder / f"mine.{suffix}"
    path.write_text(content, encoding="utf-8")
    return load(path).motions


def test_there_is_an_example_of_each_format() -> None:
    assert [suffix for suffix, _ in _EXAMPLES] == ["csv", "csv", "jsonl", "toml"]


@pytest.mark.parametrize(
    ("number", "languages"),
    [
        (0, [["en"], ["en"], ["zh"]]),
        (1, [["en", "zh"]]),
        (2, [["en"], ["zh"], ["en"]]),
        (3, [["en", "zh"]]),
    ],
)
def test_an_example_loads(tmp_path: Path, number: int, languages: list[list[str]]) -> None:
    assert [list(one.wordings) for one in example(tmp_path, number)] == languages


def test_the_formats_say_the_same(tmp_path: Path) -> None:
    (row,), (table,) = example(tmp_path, 1), example(tmp_path, 3)
    assert row == table
    assert row.wording("en").brief.con[0].claim == "Coffee wakes."
