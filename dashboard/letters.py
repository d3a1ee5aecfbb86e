"""The width of names in the cells of tables, and names that are shortened to fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from arena.report.short_names import shorten_names

#: Columns of names that users choose, of participants and of models.
NAMES: Final = frozenset({"participant", "opponent", "pro", "con", "won_by", "name", "model"})
#: How the columns begin that name winners.
_WINNERS: Final = "won "
#: Columns that are headed by the name of a participant.
_HEADED: Final = ("first", "second")
#: Pixels of letters of Source Sans at 14 pixels, rounded up; of all others, and of wide scripts.
_PIXELS: Final = {
    **dict.fromkeys("ijl.,:;'|! ", 4.0),
    **dict.fromkeys("frt()[]-/", 5.2),
    **dict.fromkeys("mwMW@%…", 12.0),
}
_USUAL, _CAPITAL, _WIDE = 7.7, 9.2, 14.0
#: Left and right of a cell's text together.
_PADDING = 17
#: Widths that a column has by a word.
_WORDS: Final = {"small": 75, "medium": 200, "large": 400}


def fit_names(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table in which names that do not fit into their columns are shortened.

    Args:
        frame: what the table shows.
        columns: the configuration of its columns; those without a width fit whatever they hold.
    """
    widths = {name: column_pixels(columns[name]) for name in columns if _has_names(name)}
    short = {
        name: frame[name].map(short_texts(map(str, frame[name].unique()), width))
        for name, width in widths.items()
        if width and len(frame)
    }
    return frame.assign(**short)


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

    Args:
        names: of one column.
        pixels: the width of a cell.
    """
    return shorten_names(names, pixels - _PADDING, width=text_pixels)


def text_pixels(text: str) -> float:
    """Return how wide a text is in a cell, at most, in pixels."""
    return sum(map(_letter_pixels, text))


def column_pixels(column: Mapping[str, Any]) -> int:
    """Return the width of a column in pixels; 0 where it depends on what the column holds."""
    width = column["width"]
    return _WORDS.get(width, 0) if isinstance(width, str) else int(width or 0)


def _has_names(column: str) -> bool:
    return column in NAMES or column.startswith(_WINNERS)


def _letter_pixels(letter: str) -> float:
    if letter in _PIXELS:
        return _PIXELS[letter]
    if unicodedata.east_asian_width(letter) in "WF":
        return _WIDE
    return _CAPITAL if letter.isupper() else _USUAL
