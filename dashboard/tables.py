"""Tables of the pages: readable at every width, opened by a click, and with a download."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.column_config import NumberColumn

from arena.output.formats import as_json
from arena.output.tables import Table
from arena.text import guard_cell, plain
from dashboard.letters import HOW_TO_READ, fit_columns, fit_heads, shorten_display

if TYPE_CHECKING:
    from streamlit.elements.arrow import DataframeState

#: Files that hold what a page shows: what a button says ("CSV"), the file's name, and a function
#: that makes its content, which is called by a click.
Files: TypeAlias = Mapping[str, tuple[str, Callable[[], str | bytes]]]

ROW_PIXELS = 35
#: A row of two lines: Streamlit wraps texts in rows of more than 64 pixels. Each further line.
_TWO_LINES_PIXELS, _LINE_PIXELS = 65, 20
#: A table with more rows scrolls within itself.
MOST_ROWS = 25
_TILE_PIXELS = 168
#: A table whose columns are no wider than this together does not fill the page.
_COMPACT_PIXELS = 520
#: The first column of a table whose rows open something: the arrow keys walk down in it.
_RANK, _NUMBER = "rank", "number"
_NUMBERED = NumberColumn("No.", width=44)
_KEYS = "The down arrow goes from row to row; the right arrow opens a row."


def show_tiles(tiles: Iterable[tuple[str, str, str]]) -> None:
    """Show main numbers side by side, two of them on a phone.

    Args:
        tiles: name, value and explanation of each; '' for no explanation.
    """
    with st.container(horizontal=True, gap="small", key="tiles"):
        for name, value, more in tiles:
            st.metric(literal(name), value, help=more or None, border=True, width=_TILE_PIXELS)


def literal(name: str) -> str:
    r"""Return untrusted words so that nothing in them is read as Markdown.

    Screen readers hear the backslashes of some elements, so a colon before a space has none. An
    address would become a link, so an invisible character stands in it (U+2060).

    >>> literal("Ballots: of all :red[debates]")
    'Ballots: of all \\:red\\[debates\\]'
    """
    unlinked = re.sub("(?i)https?:|www|@", "\\g<0>\u2060", plain(name))
    return re.sub(r"[\\`*_{}\[\]()#+\-.!|~$<>]|:(?=\S)", r"\\\g<0>", unlinked)


def show_table(  # noqa: PLR0913 - all that one call shows
    frame: pd.DataFrame,
    columns: Mapping[str, Any],
    *,
    key: str,
    narrow: Mapping[str, int] | None = None,
    alt: str = "",
    opens: bool = False,
    lines: int = 1,
    files: Files | None = None,
) -> int | None:
    """Show a table and its files, and return the number of the row that was clicked.

    With the keyboard, a cell is chosen as soon as it is reached. So the first column of a wide
    table opens nothing: a rank, or a number that is put there.

    Args:
        columns: the configuration of each column that is shown, in their order.
        narrow: the columns that a phone shows first, with their widths in pixels; by default the
            table is the same at all widths.
        alt: what the table shows, for a screen reader.
        lines: of text that fit into a row; on a phone, one more where there are several.
    """
    shown = frame[list(columns)]
    shown = shown.assign(**_map_texts(shown.select_dtypes(["object", "string"]), plain))
    columns = fit_columns(shown, columns)
    with st.container(key=f"wide-{key}"):
        clicked = _show_wide(shown, columns, key, alt, opens=opens, lines=lines)
    if narrow:
        order = [*narrow, *(name for name in columns if name not in narrow)]
        configured = {name: columns[name] for name in order}
        configured |= {name: {**columns[name], "width": width} for name, width in narrow.items()}
        with st.container(key=f"narrow-{key}"):
            touched = _show(
                shown[order],
                configured,
                f"{key}-narrow",
                alt,
                opens=opens,
                lines=lines + (lines > 1),
            )
        if clicked is None and touched:
            clicked = touched[0]
    if files:
        show_downloads(files, key=key)
    return clicked


def clicked_row(key: str) -> int | None:
    """Return the row of a table that the viewer has just clicked, before it is shown again."""
    for name in (key, f"{key}-narrow"):
        event = st.session_state.get(name)
        cells = cast("DataframeState", event)["selection"]["cells"] if event else ()
        if cells and (name != key or str(cells[0][1]) not in (_RANK, _NUMBER)):
            return int(cells[0][0])
    return None


def show_downloads(files: Files, *, key: str) -> None:
    """Show a button for each file that holds what a page shows."""
    kinds = {
        "csv": "text/csv",
        "json": "application/json",
        "md": "text/markdown",
        "png": "image/png",
        "svg": "image/svg+xml",
    }
    with st.container(horizontal=True, gap="small", key=f"downloads-{key}"):
        for words, (name, content) in files.items():
            st.download_button(
                words,
                content,
                file_name=name,
                mime=kinds[name.rpartition(".")[2]],
                key=f"download-{key}-{words}",
                icon=":material/download:",
                on_click="ignore",
                type="tertiary",
            )


def named_files(*parts: str, **contents: Callable[[], str]) -> Files:
    """Return the files that `show_downloads` takes.

    Args:
        contents: by what a button says, which is the ending of the file's name as well.
    """
    return {
        words: (file_name(*parts, ending=words.lower()), content)
        for words, content in contents.items()
    }


def table_files(frame: pd.DataFrame, *parts: str) -> Files:
    """Return a table as CSV and JSON; arguments as `named_files`."""
    return named_files(*parts, CSV=lambda: frame_csv(frame), JSON=lambda: frame_json(frame))


def table_frame(table: Table) -> pd.DataFrame:
    """Return a table for people as a frame; of columns with one head, each has a number of its own.

    >>> table_frame(Table(title="", head=("a", "a"), rows=(("x", "y"),))).to_dict("records")
    [{'a': 'x', 'a 2': 'y'}]
    """
    before = [table.head[: place + 1].count(head) for place, head in enumerate(table.head)]
    heads = [
        f"{head} {number}" if number > 1 else head
        for head, number in zip(table.head, before, strict=True)
    ]
    return pd.DataFrame(list(table.rows), columns=heads)


def frame_csv(frame: pd.DataFrame) -> str:
    """Write a table as CSV; what a spreadsheet would take for a formula gets an apostrophe."""
    guarded = _map_texts(frame.astype(object), guard_cell).rename(columns=guard_cell)
    return guarded.to_csv(index=False, lineterminator="\n")


def frame_json(frame: pd.DataFrame) -> str:
    """Write a table as a JSON list with an object per row; what is not known is null."""
    known = frame.astype(object).where(frame.notna(), None)
    return as_json(known.to_dict("records")) + "\n"


def file_name(*parts: str, ending: str) -> str:
    """Return a file name of untrusted parts: letters, digits, `-` and `_` alone.

    >>> file_name("my board", "../x", ending="csv")
    'my-board-x.csv'
    """
    kept = ("".join(c if c.isalnum() or c in "-_" else "-" for c in part) for part in parts)
    name = "-".join(filter(None, (part.strip("-") for part in kept)))
    return f"{name[:80] or 'table'}.{ending}"


def _show_wide(  # noqa: PLR0913 - as show_table
    frame: pd.DataFrame, columns: Mapping[str, Any], key: str, alt: str, *, opens: bool, lines: int
) -> int | None:
    """Show a table as a wide window does; returns the row that was clicked."""
    if not opens:
        _show(frame, columns, key, alt, opens=False, lines=lines)
        return None
    if _RANK not in frame:
        columns = {_NUMBER: _NUMBERED, **columns}
        frame = frame.assign(**{_NUMBER: range(1, len(frame) + 1)})[list(columns)]
    cell = _show(frame, columns, key, f"{alt}. {_KEYS}", opens=True, lines=lines)
    return cell[0] if cell and cell[1] != next(iter(columns)) else None


def _show(  # noqa: PLR0913 - as show_table
    frame: pd.DataFrame, columns: Mapping[str, Any], key: str, alt: str, *, opens: bool, lines: int
) -> tuple[int, str] | None:
    """Show a table; returns the row and the column of the cell that was clicked."""
    shown = shorten_display(frame, columns)
    row_pixels = ROW_PIXELS if lines == 1 else _TWO_LINES_PIXELS + _LINE_PIXELS * (lines - 2)
    event = st.dataframe(
        shown,
        width="content" if _is_compact(columns) else "stretch",
        hide_index=True,
        column_config=fit_heads(columns),
        placeholder="–",
        height=ROW_PIXELS + row_pixels * min(len(frame), MOST_ROWS * ROW_PIXELS // row_pixels) + 2,
        row_height=row_pixels,
        on_select="rerun" if opens else "ignore",
        selection_mode="single-cell",
        key=key,
        alt=alt or None,
    )
    if not opens and isinstance(shown, Styler):
        st.caption(HOW_TO_READ)
    cells = cast("DataframeState", event)["selection"]["cells"] if opens else ()
    row, column = (int(cells[0][0]), str(cells[0][1])) if cells else (len(frame), "")
    return (row, column) if row < len(frame) else None


def _is_compact(columns: Mapping[str, Any]) -> bool:
    """Return whether a table would be stretched so far that its rows are hard to follow."""
    widths = [column["width"] for column in columns.values()]
    return all(isinstance(width, int) for width in widths) and sum(widths) <= _COMPACT_PIXELS


def _map_texts(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    return frame.map(lambda value: change(value) if isinstance(value, str) else value)
