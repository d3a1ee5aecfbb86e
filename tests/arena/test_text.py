"""Cells of CSV files that spreadsheets do not take for formulas."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from arena.text import NUMBER, guard_cell, unguard_cell

_CELLS = st.text(alphabet="'=+-@\t\r1.e a", max_size=6)


@given(_CELLS)
def test_no_cell_but_a_number_begins_like_a_formula(cell: str) -> None:
    guarded = guard_cell(cell)
    assert guarded[:1] not in tuple("=+-@\t\r") or re.fullmatch(NUMBER, guarded)


@given(_CELLS)
def test_reading_a_guarded_cell_gives_back_the_cell(cell: str) -> None:
    assert unguard_cell(guard_cell(cell)) == cell


def test_numbers_stay_numbers() -> None:
    for number in ("-3", "+1.5", "-2e-7", "-.5"):
        assert guard_cell(number) == number
