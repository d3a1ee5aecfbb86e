"""Charts as pure functions from a frame to a figure; pages and reports only lay them out.

Backgrounds are transparent, so a figure suits a light page and a dark one. Names are text: nothing
in them is read as markup.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

import pandas as pd
import plotly.graph_objects as go

#: The blue of a palette that colour-blind readers can tell apart (Wong 2011, Nat Methods 8, 441).
BLUE = "#0072B2"
#: Lettering on a light page and on a dark one.
INK, LIGHT_INK = "#2f2d2b", "#edebe8"

_PALE_BLUE = "rgba(0, 114, 178, 0.40)"
_GREY = "rgba(128, 128, 128, 0.55)"
_GRID = "rgba(128, 128, 128, 0.20)"
_ROW_PIXELS = 28
_FRAME_PIXELS = 72
_LONGEST_NAME = 40
_HOVER = (
    "<b>%{customdata[0]}</b><br>Elo %{x:.0f}"
    "<br>95 % interval %{customdata[1]:.0f} to %{customdata[2]:.0f}<extra></extra>"
)


def intervals(frame: pd.DataFrame, *, mean: float = 1000.0, ink: str = INK) -> go.Figure:
    """Draw ratings as points and their 95 % intervals as bars, the best on top.

    Args:
        frame: a row per participant, the best first: `participant` (its name), `rating`,
            `lower` and `upper` (Elo points).
        mean: where the dotted line stands (Elo points).
        ink: colour of the lettering; a dark page wants a light one.

    Raises:
        ValueError: a column is missing, or two rows have one name.

    Example:
        >>> import pandas as pd
        >>> board = {"participant": ["a"], "rating": [1010.0], "lower": [990.0], "upper": [1040.0]}
        >>> intervals(pd.DataFrame(board)).data[1].x
        array([1010.])
    """
    _check(frame, ("participant", "rating", "lower", "upper"))
    figure = go.Figure([_bars(frame), _points(frame)], _layout(rows=len(frame)))
    lettering = {"color": ink, "size": 14}
    figure.update_xaxes(
        title={"text": "Elo", "font": lettering},
        tickfont=lettering,
        range=_span(frame),
        showgrid=True,
        gridcolor=_GRID,
        zeroline=False,
        automargin=True,
    )
    figure.update_yaxes(
        type="linear",
        range=(len(frame) - 0.5, -0.5),
        tickvals=list(range(len(frame))),
        ticktext=[_shortened(name) for name in frame["participant"]],
        tickfont=lettering,
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    figure.add_vline(x=mean, line={"color": _GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def _bars(frame: pd.DataFrame) -> go.Scatter:
    """All intervals in one trace: lines with a gap after each."""
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


def _layout(*, rows: int) -> go.Layout:
    return go.Layout(
        height=_FRAME_PIXELS + _ROW_PIXELS * max(1, rows),
        margin={"l": 8, "r": 16, "t": 12, "b": 8},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        dragmode=False,
        hovermode="closest",
    )


def _span(frame: pd.DataFrame) -> tuple[float, float] | None:
    """From the lowest end to the highest, with room beside both; `None` leaves it to the data."""
    if frame.empty:
        return None
    low, high = float(frame["lower"].min()), float(frame["upper"].max())
    room = 0.03 * max(high - low, 1.0)
    return low - room, high + room


def _shortened(name: str) -> str:
    short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return html.escape(short)


def _check(frame: pd.DataFrame, columns: Iterable[str]) -> None:
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        given = ", ".join(str(name) for name in frame.columns) or "none"
        raise ValueError(f"the frame lacks {', '.join(missing)}. Its columns: {given}.")
    repeated = frame["participant"][frame["participant"].duplicated()]
    if len(repeated):
        raise ValueError(f"two rows are called {repeated.iloc[0]!r}: give one row per participant.")
