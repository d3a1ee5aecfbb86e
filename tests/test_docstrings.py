"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.support.case_lists import for_every

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "benchmarks", "dashboard", "judges", "motions", "ratings")


def _with_examples() -> Iterator[str]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if ">>> " in file.read_text("utf-8"):
                place = file.relative_to(ROOT).with_suffix("")
                yield ".".join(place.parts).removesuffix(".__init__")


@for_every(_with_examples())
def test_the_examples_of_a_module_are_true(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
