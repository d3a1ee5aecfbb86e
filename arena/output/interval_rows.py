"""Ratings with their intervals as rows of HTML: the picture that stands first on a board.

It needs no script and takes any width, so that it is in the HTML page that a browser loads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from arena.boards.board import Row
from arena.output.short_names import shorten_names
from arena.output.text_width import text_pixels
from arena.text import plain

#: How the rows look: a style sheet, which a page needs once.
STYLE: Final = Path(__file__).with_name("interval_rows.css")
#: Rows of the picture; what a board has beyond them stands in its table.
MOST_ROWS: Final = 100
#: Elo points of the anchor, or of the mean rating.
_ORIGIN: Final = 1000.0
#: The share of the picture's width that stays free on either side.
_MARGIN: Final = 0.02
#: Pixels of a name, and of each of its two lines on a phone.
_WIDE_PIXELS, _PHONE_PIXELS = 208, 132
#: Per cent of the width between two numbers on the scale.
_LEAST_GAP: Final = 8.0


def interval_rows(board: Sequence[Row]) -> str:
    """Draw the rated participants as rows: rank, name, interval and rating, the best first.

    A thin line is the 95 % interval, a thick one the comparison interval, a dot the rating.
    Participants whose order is not settled against the first of their group share a field.

    Args:
        board: the rows of a board, the best first.

    Returns:
        HTML in which every stored text is escaped; '' where nobody is rated.
    """
    rows = [row for row in board if row.is_rated][:MOST_ROWS]
    if not rows:
        return ""
    low, high = _span(rows)
    scale = _Scale(low, high)
    names = [plain(row.participant) for row in rows]
    wide = shorten_names(names, _WIDE_PIXELS, width=text_pixels)
    narrow = shorten_names(names, _PHONE_PIXELS, width=text_pixels, lines=2)
    drawn = "".join(
        _row(row, wide[name], narrow[name], scale, field)
        for row, name, field in zip(rows, names, _fields(rows), strict=True)
    )
    ends = "".join(
        f'<span class="{kind}" style="left: {scale.place(value):.2f}%">{value:.0f}</span>'
        for kind, value in (("end", low), ("origin", _ORIGIN), ("end", high))
        if kind == "origin" or abs(scale.place(value) - scale.place(_ORIGIN)) > _LEAST_GAP
    )
    style = f"--origin: {scale.place(_ORIGIN):.2f}%"
    return (
        f'<div class="interval-rows" style="{style}">{drawn}'
        f'<div class="interval-scale" aria-hidden="true"><div>{ends}</div></div></div>'
    )


class _Scale:
    def __init__(self, low: float, high: float) -> None:
        self._low, self._width = low, max(high - low, 1.0)

    def place(self, rating: float) -> float:
        """Return where a rating stands, in per cent of the picture's width."""
        share = (rating - self._low) / self._width
        return 100 * (_MARGIN + (1 - 2 * _MARGIN) * share)


def _span(rows: Sequence[Row]) -> tuple[float, float]:
    ends = [_ORIGIN, *(end for row in rows for end in (row.lower, row.rating, row.upper))]
    known = [end for end in ends if math.isfinite(end)]
    return min(known), max(known)


def _fields(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the classes of each row: where the field of its group begins and ends."""
    groups = [row.tie_group for row in rows]
    for place, group in enumerate(groups):
        before, after = groups[place - 1 : place], groups[place + 1 : place + 2]
        classes = [
            *(["tied"] if group in (*before, *after) else []),
            *(["begins"] if group not in before else []),
            *(["ends"] if group not in after else []),
        ]
        yield " ".join(("interval-row", *classes))


def _row(row: Row, wide: str, narrow: str, scale: _Scale, classes: str) -> str:
    name = escape(plain(row.participant))
    rank = "" if row.rank is None else str(row.rank)
    words = f"{row.rating:.0f}, 95 % interval {row.lower:.0f} to {row.upper:.0f}"
    bars = _bar("interval", row.lower, row.upper, scale)
    bars += _bar("comparison", row.comparison_lower, row.comparison_upper, scale)
    return (
        f'<div class="{classes}"><span class="rank">{rank}</span>'
        f'<span class="name" title="{name}"><bdi class="wide">{escape(wide)}</bdi>'
        f'<bdi class="narrow">{escape(narrow)}</bdi></span>'
        f'<span class="track" role="img" aria-label="{words}">{bars}'
        f'<i class="dot" style="left: {scale.place(row.rating):.2f}%"></i></span>'
        f'<span class="rating">{row.rating:.0f}</span></div>'
    )


def _bar(kind: str, low: float, high: float, scale: _Scale) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    left, right = scale.place(low), scale.place(high)
    return f'<i class="{kind}" style="left: {left:.2f}%; width: {right - left:.2f}%"></i>'
