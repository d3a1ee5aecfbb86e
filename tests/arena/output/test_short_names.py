"""Names that are too long: shortened as a set, and told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.output.short_names import shorten_names

_END = "gpt-4o-2024-08-06"
ALIKE = [
    f"agent4debate-with-searcher-{part}-{_END}"
    for part in ("a4d-good", "a4d-good-no-searcher", "direct-strong", "direct-fair")
]
#: Names of 80 characters that differ in one, at any place.
ONE_APART = ["x" * place + "y" + "x" * (79 - place) for place in range(0, 80, 7)]
_WORDS = st.sampled_from(
    ["agent4debate", "direct", "no", "searcher", "good", "temperature", "0.2", "0.7", "m" * 30]
)
_NAMES = st.one_of(
    st.lists(_WORDS, min_size=1, max_size=8).map("-".join),
    st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="…"), min_size=1),
)


@pytest.mark.parametrize("longest", [12, 18, 24, 40, 200])
def test_names_that_differ_anywhere_stay_different(longest: int) -> None:
    for names in (ALIKE, ONE_APART, ["a" * 40, "a" * 50]):
        short = shorten_names(names, longest)
        assert list(short) == names
        assert len(set(short.values())) == len(names)
        assert all(len(name) <= longest for name in short.values())


@given(st.lists(_NAMES, unique=True, max_size=30), st.integers(6, 40), st.integers(1, 2))
def test_labels_are_distinct_fit_and_stay_as_they_are(
    names: list[str], longest: int, lines: int
) -> None:
    short = shorten_names(names, longest, lines=lines)
    assert len(set(short.values())) == len(names)
    assert (
        max((len(line) for label in short.values() for line in label.split("\n")), default=0)
        <= longest
    )
    assert all(label.count("\n") < lines for label in short.values())
    assert short == shorten_names(names, longest, lines=lines)
    labels = list(shorten_names(names, longest).values())
    assert list(shorten_names(labels, longest).values()) == labels


@given(st.lists(_NAMES, unique=True, max_size=30), st.integers(6, 40))
def test_a_label_without_an_ellipsis_is_the_name(names: list[str], longest: int) -> None:
    for name, label in shorten_names(names, longest).items():
        assert (label == name) == ("…" not in label) == (len(name) <= longest)


@given(st.lists(_NAMES, unique=True, max_size=30), st.integers(6, 40), st.integers(1, 2))
def test_no_label_shows_a_word_without_what_negates_it(
    names: list[str], longest: int, lines: int
) -> None:
    negated = [f"{name}-no-searcher" for name in names]
    for name, label in shorten_names(dict.fromkeys(names + negated), longest, lines=lines).items():
        shown = label.replace("\n", "")
        if "searcher" in shown.replace("no-searcher", "") and name in negated:
            assert "searcher" in name.replace("no-searcher", "")


@pytest.mark.parametrize(
    ("names", "longest", "expected"),
    [
        (["a4d-good", "a4d-good-no-searcher"], 17, ["a4d-good", "…good-no-searcher"]),
        (["a4d", "a4d-search-off"], 12, ["a4d", "…search-off"]),
        (
            [
                "together_ai/meta-llama/Llama-3.3-70B-Turbo",
                "together_ai/meta-llama/Llama-3.1-8B-Turbo",
            ],
            18,
            ["…Llama-3.3-70B…", "…Llama-3.1-8B…"],
        ),
        (["short", f"direct-{_END}"], 14, ["short", "direct-gpt-4o…"]),
    ],
)
def test_what_is_common_is_left_out_first(
    names: list[str], longest: int, expected: list[str]
) -> None:
    assert list(shorten_names(names, longest).values()) == expected


def test_a_second_line_is_used_before_anything_is_left_out() -> None:
    assert shorten_names(["a4d-good-no-searcher", "a4d"], 12, lines=2) == {
        "a4d-good-no-searcher": "a4d-good-\nno-searcher",
        "a4d": "a4d",
    }


def test_a_name_is_measured_by_the_width_of_its_letters() -> None:
    def width(text: str) -> float:
        return sum(3 if letter == "m" else 1 for letter in text)

    names = ["m" * 10, "i" * 10]
    assert shorten_names(names, 12, width=width) == {"m" * 10: "mmm…", "i" * 10: "i" * 10}


def test_more_names_than_short_labels_are_still_told_apart() -> None:
    names = [f"participant-{number}" for number in range(40)]
    assert len(set(shorten_names(names, 2).values())) == len(names)
