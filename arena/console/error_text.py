"""Errors of debaters' and judges' code as text: one line for all of a kind."""

from __future__ import annotations

from collections.abc import Iterator

from arena.debates.code_errors import CodeError
from arena.text import counted, plain
from arena.tournament.error_tally import ErrorTally


def format_errors(errors: ErrorTally) -> Iterator[str]:
    """Yield how many debates and ballots ended in an error, then a line for each kind of error."""
    counts = [(errors.debates, "debate"), (errors.ballots, "ballot")]
    listed = " and ".join(counted(number, noun) for number, noun in counts if number)
    yield f"{listed} ended in an error of a debater's or judge's code and will not be rated:"
    for group in errors.groups.values():
        noun = "debate" if group.first.side else "ballot"
        yield plain(
            f"  {format_owner(group.first)}, {counted(group.count, noun)}: {group.first.summary}"
        )


def format_owner(error: CodeError) -> str:
    """Format whose code raised an error: a participant or a bench, with its debater or judge."""
    return f"{error.owner} ({error.code})"
