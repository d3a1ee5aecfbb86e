"""Charts: pure functions from a frame to a figure, which pages and reports lay out.

Backgrounds are transparent, so that a figure suits light and dark pages. Names are escaped, so that
nothing in them is read as markup.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from arena.output.short_names import shorten_names

#: From a palette that colour-blind readers can distinguish (Wong 2011, Nat Methods 8, 441).
BLUE = "#0072B2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours that depend on the page.

    Attributes:
        ink: colour of the text; readable on the page and on the three colours of the scale.
        low, middle, high: a scale from vermilion to blue that diverges from its middle.
        mark: colour of points; on light pages Wong's blue, on dark ones his sky blue.
        bar: the same, for bars behind points.
    """

    ink: str
    low: str
    middle: str
    high: str
    mark: str
    bar: str


LIGHT = Theme(
    ink="#2f2d2b",
    low="#ea9a62",
    middle="#f3f1ee",
    high="#66b1db",
    mark=BLUE,
    bar="rgba(0, 114, 178, 0.40)",
)
DARK = Theme(
    ink="#edebe8",
    low="#a84900",
    middle="#2b2f36",
    high="#005f96",
    mark="#56B4E9",
    bar="rgba(86, 180, 233, 0.40)",
)

GREY = "rgba(128, 128, 128, 0.55)"
GRID = "rgba(128, 128, 128, 0.20)"
_BACKDROP = "rgba(128, 128, 128, 0.13)"
_ROW_PIXELS = 28
#: How thick bars are: those of intervals alone, or the two kinds together.
_SINGLE_PIXELS, _THIN_PIXELS, _THICK_PIXELS = 8, 3, 12
_FRAME_PIXELS = 96
#: The same where names have two lines.
_TWO_LINES_PIXELS = 40
#: Letters in a line of a name, of which there are two at most.
_LONGEST_NAME = 20
#: The look of the button that saves a chart: no box behind it, and a grey that both themes show.
SAVE_LOOK: Final = {"bgcolor": "rgba(0, 0, 0, 0)", "color": "rgb(128, 128, 128)"}
#: Room above a chart for the button that saves it.
MODEBAR_PIXELS = 36
_HOVER = (
    "<b>%{{customdata[0]}}</b><br>{unit} %{{x:.0f}}"
    "<br>95 % interval %{{customdata[1]:.0f}} to %{{customdata[2]:.0f}}<extra></extra>"
)


def draw_intervals(
    frame: pd.DataFrame,
    *,
    mean: float | None = 1000.0,
    unit: str = "Elo",
    theme: Theme = LIGHT,
    groups: Sequence[Sequence[str]] = (),
) -> go.Figure:
    """Draw ratings as points and their 95 % intervals as bars, the best on top.

    Comparison intervals are a second, thicker bar, where the frame has any.

    Args:
        frame: a row per participant, the best first: `participant` (its name), `rating`,
            `lower` and `upper` (Elo points); if known, `comparison_lower` and `comparison_upper`.
        mean: where the dotted line stands (Elo points); `None` for no line.
        unit: what is drawn, where it is not ratings: the title of the axis.
        groups: names, the others not separated from the first; those of several get one backdrop.

    Raises:
        ValueError: a column is missing, or two rows have one name.

    Example:
        >>> import pandas as pd
        >>> board = {"participant": ["a"], "rating": [1010.0], "lower": [990.0], "upper": [1040.0]}
        >>> draw_intervals(pd.DataFrame(board)).data[1].x
        array([1010.])
    """
    check_columns(frame, "participant", "rating", "lower", "upper")
    _check_once(frame["participant"])
    bars = [_bars(frame, theme, "", _SINGLE_PIXELS)]
    if "comparison_lower" in frame.columns and frame["comparison_lower"].notna().any():
        bars = [
            _bars(frame, theme, "", _THIN_PIXELS),
            _bars(frame, theme, "comparison_", _THICK_PIXELS),
        ]
    names = name_axis(frame["participant"], theme)
    pixels = _TWO_LINES_PIXELS if any("<br>" in name for name in names["ticktext"]) else _ROW_PIXELS
    figure = go.Figure([*bars, _points(frame, theme, unit)], layout(rows=len(frame), pixels=pixels))
    figure.update_xaxes(axis(unit, theme), range=_span(frame), showgrid=True)
    figure.update_yaxes(names)
    for first, last in _spans(frame["participant"], groups):
        figure.add_hrect(
            y0=first - 0.42, y1=last + 0.42, fillcolor=_BACKDROP, line_width=0, layer="below"
        )
    if mean is not None:
        figure.add_vline(x=mean, line={"color": GREY, "width": 1, "dash": "dot"}, layer="below")
    return figure


def _spans(names: pd.Series, groups: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the first and the last row of each group of several."""
    place = {str(name): row for row, name in enumerate(names)}
    rows = [[place[name] for name in group if name in place] for group in groups]
    return [(min(group), max(group)) for group in rows if len(group) > 1]


def name_axis(names: Iterable[str], theme: Theme, *, numbered: bool = False) -> dict[str, Any]:
    """Return an axis of names, long ones in two lines or shortened, the first on top.

    Args:
        numbered: whether the number of its row follows each name.
    """
    labels = short_labels(names, lines=2)
    if numbered:
        labels = [f"{label}  {number}" for number, label in enumerate(labels, 1)]
    return {
        "type": "linear",
        "range": (len(labels) - 0.5, -0.5),
        "tickvals": list(range(len(labels))),
        "ticktext": labels,
        "tickfont": lettering(theme),
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
        "automargin": True,
    }


def lettering(theme: Theme) -> dict[str, Any]:
    """Return the font of a page's charts."""
    return {"color": theme.ink, "size": 14}


def axis(title: str, theme: Theme) -> dict[str, Any]:
    """Return an axis of numbers with a grid."""
    letters = lettering(theme)
    return {
        "title": {"text": title, "font": letters},
        "tickfont": letters,
        "gridcolor": GRID,
        "zeroline": False,
        "automargin": True,
    }


def _bars(frame: pd.DataFrame, theme: Theme, kind: str, pixels: int) -> go.Scatter:
    """Return all intervals of a kind as one trace: lines with a gap after each.

    Args:
        kind: what stands before `lower` and `upper` in the names of the columns.
    """
    ends = zip(frame[f"{kind}lower"], frame[f"{kind}upper"], strict=True)
    return go.Scatter(
        x=[x for low, high in ends for x in (low, high, None)],
        y=[y for row in range(len(frame)) for y in (row, row, None)],
        mode="lines",
        line={"color": theme.bar, "width": pixels},
        hoverinfo="skip",
        showlegend=False,
    )


def _points(frame: pd.DataFrame, theme: Theme, unit: str) -> go.Scatter:
    names = [escape_label(name) for name in frame["participant"]]
    return go.Scatter(
        x=frame["rating"].to_numpy(),
        y=list(range(len(frame))),
        mode="markers",
        marker={"color": theme.mark, "size": 10},
        customdata=list(zip(names, frame["lower"], frame["upper"], strict=True)),
        hovertemplate=_HOVER.format(unit=unit),
        showlegend=False,
    )


def layout(*, rows: int, pixels: int = _ROW_PIXELS) -> go.Layout:
    """Return the layout of a chart with rows of some pixels each."""
    return go.Layout(
        height=_FRAME_PIXELS + pixels * max(1, rows),
        margin={"l": 8, "r": 16, "t": MODEBAR_PIXELS, "b": 8},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        dragmode=False,
        hovermode="closest",
        modebar=SAVE_LOOK,
    )


def _span(frame: pd.DataFrame) -> tuple[float, float] | None:
    """Return the range from the lowest end to the highest with a margin; None without rows."""
    if frame.empty:
        return None
    ends = frame.filter(regex="lower$|upper$")
    low, high = float(ends.min().min()), float(ends.max().max())
    room = 0.03 * max(high - low, 1.0)
    return low - room, high + room


def short_labels(
    names: Iterable[str], longest: int = _LONGEST_NAME, *, lines: int = 1
) -> list[str]:
    """Return names as a chart shows them: shortened so that they are told apart, and escaped."""
    names = list(names)
    short = shorten_names(names, longest, lines=lines)
    return [escape_label(short[name]).replace("\n", "<br>") for name in names]


def escape_label(text: str) -> str:
    """Return a text in which Plotly reads nothing as markup; it would show `&quot;` as it is.

    >>> escape_label('<b> "x"')
    '&lt;b&gt; "x"'
    """
    return html.escape(text, quote=False)


def check_columns(frame: pd.DataFrame, *columns: str) -> None:
    """Check that a frame has some columns.

    Raises:
        ValueError: one is missing; the message names the columns that there are.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        present = ", ".join(str(name) for name in frame.columns) or "none"
        raise ValueError(f"the frame lacks {', '.join(missing)}. Its columns: {present}.")


def _check_once(names: pd.Series) -> None:
    repeated = names[names.duplicated()]
    if len(repeated):
        raise ValueError(f"two rows are called {repeated.iloc[0]!r}: give one row per participant.")
