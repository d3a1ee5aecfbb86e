"""Forecasts beside what came, and tournaments of models whose order is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arena.scheduling.simulation import FieldPlan, draw_field
from benchmarks.forecasts import half_width, plan_of, play_to, settle_rows, width_rows
from benchmarks.known_models import MODELS, Played, describe, join, play_known
from ratings import Comparisons, confidence

#: The strong model beats the others, and all others are equal.
_ROWS = Comparisons.of(
    [*("strong" for _ in range(12)), "good", "weak", "fair", "good"],
    [*("good", "fair", "weak") * 4, "fair", "good", "weak", "weak"],
    [1.0] * 12 + [0.5] * 4,
)


def test_a_tournament_is_described_by_its_order_and_what_it_covers() -> None:
    played = Played(foreseen=(50.0, 90.0), comparisons=_ROWS, board=confidence(_ROWS))
    board = played.board
    row = describe(played, np.where(np.arange(4) == 0, 5000.0, board.ratings.rating))
    assert (row["close"], row["wide"], row["covered"], row["false"]) == (50.0, 90.0, 0.75, 0.0)
    assert 0 < row["tau"] < 1
    assert row["came"] == pytest.approx(float((board.upper - board.lower).mean() / 2))


def test_tournaments_are_joined_without_mixing_their_matchups() -> None:
    both = join([_ROWS, _ROWS])
    assert len(both) == 2 * len(_ROWS)
    assert len(np.unique(both.cluster)) == 2 * len(np.unique(_ROWS.cluster))


def test_looks_are_at_the_matchups_that_were_asked_for() -> None:
    field = draw_field(FieldPlan(participants=3), np.random.default_rng(1))
    few, many = play_to(field, [6, 40], seed=1)
    assert (len(few), len(many)) == (12, 80)
    assert half_width(many) < half_width(few)
    assert len(plan_of(3, 2).debates) == 12


@pytest.mark.slow
def test_rows_set_forecasts_beside_what_came() -> None:
    for row in (*width_rows(2), *settle_rows(2)):
        assert all(value is not None for key, value in row.items() if key != "came"), row


def _play_equals(size: int, matchups: int, seed: int) -> Comparisons:
    """Play a round robin of equals on a simulated field, and return its comparisons."""
    field = draw_field(FieldPlan(participants=size, spread=0), np.random.default_rng(seed))
    return play_to(field, [matchups * size * (size - 1) // 2], seed)[0]


@pytest.mark.slow
def test_the_board_recovers_the_order_of_models_of_known_skill(tmp_path: Path) -> None:
    """From the file to the board: 24 debates of the offline models, each judged once."""
    played = play_known(tmp_path, 2, matchups=2, runs=1)
    assert len(played.comparisons) == 24
    row = describe(played, played.board.ratings.rating)
    assert row["tau"] > 0 and row["false"] == 0
    assert set(played.board.ratings.names) == set(MODELS)
    # From so few debates the forecast is rough: simulated fields of equals fall below it, too.
    narrow = np.quantile(
        [half_width(_play_equals(len(MODELS), 2, seed)) for seed in range(40)], 0.05
    )
    assert narrow < row["came"] < played.foreseen[1]
