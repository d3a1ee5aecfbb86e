"""Votes as files: a table to fill in with the debates to read beside it, and tables read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from arena.debates.transcript import render_reference
from arena.errors import ConfigError, VotesRefused
from arena.people.votes import CONFIDENCE, Vote
from arena.people.voting import VotingSheet
from arena.text import plain

#: What a table has beside a column for each dimension. Those that may be missing, or be empty:
_OPTIONAL = ("confidence", "comment", "seconds")
#: Between two debates, or sheets.
RULE = "=" * 72


def table(sheets: Iterable[VotingSheet], dimensions: Sequence[str], *, voter: str = "") -> str:
    """A CSV table to fill in: a row per debate; the columns of its choices are empty."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(columns(dimensions))
    for sheet in sheets:
        writer.writerow([sheet.debate_id, voter] + [""] * (len(dimensions) + len(_OPTIONAL)))
    return made.getvalue()


def columns(dimensions: Sequence[str]) -> list[str]:
    """The columns of a table, `overall` before the dimensions that it is made of."""
    ordered = sorted(dimensions, key=lambda name: name != "overall")
    return ["debate", "voter", *ordered, *_OPTIONAL]


def reading(sheets: Sequence[VotingSheet], dimensions: Sequence[str], words: Sequence[str]) -> str:
    """The debates as plain text, blind, under a head that says how to vote."""
    asked = ", ".join(columns(dimensions)[2 : 2 + len(dimensions)])
    low, high = CONFIDENCE
    head = (
        f"To judge: {len(sheets)}. You are told the sides and not who speaks. Both carry an equal\n"
        "burden of proof: judge what stands here, not what you hold true.\n\n"
        f"In the table beside this text, write into each of the columns\n  {asked}\none of\n"
        f"  {', '.join(words)}\n"
        f"and, if you like, your confidence ({low}, a guess, to {high}, certain), a comment, and "
        "the\nseconds that it took. The column voter holds your pseudonym. Leave the row of a\n"
        "debate that you do not judge empty.\n"
    )
    return head + "".join(map(_told, sheets))


def read_votes(
    file: Path, dimensions: Sequence[str], words: Mapping[str, float]
) -> tuple[list[Vote], int]:
    """The votes of a filled-in table, and how many of its rows have none.

    Args:
        file: CSV, in UTF-8, its columns apart by commas or semicolons.
        dimensions: those that are asked for.
        words: of the choices, with the outcome for each.

    Raises:
        VotesRefused: values that are none of those accepted, with row and column.
        ConfigError: the file cannot be read, or lacks a column.
    """
    rows = read_table(file, columns(dimensions), optional=_OPTIONAL)
    votes: list[Vote] = []
    faults: list[str] = []
    empty = 0
    for number, row in rows:
        if not any(row.get(name) for name in dimensions):
            empty += 1
            continue
        where = f"{file.name}: row {number}, "
        try:
            votes.append(_vote(row, where, dimensions, words))
        except VotesRefused as refused:
            faults += refused.faults
    if faults:
        raise VotesRefused(faults)
    return votes, empty


def read_table(
    file: Path, known: Sequence[str], *, optional: Sequence[str]
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a table that are not empty, each by its number, counted as spreadsheets do.

    Args:
        file: CSV, in UTF-8, its columns apart by commas or semicolons.
        known: the columns that it has.
        optional: those that may be missing.

    Raises:
        ConfigError: the file cannot be read, or has other columns.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{file}: cannot be read: {reason}.") from None
    first = text.partition("\n")[0]
    mark = ";" if first.count(";") > first.count(",") else ","
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=mark, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{file}: is not CSV: {error}.") from None
    header = [name.strip().lower() for name in lines[0]] if lines else []
    _check_columns(file, header, known, optional)
    return [
        (number, dict(zip_longest(header, (cell.strip() for cell in line), fillvalue="")))
        for number, line in enumerate(lines[1:], start=2)
        if any(cell.strip() for cell in line)
    ]


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts into a folder, by name; it is made where it is not there.

    Raises:
        ConfigError: one of them exists, or they cannot be written.
    """
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise ConfigError(f"{folder / there[0]} exists already. Name another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}.") from None


def _check_columns(
    file: Path, header: Sequence[str], known: Sequence[str], optional: Sequence[str]
) -> None:
    missing = [name for name in known if name not in header and name not in optional]
    unknown = [name for name in header if name not in known]
    twice = sorted({name for name in header if header.count(name) > 1})
    spare = f" (of which {', '.join(optional)} may be missing)" if optional else ""
    if not header:
        raise ConfigError(f"{file}: is empty. Its first row names the columns: {', '.join(known)}.")
    for what, named in (("lacks", missing), ("has twice", twice), ("has unknown", unknown)):
        if named:
            raise ConfigError(
                f"{file}: the table {what} the column {', '.join(map(repr, named))}. It has: "
                f"{', '.join(header)}. Accepted: {', '.join(known)}{spare}."
            )


def _vote(
    row: Mapping[str, str], where: str, dimensions: Sequence[str], words: Mapping[str, float]
) -> Vote:
    faults = [
        f"{where}{name}: {row.get(name, '')!r} is none of {', '.join(words)}"
        for name in dimensions
        if row.get(name, "").lower() not in words
    ]
    numbers: dict[str, float | None] = {}
    for name in ("confidence", "seconds"):
        try:
            numbers[name] = float(row[name]) if row.get(name) else None
        except ValueError:
            faults.append(f"{where}{name}: {row[name]!r} is no number")
    if faults:
        raise VotesRefused(faults)
    return Vote(
        debate_id=row["debate"],
        voter=row["voter"],
        outcomes={name: words[row[name].lower()] for name in dimensions},
        confidence=numbers["confidence"],
        comment=row.get("comment", ""),
        seconds=numbers["seconds"] or 0.0,
        where=where,
    )


def _told(sheet: VotingSheet) -> str:
    return "".join(f"{line}\n" for line in _lines(sheet))


def _lines(sheet: VotingSheet) -> Iterator[str]:
    spoken = sheet.language
    yield f"\n{RULE}\ndebate {sheet.debate_id}\n{RULE}\n"
    yield plain(sheet.task)
    if sheet.info_slide:
        yield plain(sheet.info_slide)
    for speech in sheet.speeches:
        words = [spoken.sides[speech.side]]
        words += [spoken.stages[speech.stage]] if speech.stage != "answer" else []
        yield f"\n-- debate {sheet.debate_id}: {', '.join(words)} --\n"
        yield plain(speech.text)
        if speech.references:
            yield f"\n{spoken.terms['references']}:"
        for reference in speech.references:
            yield f"  {plain(render_reference(reference, spoken))}"
