"""The chart of how well schedules recover a true order."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.report.recovery_charts import draw_recovery


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
