"""The width of names in the cells of tables, and names that are shortened to fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import pandas as pd
from pandas.io.formats.style import Styler

from arena.output.short_names import shorten_names
from arena.output.text_width import text_pixels
from arena.text import plain

#: Columns of names that users choose, of participants and of models.
NAMES: Final = frozenset({"participant", "opponent", "pro", "con", "won_by", "name", "model"})
#: How the columns begin that name winners.
_WINNERS: Final = "won "
#: What is said below a table whose rows open nothing, where it shortens names.
HOW_TO_READ: Final = "A double click on a name that is shortened shows it in full."
#: Columns that are headed by the name of a participant.
_HEADED: Final = ("first", "second")
#: Left and right of a cell's text together.
_PADDING = 17
#: Widths that a column has by a word.
_WORDS: Final = {"small": 75, "medium": 200, "large": 400}
#: The width up to which a column of names grows with them.
_WIDEST = 220
#: Room for letters in a list that stands in a row of several, in a window of 1,280 pixels.
_BOX_PIXELS: Final = 160
#: The same in a list of two beside each other, and on a phone.
WIDE_BOX_PIXELS: Final = 270
#: With more rows, a table holds nothing but the shortened names: two texts per cell take too long.
_MOST_ROWS = 5000


def fit_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of columns in which those of names are as wide as their names need.

    They keep the width that they have, at least, and grow to a bound at most.
    """
    return dict(columns) | {
        name: {**columns[name], "width": max(width, _needed_pixels(frame[name]))}
        for name, width in _name_columns(columns)
    }


def fit_names(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table in which names that do not fit into their columns are shortened.

    Args:
        columns: the configuration of its columns; those without a width fit whatever they hold.
    """
    return frame.assign(**{name: frame[name].map(short) for name, short in _short(frame, columns)})


def shorten_display(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame | Styler:
    """Return a table that shows what `fit_names` does, and whose cells hold the names in full.

    They are what a double click on a cell shows, what is copied, and what a screen reader says.
    """
    short = {
        name: texts
        for name, texts in _short(frame, columns)
        if any(full != text for full, text in texts.items())
    }
    if not short:
        return frame
    if len(frame) > _MOST_ROWS:
        return fit_names(frame, columns)
    return frame.style.format({name: partial(_look_up, texts) for name, texts in short.items()})


def fit_heads(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of columns with names in their heads shortened to their widths."""
    named = {name: columns[name] for name in _HEADED if name in columns}
    labels = [column["label"] for column in named.values()]
    return dict(columns) | {
        name: {**column, "label": short_texts(labels, column_pixels(column))[column["label"]]}
        for name, column in named.items()
    }


def short_texts(names: Iterable[str], pixels: int) -> dict[str, str]:
    """Return names as they fit into cells, by the names in full.

    >>> short_texts(["a4d-good", "agent4debate-with-a-searcher"], 134)["a4d-good"]
    'a4d-good'
    """
    return shorten_names(names, pixels - _PADDING, width=text_pixels)


def fit_box(names: Iterable[str], pixels: int = _BOX_PIXELS) -> Callable[[str], str]:
    """Return a function that formats untrusted names of a list, so that they fit into its box.

    Args:
        pixels: the room for letters in it.
    """
    shown = {name: plain(name) for name in names}
    short = shorten_names(shown.values(), pixels, width=text_pixels)
    return lambda name: short[shown[name]]


def column_pixels(column: Mapping[str, Any]) -> int:
    """Return the width of a column in pixels; 0 where it depends on what the column holds."""
    width = column["width"]
    return _WORDS[width] if isinstance(width, str) else int(width or 0)


def _name_columns(columns: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the columns of names that have a width, with it."""
    for name, column in columns.items():
        if (name in NAMES or name.startswith(_WINNERS)) and (width := column_pixels(column)):
            yield name, width


def _short(frame: pd.DataFrame, columns: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the columns of names that have a width, with their names as they fit, by the full."""
    if len(frame):
        for name, width in _name_columns(columns):
            yield name, short_texts(map(str, frame[name].unique()), width)


def _look_up(short: Mapping[str, str], name: object) -> str:
    return short[str(name)]


def _needed_pixels(names: pd.Series) -> int:
    """Return the width of a column that shows names in full, as far as it may grow."""
    longest = max(map(text_pixels, map(str, names.unique())), default=0)
    return min(_WIDEST, math.ceil(longest) + _PADDING)
