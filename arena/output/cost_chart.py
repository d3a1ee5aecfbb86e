"""The chart of strength against cost: every point named, with intervals of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from arena.output.charts import (
    GREY,
    LIGHT,
    SAVE_LOOK,
    Theme,
    axis,
    check_columns,
    escape_label,
    lettering,
)
from arena.output.point_labels import POINT_PIXELS, place_labels
from arena.output.short_names import shorten_names
from arena.output.text_width import text_pixels

#: Widths of the chart on wide pages and on phones, in pixels; the names' places depend on them.
WIDE_PIXELS: Final = 680
NARROW_PIXELS: Final = 340
_MARGINS: Final = {"l": 70, "r": 16, "t": 40, "b": 92}
_FONT_PIXELS, _LABEL_PIXELS = 12, 17
#: The width of a name at 12 pixels in the fonts of charts, against that of tables at 14.
_WIDTH_SHARE: Final = 0.95
_LEAST_PIXELS: Final = 300
#: The area of a plot against that of its names.
_ROOM: Final = 2.5
#: A name this far from its point is joined to it by a line (pixels).
_BESIDE_PIXELS: Final = POINT_PIXELS + 4
_HOVER: Final = (
    "<b>%{customdata[0]}</b><br>Elo %{y:.0f} [%{customdata[1]:.0f} to %{customdata[2]:.0f}]"
    "<br>%{x:,.4~g} [%{customdata[3]:,.4~g} to %{customdata[4]:,.4~g}]<extra></extra>"
)
_Pixels: TypeAlias = NDArray[np.float64]
#: The ranges of cost and of rating.
_Spans: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


def pareto_front(cost: Sequence[float], rating: Sequence[float]) -> list[bool]:
    """Return who is on the front: nobody else is at least as strong for no more, and better in one.

    >>> pareto_front([1.0, 2.0, 2.0], [1000.0, 1100.0, 900.0])
    [True, True, False]
    """
    pairs = list(zip(cost, rating, strict=True))

    def is_beaten(own: tuple[float, float]) -> bool:
        return any(other != own and other[0] <= own[0] and other[1] >= own[1] for other in pairs)

    return [not is_beaten(pair) for pair in pairs]


def cost_points(board: pd.DataFrame) -> tuple[pd.DataFrame, str] | None:
    """Return the points of the chart and the unit of their costs; None where there is no chart.

    Costs are in USD, or in tokens where nothing was paid for. Those whose cost is not known have
    no point.

    Args:
        board: a row per participant: `participant`, `debates`, `rating`, `lower`, `upper`,
            `usd_per_debate`, `usd_error`, `input_tokens`, `output_tokens` and `tokens_error`
            (errors are standard errors of the means).

    Returns:
        `participant`, `rating`, `lower`, `upper` (Elo points), `cost`, `cost_lower`, `cost_upper`
        (95 % interval of the mean), `front` (whether nobody is as strong for less).
    """
    frame = board[(board["debates"] > 0) & board["usd_per_debate"].notna()]
    unit, cost, error = "USD", frame["usd_per_debate"], frame["usd_error"]
    if not cost.any():
        unit, cost = "tokens", frame["input_tokens"] + frame["output_tokens"]
        error = frame["tokens_error"]
    if len(frame) < 2 or not cost.any() or cost.isna().any():
        return None
    points = frame[["participant", "rating", "lower", "upper"]].assign(
        cost=cost,
        cost_lower=(cost - 1.96 * error).clip(lower=0),
        cost_upper=cost + 1.96 * error,
        front=pareto_front(cost.tolist(), frame["rating"].tolist()),
    )
    return points, f"{unit} per debate, without judging"


def draw_costs(
    frame: pd.DataFrame, *, unit: str, width: int = WIDE_PIXELS, theme: Theme = LIGHT
) -> go.Figure:
    """Draw ratings against costs, with a line along those whom nobody beats in both.

    Args:
        frame: as `cost_points` returns it.
        width: of the whole figure, pixels; it grows in height until its names have room.

    Raises:
        ValueError: a column is missing.
    """
    check_columns(
        frame,
        "participant",
        "rating",
        "lower",
        "upper",
        "cost",
        "cost_lower",
        "cost_upper",
        "front",
    )
    names = [str(name) for name in frame["participant"]]
    short = shorten_names(names, width / 4, width=_label_pixels)
    sizes = np.array([[_label_pixels(short[name]), _LABEL_PIXELS] for name in names])
    plot = _plot_pixels(width, sizes)
    spans = _spans(frame)
    front = frame[frame["front"]].sort_values("cost")
    look = {"color": theme.mark, "symbol": "circle"}
    figure = go.Figure(
        [
            _points(frame[~frame["front"]], "others", {"color": GREY, "symbol": "diamond-open"}),
            _points(front, "nobody is stronger for less", look, line=theme.bar),
        ]
    )
    figure.update_xaxes({**axis(unit, theme), "automargin": False}, range=spans[0], nticks=6)
    figure.update_yaxes({**axis("Elo", theme), "automargin": False}, range=spans[1])
    figure.update_layout(_layout(width, plot[1], theme))
    points = _pixels(frame[["cost", "rating"]], spans, plot)
    offsets = place_labels(points, sizes, plot, _lines(frame, spans, plot)) - points
    figure.update_layout(
        annotations=[
            _annotation(row, short[name], offset, size, theme)
            for row, name, offset, size in zip(
                frame[["cost", "rating"]].to_numpy(), names, offsets, sizes, strict=True
            )
        ]
    )
    return figure


def _label_pixels(name: str) -> float:
    return text_pixels(name) * _WIDTH_SHARE


def _plot_pixels(width: int, sizes: NDArray[np.float64]) -> tuple[float, float]:
    """Return the width and height of the plot, as high as the names need."""
    across = float(width - _MARGINS["l"] - _MARGINS["r"])
    return across, max(_LEAST_PIXELS, round(_ROOM * float(sizes.prod(axis=1).sum()) / across))


def _spans(frame: pd.DataFrame) -> _Spans:
    """Return the ranges of cost and of rating, which hold all intervals that are known."""
    low, high = frame[["rating", "lower"]].min().min(), frame[["rating", "upper"]].max().max()
    room = 0.05 * max(float(high - low), 1.0)
    return (0.0, 1.06 * float(frame[["cost", "cost_upper"]].max().max())), (low - room, high + room)


def _pixels(frame: pd.DataFrame, spans: _Spans, plot: tuple[float, float]) -> _Pixels:
    """Return (N, 2) where costs and ratings stand, pixels from the left and from the top."""
    (left, right), (low, high) = spans
    cost, rating = frame.to_numpy(dtype=float).T
    return np.column_stack(
        [plot[0] * (cost - left) / (right - left), plot[1] * (high - rating) / (high - low)]
    )


def _lines(frame: pd.DataFrame, spans: _Spans, plot: tuple[float, float]) -> _Pixels:
    """Return (M, 4) the boxes of the intervals and of the line of the front, pixels."""
    front = frame[frame["front"]].sort_values("cost")[["cost", "rating"]]
    corners = front.assign(cost=front["cost"].shift(-1)).iloc[:-1]
    ends = [
        (frame[["cost_lower", "rating"]], frame[["cost_upper", "rating"]]),
        (frame[["cost", "lower"]], frame[["cost", "upper"]]),
        (front.iloc[:-1], corners),
        (corners, front.iloc[1:]),
    ]
    first, last = (np.vstack([_pixels(pair[end], spans, plot) for pair in ends]) for end in (0, 1))
    boxes = np.hstack([(first + last) / 2, np.abs(last - first) + 2])
    known: _Pixels = boxes[np.isfinite(boxes).all(axis=1)]
    return known


def _points(
    frame: pd.DataFrame, name: str, look: dict[str, str], *, line: str | None = None
) -> go.Scatter:
    """Return points with intervals of both axes, and a line through them where it has a colour."""
    ends = frame[["lower", "upper", "cost_lower", "cost_upper"]].to_numpy()
    names = [escape_label(str(name)) for name in frame["participant"]]
    return go.Scatter(
        x=frame["cost"].to_numpy(),
        y=frame["rating"].to_numpy(),
        error_x=_bars(frame, "cost"),
        error_y=_bars(frame, "rating", ""),
        mode="lines+markers" if line else "markers",
        line={"color": line, "width": 3, "shape": "hv"},
        marker={**look, "size": 2 * POINT_PIXELS - 1, "line": {"width": 2}},
        customdata=[(own, *four) for own, four in zip(names, ends.tolist(), strict=True)],
        hovertemplate=_HOVER,
        name=name,
        cliponaxis=False,
    )


def _bars(frame: pd.DataFrame, column: str, kind: str = "cost_") -> dict[str, Any]:
    """Return the error bars of a column, from its `lower` to its `upper`; none where unknown."""
    value = frame[column]
    return {
        "type": "data",
        "symmetric": False,
        "array": (frame[f"{kind}upper"] - value).fillna(0).to_numpy(),
        "arrayminus": (value - frame[f"{kind}lower"]).fillna(0).to_numpy(),
        "color": GREY,
        "thickness": 1,
        "width": 0,
    }


def _annotation(
    point: _Pixels,
    name: str,
    offset: _Pixels,
    size: _Pixels,
    theme: Theme,
) -> dict[str, Any]:
    """Return a name at its place, joined to its point by a line where it stands apart from it."""
    gap = np.abs(offset) - size / 2
    return {
        "x": float(point[0]),
        "y": float(point[1]),
        "text": escape_label(name),
        "font": {**lettering(theme), "size": _FONT_PIXELS},
        "ax": float(offset[0]),
        "ay": float(offset[1]),
        "xanchor": "center",
        "yanchor": "middle",
        "borderpad": 0,
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": GREY if gap.max() > _BESIDE_PIXELS else "rgba(0, 0, 0, 0)",
        "standoff": POINT_PIXELS,
    }


def _layout(width: int, plot_height: float, theme: Theme) -> dict[str, Any]:
    return {
        "width": width,
        "height": plot_height + _MARGINS["t"] + _MARGINS["b"],
        "margin": {**_MARGINS, "autoexpand": False},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "dragmode": False,
        "hovermode": "closest",
        "modebar": SAVE_LOOK,
        "legend": {
            "orientation": "h",
            "yref": "container",
            "yanchor": "bottom",
            "y": 0,
            "x": 0,
            "font": {**lettering(theme), "size": _FONT_PIXELS},
        },
    }
