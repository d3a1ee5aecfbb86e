"""Charts of what happens in a tournament over its debates, what it costs, and what it recovers."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from arena.output.charts import (
    BLUE,
    GREY,
    GRID,
    LIGHT,
    MODEBAR_PIXELS,
    SAVE_LOOK,
    Theme,
    axis,
    check_columns,
    layout,
    lettering,
    short_labels,
)
from arena.scheduling.recovery import RecoveryCurve

#: A palette that colour-blind readers can distinguish (Wong 2011, Nat Methods 8, 441), without its
#: black and yellow, which one of the two themes hides.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
#: Shapes of points, which tell lines apart in print without colours.
_SHAPES: Final = (
    *("circle", "square", "diamond", "triangle-up", "x", "cross"),
    *("circle-open", "square-open", "diamond-open", "triangle-up-open", "star", "hexagon"),
)
_LONGEST_NAME: Final = 28
#: Height of a chart of lines without its legend, and of a name in that, one in a line on a phone.
_PLOT_PIXELS: Final = 340
_ENTRY_PIXELS: Final = 20
#: With more lines than this, only their ends have bars for their intervals.
_MOST_BARRED: Final = 6
#: Room between these bars, as a share of the width of the lines.
_BAR_GAP: Final = 0.012
#: Participants with a line of their own; more cannot be told apart.
MOST_LINES: Final = 12


def draw_rating_history(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw ratings over the number of debates, a line each, for those who are ahead at the end.

    Bars are 95 % intervals; of more than six lines, only the last ratings have them, side by side
    at the right.

    Args:
        frame: as `arena.boards.rating_history.rating_history` returns it.

    Example:
        >>> import pandas as pd
        >>> rows = {"debates": [1, 2], "participant": ["a", "a"], "rating": [1000.0, 1010.0]}
        >>> rows |= {"lower": [900.0, 950.0], "upper": [1100.0, 1070.0]}
        >>> draw_rating_history(pd.DataFrame(rows)).data[0].y
        array([1000., 1010.])
    """
    last = frame[frame["debates"] == frame["debates"].max()]
    names = last.sort_values("rating", ascending=False)["participant"].head(MOST_LINES)
    figure = _figure(theme, _PLOT_PIXELS + _ENTRY_PIXELS * len(names))
    labels = short_labels(map(str, names), _LONGEST_NAME)
    dashes = (*_DASHES, *_DASHES[1:], _DASHES[0])  # two lines of one colour differ in them, too
    looks = zip(cycle(COLOURS), dashes, _SHAPES, strict=False)
    for name, label, (colour, dash, shape) in zip(names, labels, looks, strict=False):
        rows = frame[frame["participant"] == name]
        figure.add_scatter(
            x=rows["debates"].to_numpy(),
            y=rows["rating"].to_numpy(),
            error_y=_bars(rows) if len(names) <= _MOST_BARRED else None,
            customdata=rows[["lower", "upper"]].to_numpy(),
            name=label,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": shape, "size": 8},
            hovertemplate="%{x} debates: %{y:.0f} [%{customdata[0]:.0f} to %{customdata[1]:.0f}]"
            "<extra>%{fullData.name}</extra>",
        )
        if len(names) > _MOST_BARRED:
            _add_end_bar(figure, rows.tail(1), colour)
    step = 1 if len(frame) and frame["debates"].max() < 8 else None  # no half debates
    letters = lettering(theme)
    figure.update_xaxes(
        title={"text": "debates rated", "font": letters},
        tickfont=letters,
        showgrid=False,
        rangemode="tozero",
        dtick=step,
    )
    figure.update_yaxes(
        title={"text": "Elo", "font": letters},
        tickfont=letters,
        gridcolor=GRID,
        zeroline=False,
        tickformat=".0f",
        range=_course_span(frame[frame["participant"].isin(names)]),
    )
    return figure


def _bars(rows: pd.DataFrame) -> dict[str, Any]:
    """Return bars from the lower to the upper ends of intervals."""
    return {
        "type": "data",
        "symmetric": False,
        "array": (rows["upper"] - rows["rating"]).to_numpy(),
        "arrayminus": (rows["rating"] - rows["lower"]).to_numpy(),
        "thickness": 1,
        "width": 0,
    }


def _add_end_bar(figure: go.Figure, last: pd.DataFrame, colour: str) -> None:
    """Add the interval of a line's last rating to the right of the bars that are there."""
    place = 1 + sum(trace.showlegend is False for trace in figure.data)
    figure.add_scatter(
        x=(last["debates"] * (1 + _BAR_GAP * place)).to_numpy(),
        y=last["rating"].to_numpy(),
        error_y=_bars(last) | {"thickness": 2},
        mode="markers",
        marker={"color": colour, "size": 5},
        hoverinfo="skip",
        showlegend=False,
    )


def _course_span(frame: pd.DataFrame) -> tuple[float, float] | None:
    """Return the range that holds all ratings and the last intervals: the first ones are wide."""
    if frame.empty:
        return None
    last = frame[frame["debates"] == frame["debates"].max()]
    low = float(np.nanmin([frame["rating"].min(), last["lower"].min()]))
    high = float(np.nanmax([frame["rating"].max(), last["upper"].max()]))
    room = 0.04 * max(high - low, 1.0)
    return low - room, high + room


def draw_amounts(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw amounts of money as bars, the largest on top; what was reserved follows in a paler bar.

    Args:
        frame: a row each: `name`, `usd` and `reserved_usd`.

    Example:
        >>> import pandas as pd
        >>> rows = {"name": ["a"], "usd": [2.0], "reserved_usd": [0.5]}
        >>> [bar.x.tolist() for bar in draw_amounts(pd.DataFrame(rows)).data]
        [[2.0], [0.5]]
    """
    names = short_labels(map(str, frame["name"]), _LONGEST_NAME)
    bars = [("measured", "usd", COLOURS[0])]
    if (frame["reserved_usd"] > 0).any():
        bars.append(("reserved, bill not known", "reserved_usd", COLOURS[5]))
    legend = _ENTRY_PIXELS * len(bars) if len(bars) > 1 else 0
    figure = _figure(theme, 64 + 30 * len(frame) + legend)
    for label, column, colour in bars:
        figure.add_bar(
            x=frame[column].to_numpy(),
            y=list(range(len(frame))),
            name=label,
            orientation="h",
            marker={"color": colour},
            hovertemplate="%{x:.4f} USD<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="stack", showlegend=len(bars) > 1, hovermode="closest")
    letters = lettering(theme)
    figure.update_xaxes(
        title={"text": "USD", "font": letters},
        tickfont=letters,
        gridcolor=GRID,
        rangemode="tozero",
    )
    figure.update_yaxes(
        tickvals=list(range(len(frame))),
        ticktext=names,
        tickfont=letters,
        autorange="reversed",
        showgrid=False,
    )
    return figure


def _figure(theme: Theme, height: int) -> go.Figure:
    return go.Figure().update_layout(
        height=height,
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        margin={"l": 8, "r": 8, "t": MODEBAR_PIXELS, "b": 8},
        font=lettering(theme),
        # Below the chart, where names take nothing of its width.
        legend={
            "orientation": "h",
            "yref": "container",
            "yanchor": "bottom",
            "y": 0,
            "xanchor": "left",
            "x": 0,
            "traceorder": "normal",
            "font": {"color": theme.ink, "size": 12},
        },
        hovermode="x unified",
        modebar=SAVE_LOOK,
        hoverlabel={"namelength": -1},
    )


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
    figure.update_xaxes(axis("USD", theme), rangemode="tozero")
    figure.update_yaxes(axis("Kendall's τ to the truth", theme))
    legend = {"font": lettering(theme), "orientation": "h", "y": 1.08}
    figure.update_layout(legend=legend, showlegend=True)
    figure.add_hline(y=target, line={"color": GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def write_recovery_page(
    path: Path, courses: Mapping[str, RecoveryCurve], caption: str, target: float
) -> None:
    """Write a page with the chart of some courses; it loads nothing."""
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
