"""Tables as text: one record, written aligned for a terminal or as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

#: A terminal that nobody has widened.
NARROW = 80

_GAP = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of texts.

    Attributes:
        title: what it shows.
        head: names of the columns.
        rows: cells, as many as there are columns.
        labels: how many of the first columns name the row; they stand left, the rest right.
        notes: sentences below it.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1
    notes: tuple[str, ...] = ()


def as_text(table: Table, *, width: int = NARROW) -> str:
    """Write a table in aligned columns; one that is too wide goes on below, with its labels.

    Args:
        table: what to write.
        width: of a line, in cells of a terminal.
    """
    lines = [table.title, ""]
    if table.rows:
        widths = _widths(table, width)
        blocks = [_block(table, widths, columns) for columns in _blocks(table, widths, width)]
        lines += "\n\n".join(blocks).splitlines()
        lines.append("")
    lines += [line for note in table.notes for line in textwrap.wrap(note, width)]
    return "\n".join(lines).rstrip() + "\n"


def as_markdown(table: Table, *, level: int = 0) -> str:
    """Write a table in GitHub's Markdown.

    Args:
        table: what to write.
        level: of the heading that its title becomes; 0 for a bold line.
    """
    title = _escaped(table.title)
    lines = [f"{'#' * level} {title}" if level else f"**{title}**", ""]
    if table.rows:
        rule = [":---" if k < table.labels else "---:" for k in range(len(table.head))]
        lines += [f"| {' | '.join(map(_escaped, table.head))} |", f"| {' | '.join(rule)} |"]
        lines += [f"| {' | '.join(map(_escaped, row))} |" for row in table.rows]
        lines.append("")
    return "\n".join([*lines, *(f"{_escaped(note)}\n" for note in table.notes)]).rstrip() + "\n"


def _widths(table: Table, width: int) -> list[int]:
    """Of each column; a label takes at most half of a line."""
    widths = [max(map(cell_len, column)) for column in zip(table.head, *table.rows, strict=True)]
    return [min(w, width // 2) if k < table.labels else w for k, w in enumerate(widths)]


def _blocks(table: Table, widths: Sequence[int], width: int) -> list[list[int]]:
    """The columns that fit beside the labels, in as many blocks as it takes."""
    labels = list(range(table.labels))
    taken = sum(widths[: table.labels]) + len(_GAP) * max(0, table.labels - 1)
    blocks: list[list[int]] = []
    room = 0
    for column in range(table.labels, len(table.head)):
        needed = len(_GAP) + widths[column]
        if not blocks or needed > room:
            blocks.append([*labels])
            room = width - taken
        blocks[-1].append(column)
        room -= needed
    return blocks or [labels]


def _block(table: Table, widths: Sequence[int], columns: Sequence[int]) -> str:
    lines = (
        _GAP.join(_cell(row[k], widths[k], left=k < table.labels) for k in columns).rstrip()
        for row in (table.head, *table.rows)
    )
    return "\n".join(lines)


def _cell(text: str, width: int, *, left: bool) -> str:
    if (long := cell_len(text)) > width:
        return set_cell_size(text, width - 1) + "…"
    blank = " " * (width - long)
    return text + blank if left else blank + text


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
