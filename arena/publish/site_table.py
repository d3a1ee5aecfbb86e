"""A table of a site: on a page with links, and beside it as JSON and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arena.output.formats import as_json
from arena.output.tables import Column, Table, as_csv, as_records

#: From a row of a table to the address that a cell leads to; '' for none.
Link = Callable[[Any], str]
#: What columns of money have in their names.
_MONEY: Final = ("usd", "up to")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCell:
    """A cell of a table on a page.

    Attributes:
        head: of its column, which narrow pages show beside it.
    """

    text: str
    href: str
    head: str
    left: bool
    words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTable:
    """A table with what its cells lead to.

    Attributes:
        name: of the files beside it, '' for none.
        links: by the heading of a column.
        choices: headings of columns whose values a reader may choose from.
        about: further content of the JSON file.
        content: the JSON file where it is not made from the table.
    """

    table: Table
    name: str = ""
    links: Mapping[str, Link] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""

    def rows(self) -> Iterator[list[SiteCell]]:
        """Yield the cells of each row."""
        table = self.table
        for record, row in zip(table.records, table.rows, strict=True):
            yield [
                SiteCell(
                    text=text,
                    href=link(record) if text and (link := self.links.get(head)) else "",
                    head=head,
                    left=table.aligned_left(column),
                    words=bool(table.wraps and table.wraps[column]),
                )
                for column, (head, text) in enumerate(zip(table.head, row, strict=True))
            ]

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files beside it: address and content."""
        if not self.name:
            return
        about = {**self.about, "title": self.table.title, "rows": as_records(self.table)}
        content = self.content or f"{as_json(about)}\n"
        yield f"data/{self.name}.json", content.encode()
        yield f"data/{self.name}.csv", as_csv(self.table).encode()


def without_money(columns: Iterable[Column[Any]]) -> list[Column[Any]]:
    """Return columns without those of costs."""
    return [
        column
        for column in columns
        if not any(word in f"{column.key} {column.head}".lower() for word in _MONEY)
    ]


def drop_keys(content: Any, words: tuple[str, ...] = ("usd", "cost")) -> Any:  # noqa: ANN401 - JSON
    """Return JSON without the keys that have a word in them."""
    if isinstance(content, Mapping):
        return {
            key: drop_keys(value, words)
            for key, value in content.items()
            if not any(word in key for word in words)
        }
    return [drop_keys(item, words) for item in content] if isinstance(content, list) else content
