"""Charts: pure functions from a frame to a figure, which pages and reports lay out.

Backgrounds are transparent, so that a figure suits light and dark pages. Names are escaped, so that
nothing in them is read as markup.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import cycle, product
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

#: From a palette that colour-blind readers can distinguish (Wong 2011, Nat Methods 8, 441).
BLUE = "#0072B2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours that depend on the page.

    Attributes:
        ink: colour of the text; readable on the page and on the three colours of the scale.
        low, middle, high: a scale from vermilion to blue that diverges from its middle.
    """

    ink: str
    low: str
    middle: str
    high: str


LIGHT = Theme(ink="#2f2d2b", low="#ea9a62", middle="#f3f1ee", high="#66b1db")
DARK = Theme(ink="#edebe8", low="#a84900", middle="#2b2f36", high="#005f96")

_PALE_BLUE = "rgba(0, 114, 178, 0.40)"
_GREY = "rgba(128, 128, 128, 0.55)"
_GRID = "rgba(128, 128, 128, 0.20)"
#: Further colours of the same palette, for lines.
_LINES = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_ROW_PIXELS, _CELL_PIXELS = 28, 40
_RECOVERY_ROWS = 14
_FRAME_PIXELS = 72
_LONGEST_NAME = 40
#: A larger grid has no room for figures in its cells.
_MOST_LETTERED = 20
_PAIR = "<b>%{customdata[0]}</b> against <b>%{customdata[1]}</b><br>"
_HOVER = (
    "<b>%{customdata[0]}</b><br>Elo %{x:.0f}"
    "<br>95 % interval %{customdata[1]:.0f} to %{customdata[2]:.0f}<extra></extra>"
)


def draw_intervals(frame: pd.DataFrame, *, mean: float = 1000.0, theme: Theme = LIGHT) -> go.Figure:
    """Draw ratings as points and their 95 % intervals as bars, the best on top.

    Args:
        frame: a row per participant, the best first: `participant` (its name), `rating`,
            `lower` and `upper` (Elo points).
        mean: where the dotted line stands (Elo points).
        theme: of the page.

    Raises:
        ValueError: a column is missing, or two rows have one name.

    Example:
        >>> import pandas as pd
        >>> board = {"participant": ["a"], "rating": [1010.0], "lower": [990.0], "upper": [1040.0]}
        >>> draw_intervals(pd.DataFrame(board)).data[1].x
        array([1010.])
    """
    _check_columns(frame, "participant", "rating", "lower", "upper")
    _check_once(frame["participant"])
    figure = go.Figure([_bars(frame), _points(frame)], _layout(rows=len(frame)))
    lettering = _lettering(theme)
    figure.update_xaxes(
        title={"text": "Elo", "font": lettering},
        tickfont=lettering,
        range=_span(frame),
        showgrid=True,
        gridcolor=_GRID,
        zeroline=False,
        automargin=True,
    )
    figure.update_yaxes(_names(frame["participant"], theme))
    figure.add_vline(x=mean, line={"color": _GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def draw_win_rates(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw who wins against whom as a heat map: blue above one half, vermilion below.

    Args:
        frame: a row per cell, line by line and in each line in the same order, the best first:
            `participant`, `opponent` (names), `value` (0 to 1; NaN leaves a gap), `debates`.
        theme: of the page.

    Raises:
        ValueError: a column is missing, or the cells do not make a square.

    Example:
        >>> import pandas as pd
        >>> cells = {"participant": ["a", "a", "b", "b"], "opponent": ["a", "b", "a", "b"]}
        >>> cells |= {"value": [None, 0.75, 0.25, None], "debates": [0, 4, 4, 0]}
        >>> draw_win_rates(pd.DataFrame(cells)).data[0].text.tolist()
        [['', '75'], ['25', '']]
    """
    scale = ((0.0, theme.low), (0.5, theme.middle), (1.0, theme.high))
    look = {
        "colorscale": scale,
        "zmin": 0,
        "zmax": 100,
        "hovertemplate": f"{_PAIR}%{{z:.1f}} %<br>%{{customdata[2]}} debates<extra></extra>",
        "colorbar": {"tickvals": [0, 50, 100], "ticktext": ["0 %", "50 %", "100 %"]},
    }
    return _grid(frame.assign(value=100 * frame["value"].astype(float)), look, theme)


def draw_counts(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw how many debates each pair has played as a heat map.

    Args:
        frame: as for `draw_win_rates`; `value` is a number of debates.
        theme: of the page.

    Raises:
        ValueError: a column is missing, or the cells do not make a square.
    """
    look = {
        "colorscale": ((0.0, theme.middle), (1.0, theme.high)),
        "zmin": 0,
        "hovertemplate": f"{_PAIR}%{{customdata[2]}} debates<extra></extra>",
        "colorbar": {"tickformat": "d", "nticks": 6},
    }
    return _grid(frame, look, theme)


def draw_residuals(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw how much more often the row won than predicted; `value` is a share, −1 to 1."""
    percent = frame.assign(value=100 * frame["value"].astype(float))
    return _grid(percent, _around_zero(percent, theme, "%{z:+.1f} %"), theme)


def draw_differences(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw differences of mean scores as a heat map around zero; `value` is in points."""
    return _grid(frame, _around_zero(frame, theme, "%{z:+.2f} points"), theme, figures="z.1f")


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
    _check_columns(frame, "schedule", "usd", "tau", "error")
    figure = go.Figure(layout=_layout(rows=_RECOVERY_ROWS))
    for (name, rows), colour in zip(
        frame.groupby("schedule", sort=False), cycle(_LINES), strict=False
    ):
        label = _shorten(str(name))
        figure.add_scatter(
            x=rows["usd"].to_numpy(),
            y=rows["tau"].to_numpy(),
            error_y={"array": rows["error"].to_numpy(), "thickness": 1, "width": 0},
            mode="lines",
            name=label,
            line={"color": colour, "width": 2},
            hovertemplate=f"<b>{label}</b><br>%{{x:.2f}} USD: τ %{{y:.2f}}<extra></extra>",
        )
    lettering = _lettering(theme)
    axis = {"tickfont": lettering, "gridcolor": _GRID, "zeroline": False, "automargin": True}
    figure.update_xaxes(title={"text": "USD", "font": lettering}, rangemode="tozero", **axis)
    figure.update_yaxes(title={"text": "Kendall's τ to the truth", "font": lettering}, **axis)
    figure.update_layout(legend={"font": lettering, "orientation": "h", "y": 1.08}, showlegend=True)
    figure.add_hline(y=target, line={"color": _GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def _around_zero(frame: pd.DataFrame, theme: Theme, hover: str) -> dict[str, Any]:
    """Return the style of a scale that is symmetric about zero and reaches the largest value."""
    largest = np.nanmax(np.abs(frame["value"].to_numpy(dtype=float)), initial=0.0)
    end = float(largest) or 1.0
    return {
        "colorscale": ((0.0, theme.low), (0.5, theme.middle), (1.0, theme.high)),
        "zmin": -end,
        "zmax": end,
        "hovertemplate": f"{_PAIR}{hover}<br>%{{customdata[2]}} debates<extra></extra>",
        "colorbar": {"nticks": 5},
    }


def _grid(
    frame: pd.DataFrame, look: Mapping[str, Any], theme: Theme, *, figures: str = "z.0f"
) -> go.Figure:
    """Draw a square of cells; columns have the numbers of the rows, so names cannot overlap."""
    _check_columns(frame, "participant", "opponent", "value", "debates")
    names = list(dict.fromkeys(frame["participant"]))
    size, lettering = len(names), _lettering(theme)
    if list(zip(frame["participant"], frame["opponent"], strict=True)) != [*product(names, names)]:
        raise ValueError("the cells do not form a square: give every pair, row by row.")
    figure = go.Figure(
        _cells(frame, size, figures).update(textfont=lettering, **look),
        _layout(rows=size, pixels=_CELL_PIXELS),
    )
    figure.update_traces(colorbar={"tickfont": lettering, "thickness": 12, "outlinewidth": 0})
    figure.update_yaxes(
        _names((f"{name}  {number}" for number, name in enumerate(names, start=1)), theme)
    )
    figure.update_xaxes(
        side="top",
        tickvals=list(range(size)),
        ticktext=[str(number) for number in range(1, size + 1)],
        tickfont=lettering,
        ticks="",
        showgrid=False,
        zeroline=False,
    )
    return figure


def _cells(frame: pd.DataFrame, size: int, figures: str) -> go.Heatmap:
    """Return the cells with their numbers, if these fit, and with text for hovering."""
    hover = zip(
        frame["participant"].map(html.escape),
        frame["opponent"].map(html.escape),
        frame["debates"],
        strict=True,
    )
    text = frame["value"].map(f"{{:{figures}}}".format).where(frame["value"].notna(), "")
    return go.Heatmap(
        z=frame["value"].to_numpy(dtype=float).reshape(size, size),
        customdata=np.array(list(hover), dtype=object).reshape(size, size, 3),
        text=text.to_numpy(dtype=object).reshape(size, size),
        texttemplate="%{text}" if size <= _MOST_LETTERED else "",
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )


def _names(names: Iterable[str], theme: Theme) -> dict[str, Any]:
    """Return an axis of names, the first on top."""
    labels = [_shorten(name) for name in names]
    return {
        "type": "linear",
        "range": (len(labels) - 0.5, -0.5),
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "tickfont": _lettering(theme),
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }


def _lettering(theme: Theme) -> dict[str, Any]:
    return {"color": theme.ink, "size": 14}


def _bars(frame: pd.DataFrame) -> go.Scatter:
    """Return all intervals as one trace: lines with a gap after each."""
    ends = zip(frame["lower"], frame["upper"], strict=True)
    return go.Scatter(
        x=[x for low, high in ends for x in (low, high, None)],
        y=[y for row in range(len(frame)) for y in (row, row, None)],
        mode="lines",
        line={"color": _PALE_BLUE, "width": 8},
        hoverinfo="skip",
        showlegend=False,
    )


def _points(frame: pd.DataFrame) -> go.Scatter:
    names = [html.escape(name) for name in frame["participant"]]
    return go.Scatter(
        x=frame["rating"].to_numpy(),
        y=list(range(len(frame))),
        mode="markers",
        marker={"color": BLUE, "size": 10},
        customdata=list(zip(names, frame["lower"], frame["upper"], strict=True)),
        hovertemplate=_HOVER,
        showlegend=False,
    )


def _layout(*, rows: int, pixels: int = _ROW_PIXELS) -> go.Layout:
    return go.Layout(
        height=_FRAME_PIXELS + pixels * max(1, rows),
        margin={"l": 8, "r": 16, "t": 12, "b": 8},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        dragmode=False,
        hovermode="closest",
    )


def _span(frame: pd.DataFrame) -> tuple[float, float] | None:
    """Return the range from the lowest end to the highest with a margin; None without rows."""
    if frame.empty:
        return None
    low, high = float(frame["lower"].min()), float(frame["upper"].max())
    room = 0.03 * max(high - low, 1.0)
    return low - room, high + room


def _shorten(name: str) -> str:
    short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return html.escape(short)


def _check_columns(frame: pd.DataFrame, *columns: str) -> None:
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        present = ", ".join(str(name) for name in frame.columns) or "none"
        raise ValueError(f"the frame lacks {', '.join(missing)}. Its columns: {present}.")


def _check_once(names: pd.Series) -> None:
    repeated = names[names.duplicated()]
    if len(repeated):
        raise ValueError(f"two rows are called {repeated.iloc[0]!r}: give one row per participant.")
