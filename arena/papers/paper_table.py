"""A table of a paper: its columns, measures with intervals, notes, and the published rows beside.

Every table of the papers is declared once as a `PaperTable` and filled with a tournament's rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, TypeVar

from arena.output.tables import Column, Table, tabulate

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable(Generic[_Row]):
    """The layout of a table of a paper.

    Attributes:
        title: with facts of the tournament in braces, as in "{bench}-Elo".
        columns: that every tournament has.
        cell: returns a row's cell under a key that only the tournament knows, such as a category,
            a dimension or an agent; each key has a column behind `columns`.
        last: columns behind those.
        group: returns the group of rows that a row belongs to; groups stand together.
        published: the paper's own row at the end of a group.
        notes: below the table, with facts in braces; one that comes out empty is left out.
        empty: the only note where there is no row; by default the same notes.
    """

    title: str = "{title}"
    columns: tuple[Column[_Row], ...]
    cell: Callable[[_Row, str], str] | None = None
    last: tuple[Column[_Row], ...] = ()
    group: Callable[[_Row], str] = lambda row: ""
    published: Mapping[str, _Row] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    empty: str = ""

    def fill(
        self,
        rows: Iterable[_Row],
        *,
        keys: Iterable[str] = (),
        further: Iterable[str] = (),
        **facts: object,
    ) -> Table:
        """Return the table of these rows.

        Args:
            rows: in their order, groups together.
            keys: what `cell` is asked for.
            further: notes below its own, where there are rows.
            facts: what the title and the notes name in braces.
        """
        own = list(rows)
        keyed = (Column(head=key, read=partial(self._cell, key=key)) for key in keys)
        notes = [
            note.format(**facts)
            for note in (self.notes if own or not self.empty else (self.empty,))
        ]
        table = tabulate(
            [*self.columns, *keyed, *self.last],
            self._with_published(own),
            title=self.title.format(**facts),
            notes=filter(None, [*notes, *(further if own else ())]),
        )
        return replace(table, records=tuple(own))

    def _cell(self, row: _Row, *, key: str) -> str:
        return self.cell(row, key) if self.cell else ""

    def _with_published(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        for group, members in groupby(rows, key=self.group):
            yield from members
            if group in self.published:
                yield self.published[group]


def name(key: str, head: str = "", style: str | Callable[[Any], str] = "") -> Column[Any]:
    """Return a column that names the row by one of its fields."""
    return Column(head=head or key, key=key, read=attrgetter(key), style=style, label=True)


def measure(
    key: str, style: str = "", *, head: str = "", optional: bool = False, digits: int | None = None
) -> Column[Any]:
    """Return a column of a field of the rows, with a dash where it is NaN.

    Args:
        style: as Python formats a number.
        head: by default the key.
        optional: whether it is left out where all are NaN.
        digits: as in `Column`.
    """
    read = attrgetter(key)
    return Column(
        head=head or key,
        key=key,
        read=read,
        style=partial(format_known, style=style),
        digits=digits,
        shown=(lambda rows: is_known(map(read, rows))) if optional else None,
    )


def interval(style: str, *, digits: int | None = None) -> tuple[Column[Any], ...]:
    """Return a column of an interval, and its two ends for programs."""

    def text(row: Any) -> str:  # noqa: ANN401 - a record with these ends
        return "-" if math.isnan(row.lower) else f"{row.lower:{style}} to {row.upper:{style}}"

    ends = (Column(key=end, read=attrgetter(end), digits=digits) for end in ("lower", "upper"))
    return Column(head="95 % interval", read=text), *ends


def is_known(values: Iterable[float]) -> bool:
    """Return whether any of these values is known, that is, not NaN."""
    return not all(map(math.isnan, values))


def format_known(value: float, style: str) -> str:
    """Format a number, and NaN as a dash."""
    return "-" if math.isnan(value) else format(value, style)
