"""Names that are too long: shortened in their middle, and told apart."""

from __future__ import annotations

import pytest

from arena.output.short_names import shorten_name, shorten_names

_END = "gpt-4o-2024-08-06"
ALIKE = [
    f"agent4debate-with-searcher-{part}-{_END}"
    for part in ("a4d-good", "a4d-good-no-searcher", "direct-strong", "direct-fair")
]


@pytest.mark.parametrize("longest", [12, 18, 24, 40, 200])
def test_names_that_differ_anywhere_stay_different(longest: int) -> None:
    short = shorten_names(ALIKE, longest)
    assert list(short) == ALIKE
    assert len(set(short.values())) == len(ALIKE)
    assert all(len(name) <= longest for name in short.values())


def test_a_name_that_begins_another_one_stays_different() -> None:
    short = shorten_names(["a" * 40, "a" * 50], 10)
    assert len(set(short.values())) == 2


def test_names_that_fit_are_as_they_were_and_others_keep_their_ends() -> None:
    assert shorten_names(["short", f"direct-{_END}"], 14) == {
        "short": "short",
        f"direct-{_END}": "direct-…-08-06",
    }


def test_a_name_is_measured_by_the_width_of_its_letters() -> None:
    def width(text: str) -> float:
        return sum(3 if letter == "m" else 1 for letter in text)

    assert shorten_name("m" * 10, 12, width=width) == "mm…m"
    assert shorten_name("i" * 10, 12, width=width) == "i" * 10
