"""Names that differ only in spelling: found, shown and joined."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.battles.spellings import fold_name, show_name
from arena.errors import ConfigError
from tests.support.battle_logs import read_log

_LOG = "model_a,model_b,winner,category\n" + "".join(
    f"{name},ann,model_a,{category}\n"
    for name, category in (
        ("GPT\u20114", "Math"), ("gpt-4\u200b", "math"), ("Tu\u0308lu", "math"), ("T\u00fclu", ""),
        ("bob", ""),
    )
)  # fmt: skip


def test_spellings_of_a_name_are_found_and_joined(tmp_path: Path) -> None:
    staged, rows = read_log(tmp_path / "a.csv", _LOG)
    assert [(found.kind, found.names) for found in staged.spellings] == [
        ("participants", ("GPT\u20114", "gpt-4\u200b")),
        ("participants", ("Tu\u0308lu", "T\u00fclu")),
        ("categories", ("Math", "math")),
    ]
    assert len({first for first, *_ in rows}) == 5
    staged, rows = read_log(tmp_path / "a.csv", join_spellings=True)
    assert [first for first, *_ in rows] == [*["GPT\u20114"] * 2, *["T\u00fclu"] * 2, "bob"]
    assert staged.participants == ("GPT\u20114", "T\u00fclu", "ann", "bob")


def test_a_pair_that_joining_makes_one_is_refused(tmp_path: Path) -> None:
    text = "left,right,winner\nann,bob,left\nAnn,ann,Ann\n"
    assert read_log(tmp_path / "a.csv", text)[1][1] == ["Ann", "ann", 1.0]
    with pytest.raises(ConfigError, match="row 2, column right: 'ann' would be compared with its"):
        read_log(tmp_path / "a.csv", join_spellings=True)


@given(st.text(max_size=20))
def test_a_folded_name_is_stable_and_a_shown_one_visible(name: str) -> None:
    folded = fold_name(name)
    assert fold_name(unicodedata.normalize("NFD", name)) == folded
    assert fold_name(f" {name}\u200b") == folded
    assert show_name(name).isprintable()


@pytest.mark.parametrize(
    "other", ["gpt\uff0d4o", "gpt_4o", "GPT 4o", "gpt-4\u043e", "gpt-4\u03bf", "gpt-4o "]
)
def test_names_that_look_alike_are_spellings_of_one(other: str) -> None:
    assert fold_name(other) == fold_name("gpt-4o") != fold_name("gpt-4o-mini")
    assert show_name(other) != show_name("gpt-4o")


def test_names_in_other_letters_are_shown_as_they_are() -> None:
    assert show_name("Маша") == "'Маша'" and fold_name("Маша") != fold_name("Mawa")
