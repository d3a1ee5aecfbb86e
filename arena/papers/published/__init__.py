"""Figures that papers have published, as data with their source: one TOML file per paper.

They are never ours: every table that shows them marks them with `MARK` and names the source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from arena.output.tables import Table

#: What marks a published figure wherever it stands among ours.
MARK = "published"
#: A text, or a number with the digits that the paper prints.
Cell: TypeAlias = str | int | Decimal

_FILES = files("arena.papers.published")
_ENDING = ".toml"


class PublishedTable(BaseModel):
    """One table of a paper, as published.

    Attributes:
        id: as the paper numbers it, such as `T1`.
        title: what it shows, in our own words.
        source: authors, year, arXiv id and table.
        note: what a reader must know beside it; empty for nothing.
        columns: names; the first column names the row.
        rows: (rows, columns) cells.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    id: str = Field(min_length=1)
    title: str = Field(min_length=1)
    source: str = Field(min_length=1)
    note: str = ""
    columns: tuple[str, ...] = Field(min_length=2)
    rows: tuple[tuple[Cell, ...], ...] = Field(min_length=1)

    @field_validator("rows", mode="before")
    @classmethod
    def _check_cells(cls, rows: object) -> object:
        """Keep pydantic from turning a cell into another type: TOML's own are the right ones."""
        for row in rows if isinstance(rows, list) else ():
            for cell in row:
                if isinstance(cell, bool) or not isinstance(cell, str | int | Decimal):
                    raise ValueError(f"{cell!r} is neither a text nor a number")
        return rows

    @model_validator(mode="after")
    def _check_widths(self) -> PublishedTable:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} has {len(row)} cells for {len(self.columns)} columns")
        return self

    def numbers(self, name: str) -> dict[str, float]:
        """Return a column's numbers by the first cell of their row, without its texts."""
        place = self.columns.index(name)
        return {
            str(row[0]): float(row[place]) for row in self.rows if not isinstance(row[place], str)
        }

    def marked_rows(self) -> tuple[tuple[str, ...], ...]:
        """Return the rows as texts whose first cell says that they are published."""
        return tuple((f"{MARK}: {label}", *map(str, cells)) for label, *cells in self.rows)

    def as_table(self) -> Table:
        """Return the table as published, marked as such, to print beside ours."""
        return Table(
            title=f"{self.title} ({MARK}, not measured here)",
            head=self.columns,
            rows=tuple(tuple(map(str, row)) for row in self.rows),
            notes=tuple(filter(None, (f"{MARK}: {self.source}.", self.note))),
        )

    def as_record(self) -> dict[str, Any]:
        """Return the table for JSON, with numbers as numbers."""
        rows = [
            [float(cell) if isinstance(cell, Decimal) else cell for cell in row]
            for row in self.rows
        ]
        return {**self.model_dump(exclude={"rows"}, mode="json"), "rows": rows}


class _PublishedPaper(BaseModel):
    """One paper's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    table: tuple[PublishedTable, ...] = Field(min_length=1)


def published_papers() -> list[str]:
    """Return the names of the papers that have published figures here."""
    names = (file.name for file in _FILES.iterdir())
    return sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING))


@cache
def published_tables(paper: str) -> Mapping[str, PublishedTable]:
    """Return a paper's tables by their ids, in the file's order.

    Raises:
        ValueError: the file has another form, or an id occurs twice; it is part of the program.
    """
    text = (_FILES / f"{paper}{_ENDING}").read_text("utf-8")
    tables = _PublishedPaper.model_validate(tomllib.loads(text, parse_float=Decimal)).table
    by_id = {table.id: table for table in tables}
    if len(by_id) < len(tables):
        raise ValueError(f"{paper}{_ENDING}: an id occurs twice")
    return by_id


def published_table(paper: str, table: str) -> PublishedTable:
    """Return one table of a paper.

    >>> published_table("more_samre", "T1").numbers("MORE")["GPT-4o"]
    0.87
    """
    return published_tables(paper)[table]
