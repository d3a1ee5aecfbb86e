"""Charts of lines and bars: names below the chart, told apart, and letters that can be read."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.output.charts import DARK, LIGHT, Theme
from arena.output.line_charts import draw_amounts, draw_rating_history, draw_recovery

#: Names that differ in their middle alone.
ALIKE = tuple(f"agent4debate-with-{part}-on-gpt-4o-2024-08-06" for part in ("search", "reviews"))


def course(*names: str) -> pd.DataFrame:
    rows = [
        {"debates": number, "participant": name, "rating": 1000.0 + number}
        | {"lower": 900.0, "upper": 1100.0 + number}
        for number in (1, 2, 3)
        for name in names
    ]
    return pd.DataFrame(rows)


def test_names_stand_below_the_chart_and_take_nothing_of_its_size() -> None:
    few, many = (draw_rating_history(course(*map(str, range(size)))).layout for size in (2, 10))
    for layout in (few, many):
        assert (layout.legend.yref, layout.legend.y, layout.legend.yanchor) == (
            "container", 0, "bottom",
        )  # fmt: skip
        assert layout.legend.xref in (None, "paper"), "else it takes the chart's width"
    assert many.height - few.height >= 8 * 19, "a line for each name on a phone"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_axes_have_the_ink_of_the_page(theme: Theme) -> None:
    amounts = pd.DataFrame({"name": ["a"], "usd": [1.0], "reserved_usd": [0.5]})
    for figure in (
        draw_rating_history(course("a"), theme=theme),
        draw_amounts(amounts, theme=theme),
    ):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert axis.tickfont.color == theme.ink
            assert axis.title.text is None or axis.title.font.color == theme.ink
        assert figure.layout.legend.font.color == theme.ink


def test_the_last_intervals_of_many_lines_stand_side_by_side_behind_their_ends() -> None:
    few, many = (
        draw_rating_history(course("a", "b")),
        draw_rating_history(course(*map(str, range(10)))),
    )
    assert len(few.data) == 2 and len(few.data[0].error_y.array) == 3
    bars = [trace for trace in many.data if trace.showlegend is False]
    assert len(bars) == 10 and all(not line.error_y.array for line in many.data if line.name)
    places = [float(bar.x[0]) for bar in bars]
    assert min(places) > 3 and len(set(places)) == 10
    assert (bars[0].y[0], bars[0].error_y.array[0], bars[0].error_y.arrayminus[0]) == (
        1003.0, 100.0, 103.0,
    )  # fmt: skip


def test_recovery_is_a_line_for_each_schedule_and_the_target() -> None:
    frame = pd.DataFrame(
        {
            "schedule": ["a", "a", "<b>", "<b>"],
            "usd": [1.0, 2.0, 1.0, 2.0],
            "tau": [0.1, 0.5, 0.2, 0.7],
            "error": [0.1, 0.1, 0.1, 0.1],
        }
    )
    figure = draw_recovery(frame, target=0.8)
    assert [line.name for line in figure.data] == ["a", "&lt;b&gt;"]
    assert list(figure.data[1].y) == [0.2, 0.7]
    assert figure.data[0].line.color != figure.data[1].line.color
    assert figure.layout.shapes[0].y0 == 0.8
    with pytest.raises(ValueError, match="lacks error"):
        draw_recovery(frame.drop(columns="error"), target=0.8)
