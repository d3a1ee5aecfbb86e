"""Tables as pieces of HTML that need nothing else: everything escaped, nothing loaded or run."""

from __future__ import annotations

from html import escape
from typing import Final

from arena.output.tables import Table
from arena.text import plain

#: Of the colours of the pages those that suit light and dark notebooks alike, without a theme.
_TABLE: Final = "border-collapse: collapse; font-variant-numeric: tabular-nums"
_CELL: Final = "padding: 0.15rem 0.6rem; border-bottom: 1px solid rgba(128, 128, 128, 0.3)"
_HEAD: Final = f"{_CELL}; border-bottom: 2px solid #0072b2; vertical-align: bottom"


def as_html(table: Table, *, most: int = 50, picture: str = "") -> str:
    """Write a table with its title, lead and notes.

    Args:
        picture: HTML that stands in the place of the rows, all of them.
        most: rows that are written; how many more there are is said below them.
    """
    parts = [f"<b>{_text(table.title)}</b>"] if table.title else []
    parts += [f"<p>{_text(table.lead)}</p>"] if table.lead else []
    if picture:
        parts.append(picture)
    elif table.rows:
        head = "".join(_cell("th", _HEAD, table, *cell) for cell in enumerate(table.head))
        rows = (
            "".join(_cell("td", _CELL, table, *cell) for cell in enumerate(row))
            for row in table.rows[:most]
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        parts.append(
            f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        )
    left_out = 0 if picture else len(table.rows) - most
    notes = [*([f"and {left_out:,} more rows"] if left_out > 0 else []), *table.notes]
    parts += [f'<p style="opacity: 0.75; margin: 0.2rem 0">{_text(note)}</p>' for note in notes]
    return f"<div>{''.join(parts)}</div>"


def _cell(tag: str, style: str, table: Table, column: int, text: str) -> str:
    side = "left" if table.aligned_left(column) else "right"
    return f'<{tag} style="{style}; text-align: {side}">{_text(text)}</{tag}>'


def _text(text: str) -> str:
    return escape(plain(text))
