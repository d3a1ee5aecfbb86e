"""Where reports are written, by request and at the end of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.errors import SIGNALLED, ConfigError
from arena.report.overview.changes import memory_file, remember
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.whole_files import write_whole
from arena.text import as_sentence
from arena.tournament.event_lines import one_line
from arena.tournament.run_record import log_event, read_state

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig


def report_file(db: Path) -> Path:
    """Return the file beside a database into which reports are written by default."""
    return db.with_name(f"{db.name}.report.html")


def write_report(
    store: Store, resolved: ResolvedConfig, path: Path, *, since: datetime | None = None
) -> list[str]:
    """Write a report, remember what it says for the next one, and return notes for the user.

    It compares with a date or, by default, with the last report.

    Raises:
        ConfigError: the file cannot be written, or is the database.
        StoreError: the database cannot be read.
    """
    _check_file(store.path, path)
    with store.one_state():  # its numbers fit together, also while a run goes on
        report = make_report(store, resolved, at=datetime.now(UTC), since=since)
    page = write_page(report)
    try:
        write_whole(path, page)
    except OSError as error:
        raise ConfigError(
            f"{path}: the report cannot be written ({error.strerror}). Name another file with -o."
        ) from None
    try:
        remember(store.path, resolved.name, report.state)
    except OSError as error:
        return [
            f"{memory_file(store.path)} cannot be written ({error.strerror}), so the next report "
            "will not compare with this one."
        ]
    return []


def write_report_after_run(store: Store, resolved: ResolvedConfig, *, log: bool = False) -> None:
    """Write the report of a run beside its database, and print where it is.

    Nothing that goes wrong here fails the run: it becomes a note.
    """
    path = report_file(store.path)
    again = command_line("report", db=store.path, tournament=resolved.name)
    try:
        # Not the run's own store: that one waits without end for a file that is in use.
        notes = write_report(Store(store.path), resolved, path)
    except Exception as error:  # noqa: BLE001 - the run has ended well, whatever this is
        reason = as_sentence(one_line(str(error)) or type(error).__name__)
        click.echo(f"The report was not written: {reason} Try again with: {again}")
        return
    click.echo(f"Report: {path}")
    if log:
        log_event(store.path, "report", text=path.name)
    for note in notes:
        click.echo(note)


@contextmanager
def report_at_the_end(
    store: Store, resolved: ResolvedConfig, *, wanted: bool, log: bool = False
) -> Iterator[None]:
    """Write the report of a run when the block has ended, unless a signal ended it.

    A run that is incomplete, that was cut off because its time was over, or that an error ended,
    exits with a code of its own after the report.
    """
    try:
        yield
    except SystemExit as end:
        if wanted and isinstance(end.code, int) and end.code < SIGNALLED:
            write_report_after_run(store, resolved, log=log)
        raise
    except Exception:
        if wanted and _has_played(store.path):
            write_report_after_run(store, resolved, log=log)
        raise
    if wanted:
        write_report_after_run(store, resolved, log=log)


def _has_played(db: Path) -> bool:
    """Return whether this process has played: an error may have ended it before."""
    state = read_state(db)
    return state is not None and state.process == os.getpid() and bool(state.figures)


def _check_file(db: Path, path: Path) -> None:
    """Check that a report does not replace what belongs to its database."""
    reserved = {db.resolve(), memory_file(db).resolve()}
    if path.resolve() in reserved:
        raise ConfigError(f"{path}: the report would replace it. Name another file with -o.")
