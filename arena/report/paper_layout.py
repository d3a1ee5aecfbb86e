"""The layout of a paper's table, and how it is filled with the rows of a tournament."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Generic, TypeVar

from arena.console.tables import Column, Table, tabulate

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable(Generic[_Row]):
    """The layout of a table of the paper.

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

    title: str
    columns: tuple[Column[_Row], ...]
    cell: Callable[[_Row, str], str] | None = None
    last: tuple[Column[_Row], ...] = ()
    group: Callable[[_Row], str] = lambda row: ""
    published: Mapping[str, _Row] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    empty: str = ""

    def fill(self, rows: Iterable[_Row], *, keys: Iterable[str] = (), **facts: object) -> Table:
        """Return the table of these rows.

        Args:
            rows: in their order, groups together.
            keys: what `cell` is asked for.
            facts: what the title and the notes name in braces.
        """
        own = list(rows)
        keyed = (Column(head=key, read=partial(self._cell, key=key)) for key in keys)
        notes = self.notes if own or not self.empty else (self.empty,)
        return tabulate(
            [*self.columns, *keyed, *self.last],
            self._with_published(own),
            title=self.title.format(**facts),
            notes=filter(None, (note.format(**facts) for note in notes)),
        )

    def _cell(self, row: _Row, *, key: str) -> str:
        return self.cell(row, key) if self.cell else ""

    def _with_published(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        for group, members in groupby(rows, key=self.group):
            yield from members
            if group in self.published:
                yield self.published[group]
