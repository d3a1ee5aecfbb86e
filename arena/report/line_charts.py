"""Charts of what happens in a tournament over its debates, and of what it costs."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from arena.report.charts import LIGHT, Theme, lettering, short_labels

#: A palette that colour-blind readers can distinguish (Wong 2011, Nat Methods 8, 441), without its
#: black and yellow, which one of the two themes hides.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_DASHES: Final = ("solid", "dash", "dot", "dashdot")
_GRID: Final = "rgba(128, 128, 128, 0.20)"
_LONGEST_NAME: Final = 28
#: Height of a chart of lines without its legend, and of a name in that, one in a line on a phone.
_PLOT_PIXELS: Final = 340
_ENTRY_PIXELS: Final = 20
#: Participants with a line of their own; more cannot be told apart.
MOST_LINES: Final = 12


def draw_course(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw ratings over the number of debates, a line each, for those who are ahead at the end.

    Args:
        frame: as `arena.boards.course.rating_course` returns it.
        theme: of the page.

    Example:
        >>> import pandas as pd
        >>> rows = {"debates": [1, 2], "participant": ["a", "a"], "rating": [1000.0, 1010.0]}
        >>> draw_course(pd.DataFrame(rows)).data[0].y
        array([1000., 1010.])
    """
    last = frame[frame["debates"] == frame["debates"].max()]
    names = last.sort_values("rating", ascending=False)["participant"].head(MOST_LINES)
    height = _PLOT_PIXELS + _ENTRY_PIXELS * len(names)
    figure = go.Figure(layout=_layout(theme, height=height))
    labels = short_labels(map(str, names), _LONGEST_NAME)
    for place, (name, label) in enumerate(zip(names, labels, strict=True)):
        rows = frame[frame["participant"] == name]
        figure.add_trace(
            go.Scatter(
                x=rows["debates"].to_numpy(),
                y=rows["rating"].to_numpy(),
                name=label,
                mode="lines+markers" if len(rows) < 3 else "lines",
                line={
                    "color": COLOURS[place % len(COLOURS)],
                    "dash": _DASHES[place // len(COLOURS) % len(_DASHES)],
                    "width": 2,
                },
                hovertemplate="%{x} debates: %{y:.0f}<extra>%{fullData.name}</extra>",
            )
        )
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
        gridcolor=_GRID,
        zeroline=False,
        tickformat=".0f",
    )
    return figure


def draw_amounts(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw amounts of money as bars, the largest on top; what was reserved follows in a paler bar.

    Args:
        frame: a row each: `name`, `usd` and `reserved_usd`.
        theme: of the page.

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
    figure = go.Figure(layout=_layout(theme, height=64 + 30 * len(frame) + legend))
    for label, column, colour in bars:
        figure.add_trace(
            go.Bar(
                x=frame[column].to_numpy(),
                y=list(range(len(frame))),
                name=label,
                orientation="h",
                marker={"color": colour},
                hovertemplate="%{x:.4f} USD<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(barmode="stack", showlegend=len(bars) > 1, hovermode="closest")
    letters = lettering(theme)
    figure.update_xaxes(
        title={"text": "USD", "font": letters},
        tickfont=letters,
        gridcolor=_GRID,
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


def _layout(theme: Theme, *, height: int) -> dict[str, Any]:
    return {
        "height": height,
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "font": lettering(theme),
        # Below the chart, where names take nothing of its width.
        "legend": {
            "orientation": "h",
            "yref": "container",
            "yanchor": "bottom",
            "y": 0,
            "xanchor": "left",
            "x": 0,
            "traceorder": "normal",
            "font": {"color": theme.ink, "size": 12},
        },
        "hovermode": "x unified",
        "hoverlabel": {"namelength": -1},
    }
