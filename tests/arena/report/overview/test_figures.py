"""Places on scales, and colours of cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.boards.board import Row
from arena.boards.matrix import Matrix
from arena.report.overview.figures import heat_rows, interval_chart, ticks_between

_ROW = Row(
    rank=1, participant="ann", rating=1100.0, median=1100.0, lower=1000.0, upper=1200.0,
    rank_low=1, rank_high=1, tie_group=1, debates=4, wins=4, ties=0, losses=0, win_rate=1.0,
    forfeits=0, usd_per_debate=0.0, usd_most=0.0, note="",
    comparison_lower=1040.0, comparison_upper=1160.0,
)  # fmt: skip


def test_a_chart_just_holds_all_intervals() -> None:
    low = replace(
        _ROW, participant="bob", rating=900.0, lower=800.0, upper=1000.0,
        comparison_lower=840.0, comparison_upper=960.0,
    )  # fmt: skip
    chart = interval_chart([_ROW, low])
    first, second = chart.bars
    assert (first.participant, second.participant) == ("ann", "bob")
    assert 0 < second.start < second.point < second.start + second.width <= first.start + 0.02
    assert first.start < first.point < first.start + first.width < 100
    assert chart.mean == pytest.approx(50, abs=0.01)
    assert first.start < first.thick_start < first.point
    assert first.thick_width == pytest.approx(0.6 * first.width, abs=0.02)
    assert first.words == "Elo 1100, 95 % interval 1000 to 1200"


def test_no_rows_are_an_empty_chart_and_no_width_is_a_point() -> None:
    assert interval_chart([]).bars == ()
    point = replace(
        _ROW, lower=1100.0, upper=1100.0, comparison_lower=1100.0, comparison_upper=1100.0
    )
    (bar,) = interval_chart([point]).bars
    assert (bar.point, bar.width) == (50.0, 0.0)


@pytest.mark.parametrize("span", [0.5, 3, 44, 100, 777, 2000, 12_345])
def test_ticks_are_few_and_round(span: float) -> None:
    ticks = ticks_between(1000 - span / 3, 1000 + span)
    assert 2 <= len(ticks) <= 8
    step = ticks[1] - ticks[0]
    assert f"{step:.0e}"[0] in "125"


def test_cells_are_blue_above_one_half_and_vermilion_below() -> None:
    value = np.array([[np.nan, 0.75], [0.25, np.nan]])
    count = np.array([[0, 4], [4, 0]])
    rows = heat_rows(Matrix(kind="observed", names=("ann", "bob"), value=value, count=count))
    ((_, (nobody, high)), (_, (low, _))) = rows
    assert (nobody.text, nobody.tone) == ("", "none")
    assert (high.text, high.tone, high.strength) == ("75", "high", 50.0)
    assert (low.text, low.tone, low.strength) == ("25", "low", 50.0)
    assert high.words == "ann against bob: 75.0 %, 4 debates"
