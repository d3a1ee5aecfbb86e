"""Votes counted: scores from 0 to 3, and what more than half have chosen."""

from __future__ import annotations

import pytest

from arena.people.vote_counts import majority, scores


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([1.0], (1.0, 0.0)),
        ([1.0, 0.5, 0.0], (1.5, 1.5)),
        ([1.0, 1.0, 1.0], (3.0, 0.0)),
        ([1.0, 1.0, 1.0, 0.0], (2.25, 0.75)),
        ([0.5] * 7, (1.5, 1.5)),
    ],
)
def test_scores_are_sums_of_up_to_three_and_three_means_of_more(
    outcomes: list[float], expected: tuple[float, float]
) -> None:
    assert scores(outcomes) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([1.0], 1.0),
        ([1.0, 0.0], None),
        ([1.0, 0.5, 0.5], 0.5),
        ([0.0, 0.0, 1.0], 0.0),
        ([1.0, 1.0, 0.5, 0.0], None),
    ],
)
def test_a_majority_is_more_than_half(outcomes: list[float], expected: float | None) -> None:
    assert majority(outcomes) == expected
