"""Tables: columns declared once, written as terminal text, Markdown, CSV and JSON.

A report declares its columns (`Column`). `tabulate` fills a `Table` from them, which `as_text` and
`as_markdown` write for people, `as_csv` and `as_records` for programs.
"""

from __future__ import annotations

import csv
import html
import io
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_type_hints

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from arena.text import guard_cell, plain

_Row = TypeVar("_Row")

#: Width, in cells, of a terminal at its default size.
NARROW = 80

_GAP = "  "
#: A column is never made narrower than this by wrapping, in cells: about three words.
_NARROWEST = 18
#: The same where the labels leave less.
_LEAST = 8
#: A command line at the end of a note.
_COMMAND = re.compile(r"(?<=: )arena [a-z].*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column(Generic[_Row]):
    """One column: how its cells are read from a row, shown to people and passed to programs.

    Attributes:
        read: returns the cell's value for a row.
        head: heading for people; None leaves the column to programs.
        style: how people see the value: a format specification such as ".2f", or a function from
            the value to its text.
        key: name for programs; None leaves the column to people.
        digits: decimals of a number for programs, where NaN (unknown) becomes None; by default
            the value is passed on as it is.
        label: whether the column names the row; labels come first.
        left: whether cells are aligned left; by default only labels are.
        wraps: whether a long cell continues on the next line of a terminal.
        shown: whether the column has something to show for these rows.
    """

    read: Callable[[_Row], Any]
    head: str | None = None
    style: str | Callable[[Any], str] = ""
    key: str | None = None
    digits: int | None = None
    label: bool = False
    left: bool | None = None
    wraps: bool = False
    shown: Callable[[Sequence[_Row]], bool] | None = None

    def text(self, row: _Row) -> str:
        """Return the cell of a row as people see it."""
        value = self.read(row)
        return format(value, self.style) if isinstance(self.style, str) else self.style(value)

    def value(self, row: _Row) -> Any:  # noqa: ANN401 - whatever the column holds
        """Return the cell of a row as programs get it."""
        value = self.read(row)
        if self.digits is None or not isinstance(value, float):
            return value
        return None if math.isnan(value) else round(value, self.digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of texts.

    Attributes:
        title: stands above it; "" for none.
        lead: what it shows, in a sentence between the title and the head; "" for none.
        labels: how many of the first columns name the row.
        left: for each column, whether it is aligned left; () aligns the labels left.
        wraps: for each column, whether a long cell continues on the next line; () for none.
        columns: that it was made from, those for programs alone included; () for a table of texts.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    notes: tuple[str, ...] = ()
    left: tuple[bool, ...] = ()
    wraps: tuple[bool, ...] = ()
    columns: tuple[Column[Any], ...] = ()
    records: tuple[Any, ...] = ()
    lead: str = ""

    def aligned_left(self, column: int) -> bool:
        """Return whether a column is aligned left."""
        return self.left[column] if self.left else column < self.labels


def tabulate(
    columns: Iterable[Column[_Row]],
    rows: Iterable[_Row],
    *,
    title: str = "",
    lead: str = "",
    notes: Iterable[str] = (),
) -> Table:
    """Fill a table from records.

    >>> columns = [
    ...     Column(head="participant", read=lambda row: row["name"], label=True),
    ...     Column(head="Elo", read=lambda row: row["elo"], style=".0f"),
    ... ]
    >>> tabulate(columns, [{"name": "ann", "elo": 1012.3}]).rows
    (('ann', '1012'),)

    Args:
        columns: declared once; people see those with a heading that have something to show.
    """
    columns, rows = tuple(columns), tuple(rows)
    shown = [
        column
        for column in columns
        if column.head is not None and (column.shown is None or column.shown(rows))
    ]
    return Table(
        title=title,
        lead=lead,
        head=tuple(column.head or "" for column in shown),
        rows=tuple(tuple(column.text(row) for column in shown) for row in rows),
        labels=sum(column.label for column in shown),
        notes=tuple(notes),
        left=tuple(column.label if column.left is None else column.left for column in shown),
        wraps=tuple(column.wraps for column in shown),
        columns=columns,
        records=rows,
    )


def field_columns(record: type[Any]) -> tuple[Column[Any], ...]:
    """Return the columns of a record whose fields are marked by `Heading`, in their order.

    Programs get every field by its name. The first column that people see names the row; numbers
    with a format are aligned right.
    """
    # The module is named so that functions in a `Heading` find what they call.
    own = vars(sys.modules[record.__module__])
    hints = get_type_hints(record, localns=own, include_extras=True)
    columns: list[Column[Any]] = [Column(key=field, read=attrgetter(field)) for field in hints]
    marked = [
        (field, heading)
        for field, hint in hints.items()
        for heading in getattr(hint, "__metadata__", ())
    ]
    columns += [
        Column(
            head=heading.text,
            read=heading.read or attrgetter(field),
            style=heading.style,
            label=not number,
            left=not heading.style or callable(heading.style),
        )
        for number, (field, heading) in enumerate(marked)
    ]
    return tuple(columns)


def as_records(table: Table) -> list[dict[str, Any]]:
    """Return the values of each row by the keys that programs know their columns by."""
    keyed = {column.key: column for column in table.columns if column.key is not None}
    return [{key: column.value(row) for key, column in keyed.items()} for row in table.records]


def as_csv(table: Table) -> str:
    """Write the values of all rows as CSV under a line of keys; None becomes an empty cell.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    keyed = [column for column in table.columns if column.key is not None]
    lines = [[column.key for column in keyed]]
    lines += [[column.value(row) for column in keyed] for row in table.records]
    csv.writer(text, lineterminator="\n").writerows(
        [guard_cell(cell) if isinstance(cell, str) else cell for cell in line] for line in lines
    )
    return text.getvalue()


def as_text(table: Table, *, width: int = NARROW) -> str:
    """Write a table in aligned columns.

    A table that is too wide first folds the columns that may wrap; if that is not enough, the
    remaining columns continue in further blocks below, each with the labels repeated.

    Args:
        width: of a line, in cells of a terminal.
    """
    lines = [table.title, ""] if table.title else []
    lines += [*_wrap_note(table.lead, width), ""] if table.lead else []
    table = _shorten_labels(table, width)
    if table.rows or not (table.title or table.notes):
        blocks = [_format_block(table, block) for block in _split(table, width)]
        lines += "\n\n".join(blocks).splitlines()
        lines.append("")
    lines += [line for note in table.notes for line in _wrap_note(note, width)]
    return "\n".join(lines).rstrip() + "\n"


def as_markdown(table: Table, *, level: int = 0) -> str:
    """Write a table in GitHub's Markdown.

    Args:
        level: of the heading that its title becomes; 0 for a bold line.
    """
    title = escape_markdown(table.title)
    lines = [f"{'#' * level} {title}" if level else f"**{title}**", ""] if title else []
    lines += [escape_markdown(table.lead), ""] if table.lead else []
    if table.rows:
        columns = range(len(table.head))
        rule = [":---" if table.aligned_left(column) else "---:" for column in columns]
        lines += [f"| {' | '.join(map(escape_markdown, table.head))} |", f"| {' | '.join(rule)} |"]
        lines += [f"| {' | '.join(map(escape_markdown, row))} |" for row in table.rows]
        lines.append("")
    return (
        "\n".join([*lines, *(f"{escape_markdown(note)}\n" for note in table.notes)]).rstrip() + "\n"
    )


def _shorten_labels(table: Table, width: int) -> Table:
    """Return a table whose labels fit into half of a line each, and can still be told apart."""
    if all(cell_len(cell) <= width // 2 for row in table.rows for cell in row[: table.labels]):
        return table
    from arena.output.short_names import shorten_names  # noqa: PLC0415 - few tables need it

    columns = list(zip(*table.rows, strict=True))
    for place, cells in enumerate(columns[: table.labels]):
        short = shorten_names(cells, width // 2, width=cell_len)
        columns[place] = tuple(short[cell] for cell in cells)
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def _column_widths(table: Table, width: int) -> tuple[list[int], list[int]]:
    """Return the width of each column at least, and with room enough.

    Names are shortened, numbers never: a label takes at most half of a line, and all other cells
    are as wide as they need to be, but for those that may wrap. Headings wrap.
    """
    widths = []
    for column, texts in enumerate(zip(table.head, *table.rows, strict=True)):
        cap = width // 2 if column < table.labels else math.inf
        head, *cells = (int(min(cell_len(text), cap)) for text in texts)
        widths.append((head, max(cells, default=0)))
    most = [max(pair) for pair in widths]
    room = width - sum(most[: table.labels]) - len(_GAP) * table.labels
    narrowest = min(_NARROWEST, max(room, _LEAST))
    wraps = table.wraps or (False,) * len(most)
    least = [
        max(min(head, narrowest), min(own, narrowest) if is_wrapped else own)
        for (head, own), is_wrapped in zip(widths, wraps, strict=True)
    ]
    return least, most


def _split(table: Table, width: int) -> list[dict[int, int]]:
    """Return the columns of each block with their widths.

    Each has the labels, and as many other columns as fit beside them at their least; what room is
    left goes to the columns that wrap.
    """
    least, most = _column_widths(table, width)
    labels = {column: least[column] for column in range(table.labels)}
    blocks: list[dict[int, int]] = []
    for column in range(table.labels, len(table.head)):
        if not blocks or _block_width({**blocks[-1], column: least[column]}) > width:
            blocks.append({**labels})
        blocks[-1][column] = least[column]
    blocks = blocks or [labels]
    for block in blocks:
        while (growing := [k for k in block if block[k] < most[k]]) and _block_width(block) < width:
            block[min(growing, key=lambda column: block[column])] += 1
    return blocks


def _block_width(block: Mapping[int, int]) -> int:
    return sum(block.values()) + len(_GAP) * (len(block) - 1)


def _format_block(table: Table, block: Mapping[int, int]) -> str:
    lines = []
    for number, row in enumerate((table.head, *table.rows)):
        folded = [
            _fold(row[column], width, wraps=not number or bool(table.wraps and table.wraps[column]))
            for column, width in block.items()
        ]
        for cells in zip_longest(*folded, fillvalue=""):
            aligned = (
                _align(cell, width, left=table.aligned_left(column))
                for (column, width), cell in zip(block.items(), cells, strict=True)
            )
            lines.append(_GAP.join(aligned).rstrip())
    return "\n".join(lines)


def _fold(cell: str, width: int, *, wraps: bool) -> list[str]:
    """Return the lines of a cell: one, unless it is too wide and may wrap."""
    if cell_len(cell) <= width or not wraps:
        return [cell]
    return [line.plain.rstrip() for line in Text(cell).wrap(_folding_console(), width)]


@cache
def _folding_console() -> Console:
    """Return the console that `Text.wrap` asks for; nothing is printed on it."""
    return Console(file=io.StringIO())


def _wrap_note(note: str, width: int) -> list[str]:
    """Return the lines of a note; the command that ends one is not broken, so it can be copied."""
    command = _COMMAND.search(note)
    if command is None or len(note) <= width:
        return textwrap.wrap(note, width)
    return [*textwrap.wrap(note[: command.start()], width), command.group()]


def _align(text: str, width: int, *, left: bool) -> str:
    if (cells := cell_len(text)) > width:
        return set_cell_size(text, width - 1) + "…"
    blank = " " * (width - cells)
    return text + blank if left else blank + text


#: What Markdown reads as markup within a line, beginnings of bare links included.
_MARKUP = re.compile(r"[\\`*\[\]|~$]|#(?= )|\b_|_\b|(?<=:)//|(?<=www)\.", re.IGNORECASE)


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown, and the HTML in it, shows as it is, in one line.

    >>> escape_markdown("<b> ![x](http://y)")
    '&lt;b&gt; !\\[x\\](http:\\//y)'
    """
    return _MARKUP.sub(r"\\\g<0>", html.escape(" ".join(plain(text).split()), quote=False))
