"""When two short answers are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.answers import accepted, normal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("96", "96.0"), ("96", "$96"), ("96", "96 euros."), ("1,200", "1200"), ("0.10", "0.1 "),
        ("-3", "−3"), ("９６", "96"), ("Third", "third."), ("第三名", "第三名。"), ("a  b", "A b"),
    ],
)  # fmt: skip
def test_the_same_answer_in_other_forms(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("given_answer", "right"),
    [("69", "96"), ("96 or 100", "96"), ("about 96", "96"), ("", "96"), ("-96", "96"), ("9", "96")],
)
def test_what_is_another_answer(given_answer: str, right: str) -> None:
    assert not accepted(given_answer, [right])


@given(st.floats(min_value=-1e6, max_value=1e6).map(lambda x: round(x, 3)))
def test_a_number_is_the_same_however_it_is_written(value: float) -> None:
    assert normal(f"{value:,.3f}") == normal(str(value)) == normal(f" {value:.3f} euros. ")


@given(st.text())
def test_a_normal_form_is_its_own(text: str) -> None:
    assert normal(normal(text)) == normal(text)
