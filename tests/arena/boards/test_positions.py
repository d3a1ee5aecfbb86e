"""A note where verdicts follow who is named first."""

from __future__ import annotations

import numpy as np
import pytest

from arena.boards.positions import position_notes
from ratings import Comparisons


def notes(pairs: str, outcomes: list[float], times: int = 1) -> str:
    first, second = zip(*pairs.split(), strict=True)
    compared = Comparisons.of(first, second, outcomes).counted(np.full(len(first), times))
    return " ".join(position_notes(compared))


def test_a_log_in_which_the_first_named_always_wins_is_told() -> None:
    told = notes("ab ba ac ca", [1.0] * 4, times=45)
    assert told.startswith("the first named won 180 of 180 decided battles between pairs that met")
    assert told.endswith("--side rates with a term for it")
    assert notes("ab ba", [0.0, 0.0], 9).startswith("the second named won 18 of 18 decided battles")


@pytest.mark.parametrize(
    ("pairs", "outcomes", "times"),
    [
        ("ab ba", [1.0, 0.0], 500),  # a is better
        ("ab ba", [0.5, 0.5], 500),
        ("ab ba", [1.0, 1.0], 2),  # too few
        ("ab ba cd", [1.0, 0.0, 1.0], 500),  # c and d met in one order only
    ],
)
def test_what_strengths_or_chance_explain_is_not_told(
    pairs: str, outcomes: list[float], times: int
) -> None:
    assert not notes(pairs, outcomes, times)


def test_pairs_that_met_in_one_order_are_told_apart() -> None:
    assert notes("ab ac", [1.0, 1.0], 20).endswith(
        "whether order or strength decided cannot be told"
    )
