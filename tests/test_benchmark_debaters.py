"""The measurement of the debaters: what it counts, and that prompts share their beginnings."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.debaters import debaters, measure, play, shared_share, some_motions

ROOT = Path(__file__).parents[1]

prompts = st.lists(st.text(alphabet="ab", max_size=8), max_size=6)


def slow_share(listed: list[str]) -> float:
    """The obvious twin: character by character."""
    common = 0
    for n, prompt in enumerate(listed):
        best = 0
        for other in listed[:n]:
            length = 0
            while prompt[: length + 1] == other[: length + 1] and length < len(prompt):
                length += 1
            best = max(best, min(length, len(other)))
        common += best
    total = sum(map(len, listed))
    return common / total if total else 0.0


@given(prompts)
def test_the_shared_share_is_that_of_its_slow_twin(listed: list[str]) -> None:
    assert shared_share(listed) == pytest.approx(slow_share(listed))


def test_the_same_prompt_again_is_shared_in_full() -> None:
    assert shared_share(["abc", "abc"]) == 0.5
    assert shared_share([]) == 0.0


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_agent4debate_shares_at_least_three_fifths(code: str, tmp_path: Path) -> None:
    sides = [
        one
        for motion in some_motions(1)
        for one in await play("agent4debate", motion, code, tmp_path)
    ]
    assert len(sides) == 6
    assert fmean(one.shared for one in sides) >= 0.6


def test_a_row_tells_what_one_side_took() -> None:
    (row,) = measure(["direct"], some_motions(1)[:1])
    assert (row["case"], row["calls"], row["most calls"]) == ("direct", 3, 3)


def test_the_page_lists_every_debater() -> None:
    page = (ROOT / "docs" / "debaters.md").read_text("utf-8")
    for point in entry_points(group="arena.debaters"):
        if point.value.startswith("arena."):
            assert f"| `{point.name}` |" in page
    measured = (ROOT / "docs/measurements/debaters.md").read_text("utf-8")
    for name in debaters():
        if f"| `{name}` |" in page:
            assert f"\n{name} " in measured
