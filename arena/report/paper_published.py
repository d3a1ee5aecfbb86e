"""The Agent4Debate paper's own figures behind our tables of the same number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from arena.console.tables import Table
from arena.report.published import published_tables

_PAPER = "agent4debate"
#: The numbers that a title of ours names, as in `(Tables 3, 4)`; not those that it only resembles.
_NUMBERS = re.compile(r"\(Tables? ([\d, ]+)\)")


def with_published(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables, each published one behind the first of ours that has its number."""
    left = dict(published_tables(_PAPER))
    for table in tables:
        yield table
        match = _NUMBERS.search(table.title)
        for number in match[1].split(", ") if match else ():
            published = left.pop(f"T{number}", None)
            if published is not None:
                yield published.as_table()
