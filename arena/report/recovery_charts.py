"""Chart of how well schedules recover the true order of simulated fields, by dollars."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from arena.report.charts import (
    BLUE,
    GREY,
    GRID,
    LIGHT,
    Theme,
    check_columns,
    layout,
    lettering,
    short_labels,
)
from arena.scheduling.simulation.course import Course

#: Colours of the palette, for lines.
_LINES = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_ROWS = 14
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Simulated schedules</title>
<body style="font-family: sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem">
<h1>Simulated schedules</h1>
<p>{caption}</p>
{chart}
</body></html>
"""


def draw_recovery(frame: pd.DataFrame, *, target: float, theme: Theme = LIGHT) -> go.Figure:
    """Draw how well schedules recover the true order of simulated fields, by dollars.

    Args:
        frame: a row for each schedule and step: `schedule`, `usd` (spent), `tau` (mean Kendall's
            τ), `error` (half of its 95 % interval); steps in order.
        target: of τ, drawn as a dotted line.
        theme: of the page.

    Raises:
        ValueError: a column is missing.
    """
    check_columns(frame, "schedule", "usd", "tau", "error")
    figure = go.Figure(layout=layout(rows=_ROWS))
    labels = short_labels(map(str, frame["schedule"].unique()))
    for label, (_, rows), colour in zip(
        labels, frame.groupby("schedule", sort=False), cycle(_LINES), strict=False
    ):
        figure.add_scatter(
            x=rows["usd"].to_numpy(),
            y=rows["tau"].to_numpy(),
            error_y={"array": rows["error"].to_numpy(), "thickness": 1, "width": 0},
            mode="lines",
            name=label,
            line={"color": colour, "width": 2},
            hovertemplate=f"<b>{label}</b><br>%{{x:.2f}} USD: τ %{{y:.2f}}<extra></extra>",
        )
    font = lettering(theme)
    axis = {"tickfont": font, "gridcolor": GRID, "zeroline": False, "automargin": True}
    figure.update_xaxes(title={"text": "USD", "font": font}, rangemode="tozero", **axis)
    figure.update_yaxes(title={"text": "Kendall's τ to the truth", "font": font}, **axis)
    figure.update_layout(legend={"font": font, "orientation": "h", "y": 1.08}, showlegend=True)
    figure.add_hline(y=target, line={"color": GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def write_recovery_page(
    path: Path, courses: Mapping[str, Course], caption: str, target: float
) -> None:
    """Write a page with the chart of some courses; it loads nothing.

    Args:
        path: where to.
        courses: by schedule.
        caption: describes the fields.
        target: of τ.
    """
    frames = [
        pd.DataFrame(
            {
                "schedule": name,
                "usd": course.usd,
                "tau": course.tau.mean(axis=0),
                "error": 1.96 * course.tau.std(axis=0, ddof=1) / np.sqrt(len(course.tau)),
            }
        )
        for name, course in courses.items()
    ]
    figure = draw_recovery(pd.concat(frames), target=target)
    chart = figure.to_html(full_html=False, include_plotlyjs=True)
    path.write_text(
        _PAGE.format(caption=f"Simulated: {html.escape(caption)}.", chart=chart), "utf-8"
    )
