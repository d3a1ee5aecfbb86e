"""Charts of lines and bars: names below the chart, told apart, and letters that can be read."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.report.charts import DARK, LIGHT, Theme
from arena.report.line_charts import draw_amounts, draw_course

#: Names that differ in their middle alone.
ALIKE = tuple(f"agent4debate-with-{part}-on-gpt-4o-2024-08-06" for part in ("search", "reviews"))


def course(*names: str) -> pd.DataFrame:
    rows = [
        {"debates": number, "participant": name, "rating": 1000.0 + number}
        for number in (1, 2, 3)
        for name in names
    ]
    return pd.DataFrame(rows)


def test_names_stand_below_the_chart_and_take_nothing_of_its_size() -> None:
    few, many = (draw_course(course(*map(str, range(size)))).layout for size in (2, 10))
    for layout in (few, many):
        assert (layout.legend.yref, layout.legend.y, layout.legend.yanchor) == (
            "container", 0, "bottom",
        )  # fmt: skip
        assert layout.legend.xref in (None, "paper"), "else it takes the chart's width"
    assert many.height - few.height >= 8 * 19, "a line for each name on a phone"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_axes_have_the_ink_of_the_page(theme: Theme) -> None:
    amounts = pd.DataFrame({"name": ["a"], "usd": [1.0], "reserved_usd": [0.5]})
    for figure in (draw_course(course("a"), theme=theme), draw_amounts(amounts, theme=theme)):
        for axis in (figure.layout.xaxis, figure.layout.yaxis):
            assert axis.tickfont.color == theme.ink
            assert axis.title.text is None or axis.title.font.color == theme.ink
        assert figure.layout.legend.font.color == theme.ink
