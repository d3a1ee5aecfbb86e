"""Errors of debaters' and judges' code as text: one line for all of a kind."""

from __future__ import annotations

from collections.abc import Iterator

from arena.debates.code_errors import CodeError
from arena.text import counted, plain
from arena.tournament.error_tally import ErrorTally


def format_first_error(error: CodeError, unit: str) -> str:
    """Format the note on the first error of a kind; the others of its kind are only counted.

    Args:
        error: the error.
        unit: the debate or ballot that ended in it.
    """
    return plain(f"{unit} ended in an error in the code of {_format_owner(error)}: {error.summary}")


def format_errors(errors: ErrorTally) -> Iterator[str]:
    """Yield how many debates and ballots ended in an error, then a line for each kind of error."""
    counts = [(errors.debates, "debate"), (errors.ballots, "ballot")]
    listed = " and ".join(counted(number, noun) for number, noun in counts if number)
    yield f"{listed} ended in an error of a debater's or judge's code and will not be rated:"
    for group in errors.groups.values():
        noun = "debate" if group.first.side else "ballot"
        yield plain(
            f"  {_format_owner(group.first)}, {counted(group.count, noun)}: {group.first.summary}"
        )


def _format_owner(error: CodeError) -> str:
    return f"{error.owner} ({error.code})"
