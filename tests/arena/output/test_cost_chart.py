from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arena.output.cost_chart import cost_points, draw_costs


def board(size: int) -> pd.DataFrame:
    chance = np.random.default_rng(size)
    rating, cost = chance.normal(1000, 200, size), chance.uniform(1, 9, size)
    return pd.DataFrame(
        {
            "participant": [f"participant-<{number}>" for number in range(size)],
            "debates": 10,
            "rating": rating,
            "lower": rating - 50,
            "upper": rating + 60,
            "usd_per_debate": cost,
            "usd_error": 0.1,
            "input_tokens": 100.0,
            "output_tokens": 50.0,
            "tokens_error": 10.0,
        }
    )


@pytest.mark.parametrize("size", [2, 7, 20])
@pytest.mark.parametrize("width", [340, 680])
def test_everybody_is_named_and_no_names_overlap(size: int, width: int) -> None:
    points, unit = cost_points(board(size)) or pytest.fail("no chart")
    layout = draw_costs(points, unit=unit, width=width).layout
    assert len(layout.annotations) == size and "<" not in layout.annotations[0].text
    across = width - layout.margin.l - layout.margin.r
    down = layout.height - layout.margin.t - layout.margin.b
    (left, right), (low, high) = layout.xaxis.range, layout.yaxis.range
    centres = np.array(
        [
            (
                across * (name.x - left) / (right - left) + name.ax,
                down * (high - name.y) / (high - low) + name.ay,
            )
            for name in layout.annotations
        ]
    )
    apart = np.abs(centres[:, None] - centres[None])
    close = (apart[..., 0] < 20) & (apart[..., 1] < 17)
    assert close.sum() == size  # each with itself alone


def test_both_axes_have_intervals() -> None:
    points, unit = cost_points(board(5)) or pytest.fail("no chart")
    assert unit == "USD per debate, without judging"
    np.testing.assert_allclose(points["cost_upper"] - points["cost"], 0.196)
    bars = [trace for trace in draw_costs(points, unit=unit).data if len(trace.x)]
    for trace in bars:
        np.testing.assert_allclose(trace.error_x.array, 0.196)
        np.testing.assert_allclose(trace.error_y.array, 60)
        np.testing.assert_allclose(trace.error_y.arrayminus, 50)


def test_points_of_the_front_have_another_shape() -> None:
    points, unit = cost_points(board(7)) or pytest.fail("no chart")
    others, front = draw_costs(points, unit=unit).data
    assert len(front.x) == points["front"].sum() and others.marker.symbol != front.marker.symbol


def test_without_a_bill_cost_is_in_tokens() -> None:
    points, unit = cost_points(board(3).assign(usd_per_debate=0.0)) or pytest.fail("no chart")
    assert unit == "tokens per debate, without judging" and set(points["cost"]) == {150.0}


def test_a_cost_that_is_unknown_is_no_point_at_zero() -> None:
    whole = board(3)
    known = whole["participant"].iloc[1:].tolist()
    unknown = whole.assign(usd_per_debate=[float("nan"), *whole["usd_per_debate"].iloc[1:]])
    points, _ = cost_points(unknown) or pytest.fail("no chart")
    assert points["participant"].tolist() == known and points["front"].any()


def test_without_costs_or_with_one_participant_there_is_no_chart() -> None:
    free = board(3).assign(usd_per_debate=0.0, input_tokens=0.0, output_tokens=0.0)
    assert cost_points(free) is None
    assert cost_points(board(1)) is None
