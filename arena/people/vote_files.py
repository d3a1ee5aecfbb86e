"""Votes as files: debates to read, a table to fill in, and the votes read from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from arena.debates.transcript import shown_speech
from arena.errors import VotesRefused
from arena.people.sheet_files import RULE, TableRow, format_table, read_entries, read_table
from arena.people.votes import CONFIDENCE, Vote
from arena.people.voting import VotingSheet
from arena.text import plain

#: The columns of a table that may be missing, or be empty.
_OPTIONAL = ("confidence", "comment", "seconds")


def format_vote_table(
    sheets: Iterable[VotingSheet], dimensions: Sequence[str], *, voter: str = ""
) -> str:
    """Return a CSV table to fill in: a row per debate, with empty columns for the choices."""
    empty = [""] * (len(dimensions) + len(_OPTIONAL))
    return format_table(columns(dimensions), ([sheet.debate_id, voter, *empty] for sheet in sheets))


def columns(dimensions: Sequence[str]) -> list[str]:
    """Return the columns of a table, `overall` before the dimensions that it sums up."""
    ordered = sorted(dimensions, key=lambda name: name != "overall")
    return ["debate", "voter", *ordered, *_OPTIONAL]


def format_debates(
    sheets: Sequence[VotingSheet], dimensions: Sequence[str], words: Sequence[str]
) -> str:
    """Return debates as plain text, without names, below instructions on how to vote.

    Args:
        sheets: the debates.
        dimensions: those that a vote decides.
        words: those of the choices.
    """
    asked = ", ".join(columns(dimensions)[2 : 2 + len(dimensions)])
    low, high = CONFIDENCE
    head = (
        f"To judge: {len(sheets)}. You see the sides, but not who speaks. Both sides carry an\n"
        "equal burden of proof: judge the text, not your own opinion.\n"
        "\n"
        "In the table next to this file, write into each of the columns\n"
        f"  {asked}\n"
        "one of\n"
        f"  {', '.join(words)}\n"
        f"and, if you like, your confidence ({low}, a guess, to {high}, certain), a comment, and\n"
        "the seconds that it took. The column voter holds your pseudonym. If you do not judge a\n"
        "debate, leave its row empty.\n"
    )
    return head + "".join(f"{line}\n" for sheet in sheets for line in _debate_lines(sheet))


def read_votes(
    file: Path, dimensions: Sequence[str], words: Mapping[str, float]
) -> tuple[list[Vote], int]:
    """Return the votes of a filled table, and the number of its rows without a vote.

    Args:
        file: CSV, in UTF-8, its columns separated by commas or semicolons.
        dimensions: those that a vote decides.
        words: those of the choices, with Pro's outcome for each.

    Raises:
        VotesRefused: a cell holds what is not accepted; every fault is listed.
        ConfigError: the file cannot be read, or has other columns.
    """
    rows = read_table(file, columns(dimensions), optional=_OPTIONAL)
    return read_entries(rows, partial(_read_vote, dimensions=dimensions, words=words))


def _read_vote(row: TableRow, dimensions: Sequence[str], words: Mapping[str, float]) -> Vote | None:
    """Return the vote of a row; `None` where no choice is filled in."""
    choices = {name: row.cell(name) for name in dimensions}
    if not any(choices.values()):
        return None
    faults = [
        row.fault(name, f"{choice!r} is not one of {', '.join(words)}")
        for name, choice in choices.items()
        if choice.lower() not in words
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
    return Vote(
        debate_id=row.cell("debate"),
        voter=row.cell("voter"),
        outcomes={name: words[choice.lower()] for name, choice in choices.items()},
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
