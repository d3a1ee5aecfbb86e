"""Files for people: a text to read, and a CSV table that is filled in and read back.

The table is accepted or refused as a whole: every fault is listed with its row and column, and
nothing is stored unless all rows are right. Tables of votes are described here, those of rankings
in `arena.papers.essays.rankings`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar

from arena.boards.votes import CONFIDENCE
from arena.config.load import read_text
from arena.debates.transcript import shown_speech
from arena.errors import ConfigError, VotesRefused
from arena.people.sessions import BallotForm
from arena.people.voting import SubmittedVote, VotingSheet
from arena.text import guard_cell, plain, unguard_cell

_Rows = TypeVar("_Rows")
_Entry = TypeVar("_Entry")

#: The line between two debates, or two sheets, of a text to read.
RULE = "=" * 72


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of a filled table that is not empty.

    Attributes:
        where: file and number of the row, the head of messages: `votes.csv: row 3, `.
        cells: by column, without surrounding spaces.
    """

    where: str
    cells: Mapping[str, str]

    def cell(self, column: str) -> str:
        """Return the text of a cell; '' where the table lacks the column."""
        return self.cells.get(column, "")

    def fault(self, column: str, problem: str) -> str:
        """Word a fault of one cell: file, row, column, and the problem."""
        return f"{self.where}{column}: {problem}"


def format_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(guard_cell, row) for row in rows)
    return text.getvalue()


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write new files into a folder, which is made if need be.

    Raises:
        ConfigError: one of them exists already, or cannot be written.
    """
    existing = [name for name in files if (folder / name).exists()]
    if existing:
        raise ConfigError(f"{folder / existing[0]} already exists. Choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}.") from None


def read_table(
    file: Path, columns: Sequence[str], *, optional: Sequence[str] = (), encoding: str = ""
) -> list[TableRow]:
    """Return the rows of a table that are not empty, numbered as spreadsheets number them.

    Args:
        file: CSV, its columns separated by commas, semicolons or tabs, as Excel's "Unicode Text".
        encoding: what it is in without a byte order mark; '' for UTF-8.

    Raises:
        ConfigError: the file cannot be read, or has other columns.
    """
    text = read_text(file, encoding)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{file}: is not CSV: {error}.") from None
    header = [name.strip().lower() for name in lines[0]] if lines else []
    _check_columns(file, header, columns, optional)
    rows = ([unguard_cell(cell.strip()) for cell in line] for line in lines[1:])
    return [
        TableRow(
            where=f"{file.name}: row {number}, ",
            cells=dict(zip_longest(header, cells, fillvalue="")),
        )
        for number, cells in enumerate(rows, start=2)
        if any(cells)
    ]


def read_entries(
    places: Iterable[_Rows], read_entry: Callable[[_Rows], _Entry | None]
) -> tuple[list[_Entry], int]:
    """Return what people entered into a table, all of it or nothing, and how many left theirs out.

    Args:
        places: where an entry may stand: a row, or several rows that belong together.
        read_entry: reads the entry at one place; `None` where the place was left empty.

    Raises:
        VotesRefused: with the faults of all entries, as `read_entry` raises it for each.
    """
    entries: list[_Entry] = []
    faults: list[str] = []
    empty = 0
    for rows in places:
        try:
            entry = read_entry(rows)
        except VotesRefused as refused:
            faults += refused.faults
            continue
        if entry is None:
            empty += 1
        else:
            entries.append(entry)
    if faults:
        raise VotesRefused(faults)
    return entries, empty


def _check_columns(
    file: Path, header: Sequence[str], columns: Sequence[str], optional: Sequence[str]
) -> None:
    missing = [name for name in columns if name not in header and name not in optional]
    unknown = [name for name in header if name not in columns]
    repeated = sorted({name for name in header if header.count(name) > 1})
    accepted = ", ".join(columns)
    spare = f" (of which {', '.join(optional)} may be missing)" if optional else ""
    if not header:
        raise ConfigError(f"{file}: is empty. Its first row names the columns: {accepted}.")
    for fault, names in (("missing", missing), ("repeated", repeated), ("unknown", unknown)):
        if names:
            raise ConfigError(
                f"{file}: {fault} column {', '.join(map(repr, names))}. The table has: "
                f"{', '.join(header)}. Accepted: {accepted}{spare}."
            )


#: The columns of a table that may be missing, or be empty.
_OPTIONAL = ("confidence", "comment", "seconds")


def format_vote_table(sheets: Iterable[VotingSheet], form: BallotForm, *, voter: str = "") -> str:
    """Return a CSV table to fill in: a row per debate, with empty columns for the choices."""
    empty = [""] * (len(form.fields) + len(_OPTIONAL))
    return format_table(columns(form), ([sheet.debate_id, voter, *empty] for sheet in sheets))


def columns(form: BallotForm) -> list[str]:
    """Return the columns of a table."""
    return ["debate", "voter", *form.names, *_OPTIONAL]


def format_debates(sheets: Sequence[VotingSheet], form: BallotForm) -> str:
    """Return debates as plain text, without names, below instructions on how to vote."""
    low, high = CONFIDENCE
    head = (
        f"To judge: {len(sheets)}. {form.instructions}"
        f"and, if you like, your confidence ({low}, a guess, to {high}, certain), a comment, and\n"
        "the seconds that it took. The column voter holds your pseudonym. If you do not judge a\n"
        "debate, leave its row empty.\n"
    )
    return head + "".join(f"{line}\n" for sheet in sheets for line in _debate_lines(sheet))


def read_votes(
    file: Path, form: BallotForm, *, encoding: str = ""
) -> tuple[list[SubmittedVote], int]:
    """Return the votes of a filled table, and the number of its rows without a vote."""
    rows = read_table(file, columns(form), optional=_OPTIONAL, encoding=encoding)
    return read_entries(rows, partial(_read_vote, form=form))


def _read_vote(row: TableRow, form: BallotForm) -> SubmittedVote | None:
    """Return the vote of a row; `None` where no choice is filled in."""
    cells = {entry.name: row.cell(entry.name).lower() for entry in form.fields}
    if not any(cells.values()):
        return None
    faults = [
        row.fault(entry.name, f"{row.cell(entry.name)!r} is not one of {', '.join(entry.choices)}")
        for entry in form.fields
        if cells[entry.name] not in entry.choices
    ]
    numbers: dict[str, float | None] = {}
    for name in ("confidence", "seconds"):
        cell = row.cell(name)
        try:
            numbers[name] = float(cell) if cell else None
        except ValueError:
            faults.append(row.fault(name, f"{cell!r} is not a number"))
    if faults:
        raise VotesRefused(faults)
    outcomes, marks = form.decide(
        {entry.name: entry.choices[cells[entry.name]] for entry in form.fields}
    )
    return SubmittedVote(
        debate_id=row.cell("debate"),
        voter=row.cell("voter"),
        outcomes=outcomes,
        marks=marks,
        confidence=numbers["confidence"],
        comment=row.cell("comment"),
        seconds=numbers["seconds"] or 0.0,
        where=row.where,
    )


def _debate_lines(sheet: VotingSheet) -> Iterator[str]:
    spoken = sheet.language
    yield f"\n{RULE}\ndebate {sheet.debate_id}\n{RULE}\n"
    yield plain(sheet.task)
    if sheet.info_slide:
        yield plain(sheet.info_slide)
    for speech in sheet.speeches:
        words = [spoken.sides[speech.side]]
        words += [spoken.stages[speech.stage]] if speech.stage != "answer" else []
        yield f"\n-- debate {sheet.debate_id}: {', '.join(words)} --\n"
        text, references = shown_speech(speech, spoken)
        yield plain(text)
        if references:
            yield f"\n{spoken.terms['references']}:"
        for reference in references:
            yield f"  {plain(reference)}"
