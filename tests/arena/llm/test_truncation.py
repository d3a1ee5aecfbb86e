"""Texts that repeat themselves, at any length of what is repeated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.llm.truncation import without_loop
from tests.support.case_lists import for_every

#: One sentence of 480 characters that does not end.
ROUND = "".join(f"reason number {n} is that work in place {n * 7} pays, " for n in range(11))


@for_every((0, 7, 130, 401))
def test_a_long_run_that_comes_three_times_is_a_loop(cut: int) -> None:
    result = without_loop("First we define the terms: " + ROUND * 3 + ROUND[:cut])
    assert result is not None
    assert result.startswith("First we define the terms: reason number 0")
    assert result.count("reason number 3 ") <= 2  # a part of the second round may stand


def test_a_long_run_that_comes_twice_is_no_loop() -> None:
    assert without_loop("First we define the terms: " + ROUND * 2) is None


@given(st.text("abc. ", min_size=1, max_size=240).filter(str.strip), st.integers(0, 240), st.data())
def test_wherever_a_loop_is_cut_off_it_is_seen(run: str, cut: int, data: st.DataObject) -> None:
    # Without the first round, and parts of the first and the last, repeats still fill a stretch.
    repeats = data.draw(st.integers(1, 3)) + max(4, 60 // len(run) + 3)
    assert without_loop(run * repeats + run[: cut % len(run)]) is not None
