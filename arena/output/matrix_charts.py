"""Charts of matrices: what every pair of participants did, as heat maps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from arena.output.charts import (
    LIGHT,
    MODEBAR_PIXELS,
    Theme,
    check_columns,
    escape_label,
    layout,
    lettering,
    name_axis,
    short_labels,
)
from arena.output.text_width import text_pixels

#: Pixels of a cell, and of the room for names and the scale beside the cells.
CELL_PIXELS: Final = 46
BESIDE_PIXELS: Final = 270
#: A larger grid has no room for figures in its cells.
_MOST_LETTERED: Final = 40
#: Letters of a name above a column.
_LONGEST_HEAD: Final = 24
#: Up to this size, columns have their names and cells their numbers of debates; a larger matrix
#: has numbers for the names of its columns.
_MOST_NAMED: Final = 20
_COUNT: Final = '<br><span style="font-size:10px">{}</span>'
_PAIR: Final = "<b>%{customdata[0]}</b> against <b>%{customdata[1]}</b><br>"


def draw_win_rates(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw who wins against whom as a heat map: blue above one half, vermilion below.

    Up to 20 participants, a cell holds its number of debates below its percentage.

    Args:
        frame: a row per cell, line by line and in each line in the same order, the best first:
            `participant`, `opponent` (names), `value` (0 to 1; NaN leaves a gap), `debates`.

    Raises:
        ValueError: a column is missing, or the cells do not make a square.

    Example:
        >>> import pandas as pd
        >>> cells = {"participant": ["a", "a", "b", "b"], "opponent": ["a", "b", "a", "b"]}
        >>> cells |= {"value": [None, 0.75, 0.25, None], "debates": [0, 4, 4, 0]}
        >>> draw_win_rates(pd.DataFrame(cells)).data[0].text[0].tolist()
        ['', '75<br><span style="font-size:10px">4</span>']
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

    Raises:
        ValueError: a column is missing, or the cells do not make a square.
    """
    look = {
        "colorscale": ((0.0, theme.middle), (1.0, theme.high)),
        "zmin": 0,
        "hovertemplate": f"{_PAIR}%{{customdata[2]}} debates<extra></extra>",
        "colorbar": {"tickformat": "d", "nticks": 6},
    }
    return _grid(frame, look, theme, counted=False)


def draw_residuals(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw how much more often the row won than predicted; `value` is a share, −1 to 1."""
    percent = frame.assign(value=100 * frame["value"].astype(float))
    return _grid(percent, _around_zero(percent, theme, "%{z:+.1f} %"), theme)


def draw_differences(frame: pd.DataFrame, *, theme: Theme = LIGHT) -> go.Figure:
    """Draw differences of mean scores as a heat map around zero; `value` is in points."""
    return _grid(frame, _around_zero(frame, theme, "%{z:+.2f} points"), theme, figures="z.1f")


def with_targets(figure: go.Figure, frame: pd.DataFrame) -> go.Figure:
    """Return a matrix of which a click on a cell selects a point; heat maps have none.

    Args:
        frame: its cells. A point's `customdata` begin with the names of the row and of the column;
            cells without debates have none.
    """
    names = list(dict.fromkeys(frame["participant"]))
    place = {name: number for number, name in enumerate(names)}
    known = frame[(frame["debates"] > 0) & (frame["participant"] != frame["opponent"])]
    unseen = {"marker": {"opacity": 0}}
    (cells,) = figure.data
    x, y = known["opponent"].map(place), known["participant"].map(place)
    points = known.assign(
        row=known["participant"].map(escape_label),
        column=known["opponent"].map(escape_label),
        shown=cells.z[y.to_numpy(dtype=int), x.to_numpy(dtype=int)],
    )
    template = cells.hovertemplate.replace("%{z", "%{customdata[5]")
    for number in (2, 1, 0):  # behind the two names that a click tells
        template = template.replace(f"%{{customdata[{number}]", f"%{{customdata[{number + 2}]")
    return figure.add_trace(
        go.Scatter(
            x=x.tolist(),
            y=y.tolist(),
            customdata=points[
                ["participant", "opponent", "row", "column", "debates", "shown"]
            ].to_numpy(dtype=object),
            mode="markers",
            marker={"symbol": "square", "size": CELL_PIXELS - 6, "opacity": 0},
            selected=unseen,
            unselected=unseen,
            hovertemplate=template,
            showlegend=False,
        )
    )


def grid_pixels(size: int) -> int:
    """Return the width of a matrix of so many participants, in pixels."""
    return BESIDE_PIXELS + CELL_PIXELS * size


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
    frame: pd.DataFrame,
    look: Mapping[str, Any],
    theme: Theme,
    *,
    figures: str = "z.0f",
    counted: bool = True,
) -> go.Figure:
    """Draw a square of cells.

    Args:
        counted: whether cells hold their numbers of debates, too, where these fit.
    """
    check_columns(frame, "participant", "opponent", "value", "debates")
    names = list(dict.fromkeys(frame["participant"]))
    size, letters = len(names), lettering(theme)
    is_named = size <= _MOST_NAMED
    if list(zip(frame["participant"], frame["opponent"], strict=True)) != [*product(names, names)]:
        raise ValueError("the cells do not form a square: give every pair, row by row.")
    shown = _cell_texts(frame, figures, counted=counted and is_named)
    figure = go.Figure(
        _cells(frame, size, shown).update(textfont=letters, **look),
        layout(rows=size, pixels=CELL_PIXELS),
    )
    figure.update_traces(colorbar={"tickfont": letters, "thickness": 12, "outlinewidth": 0})
    columns = short_labels(names, _LONGEST_HEAD) if is_named else list(map(str, range(1, size + 1)))
    figure.update_yaxes(name_axis(names, theme, numbered=not is_named))
    figure.update_xaxes(
        range=(-0.5, size - 0.5),  # else the points for clicks make room around the cells
        side="top",
        tickvals=list(range(size)),
        ticktext=columns,
        tickangle=-90 if is_named else 0,
        tickfont=letters,
        ticks="",
        showgrid=False,
        zeroline=False,
    )
    if is_named:
        head = max(map(text_pixels, columns), default=0.0)
        margin = {**figure.layout.margin.to_plotly_json(), "t": MODEBAR_PIXELS + head}
        figure.update_layout(margin=margin, height=figure.layout.height + head)
    return figure


def _cell_texts(frame: pd.DataFrame, figures: str, *, counted: bool) -> pd.Series:
    """Return what stands in the cells; nothing where the value is unknown."""
    text = frame["value"].map(f"{{:{figures}}}".format)
    if counted:
        text += frame["debates"].map(_COUNT.format)
    return text.where(frame["value"].notna(), "")


def _cells(frame: pd.DataFrame, size: int, text: pd.Series) -> go.Heatmap:
    """Return the cells with their text, if that fits, and with text for hovering."""
    hover = frame[["participant", "opponent", "debates"]].astype(object)
    hover[["participant", "opponent"]] = hover[["participant", "opponent"]].map(escape_label)
    return go.Heatmap(
        z=frame["value"].to_numpy(dtype=float).reshape(size, size),
        customdata=hover.to_numpy().reshape(size, size, 3),
        text=text.to_numpy(dtype=object).reshape(size, size),
        texttemplate="%{text}" if size <= _MOST_LETTERED else "",
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )
