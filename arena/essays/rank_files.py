"""Rankings as files: essays to read, a table of ranks to fill in, and the rankings read from it.

`arena.people.sheet_files` reads and refuses the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from arena.debates.transcript import render_reference
from arena.errors import VotesRefused
from arena.essays.rank_sheets import DIMENSION, RankSheet
from arena.essays.rankings import Ranking
from arena.people.sheet_files import RULE, TableRow, format_table, read_entries, read_table
from arena.text import counted, plain

_RANKED = (DIMENSION, "overall")
_COLUMNS = ("sheet", "essay", "voter", *_RANKED)


def format_rank_table(sheets: Sequence[RankSheet], *, voter: str = "") -> str:
    """Return a CSV table to fill in: a row per essay, with empty columns for its ranks."""
    return format_table(
        _COLUMNS,
        ([sheet.sheet_id, letter, voter, "", ""] for sheet in sheets for letter in sheet.essays),
    )


def format_essays(sheets: Sequence[RankSheet]) -> str:
    """Return essays as plain text, without names, below instructions on how to rank them."""
    head = (
        f"To rank: {counted(len(sheets), 'sheet')} of essays on one task each, without names.\n"
        "In the table next to this file, give every essay of a sheet a rank: 1 is the best, and\n"
        f"equal ranks are ties. Give ranks for {DIMENSION} and for overall quality.\n"
        "The column voter holds your pseudonym. If you do not rank a sheet, leave its rows empty.\n"
    )
    return head + "".join(f"{line}\n" for sheet in sheets for line in _sheet_lines(sheet))


def read_rankings(file: Path, sheets: Sequence[RankSheet]) -> tuple[list[Ranking], int]:
    """Return the rankings of a filled table, and the number of its sheets without a ranking.

    Raises:
        VotesRefused: a cell holds what is not accepted, or a ranking lacks an essay; every fault
            is listed.
        ConfigError: the file cannot be read, or has other columns.
    """
    groups: dict[tuple[str, str], list[TableRow]] = {}
    for row in read_table(file, _COLUMNS):
        groups.setdefault((row.cell("sheet"), row.cell("voter")), []).append(row)
    by_id = {sheet.sheet_id: sheet for sheet in sheets}
    return read_entries(groups.values(), partial(_read_ranking, sheets=by_id))


def _read_ranking(rows: Sequence[TableRow], sheets: Mapping[str, RankSheet]) -> Ranking | None:
    """Return one person's ranking of a sheet; `None` where no rank is filled in."""
    if not any(row.cell(name) for row in rows for name in _RANKED):
        return None
    if faults := list(_find_faults(rows, sheets)):
        raise VotesRefused(faults)
    first = rows[0]
    return Ranking(
        sheet_id=first.cell("sheet"),
        voter=first.cell("voter"),
        ranks={
            name: {row.cell("essay").upper(): float(row.cell(name)) for row in rows}
            for name in _RANKED
        },
        where=first.where,
    )


def _find_faults(rows: Sequence[TableRow], sheets: Mapping[str, RankSheet]) -> Iterator[str]:
    """Yield what is wrong with the rows of one ranking."""
    first = rows[0]
    sheet = sheets.get(first.cell("sheet"))
    if sheet is None:
        yield first.fault("sheet", f"there is no sheet {first.cell('sheet')!r}")
        return
    letters = list(sheet.essays)
    seen: set[str] = set()
    for row in rows:
        letter = row.cell("essay").upper()
        if letter not in letters or letter in seen:
            problem = "is listed twice" if letter in seen else f"is not one of {', '.join(letters)}"
            yield row.fault("essay", f"{row.cell('essay')!r} {problem}")
        seen.add(letter)
        yield from _find_rank_faults(row, last=len(letters))
    if missing := [letter for letter in letters if letter not in seen]:
        yield first.fault("essay", f"the ranking lacks {', '.join(missing)}")


def _find_rank_faults(row: TableRow, *, last: int) -> Iterator[str]:
    for name in _RANKED:
        rank = row.cell(name)
        if not (rank.isascii() and rank.isdigit() and int(rank) >= 1):
            yield row.fault(name, f"{rank!r} is not a rank; accepted: 1 (the best) to {last}")
        elif int(rank) > last:
            yield row.fault(name, f"{rank!r} is more than {last}, the last rank")


def _sheet_lines(sheet: RankSheet) -> Iterator[str]:
    yield f"\n{RULE}\nsheet {sheet.sheet_id}\n{RULE}\n\n{plain(sheet.task)}"
    for letter, essay in sheet.essays.items():
        yield f"\n-- sheet {sheet.sheet_id}: essay {letter} --\n\n{plain(essay.text)}"
        for reference in essay.references:
            yield f"  {plain(render_reference(reference, sheet.language))}"
