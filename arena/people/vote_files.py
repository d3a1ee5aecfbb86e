"""Votes as files: debates to read, a table to fill in, and the votes read from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from arena.debates.transcript import shown_speech
from arena.errors import VotesRefused
from arena.people.ballot_forms import BallotForm
from arena.people.sheet_files import RULE, TableRow, format_table, read_entries, read_table
from arena.people.votes import CONFIDENCE, Vote
from arena.people.voting import VotingSheet
from arena.text import plain

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
    """Return debates as plain text, without names, below instructions on how to vote.

    Args:
        sheets: the debates.
        form: what voters fill in.
    """
    low, high = CONFIDENCE
    head = (
        f"To judge: {len(sheets)}. {form.instructions}"
        f"and, if you like, your confidence ({low}, a guess, to {high}, certain), a comment, and\n"
        "the seconds that it took. The column voter holds your pseudonym. If you do not judge a\n"
        "debate, leave its row empty.\n"
    )
    return head + "".join(f"{line}\n" for sheet in sheets for line in _debate_lines(sheet))


def read_votes(file: Path, form: BallotForm) -> tuple[list[Vote], int]:
    """Return the votes of a filled table, and the number of its rows without a vote.

    Args:
        file: CSV, in UTF-8, its columns separated by commas or semicolons.
        form: what voters fill in.

    Raises:
        VotesRefused: a cell holds what is not accepted; every fault is listed.
        ConfigError: the file cannot be read, or has other columns.
    """
    rows = read_table(file, columns(form), optional=_OPTIONAL)
    return read_entries(rows, partial(_read_vote, form=form))


def _read_vote(row: TableRow, form: BallotForm) -> Vote | None:
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
    return Vote(
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
