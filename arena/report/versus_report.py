"""Two participants of a stored tournament against each other, with all that is reported of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.boards.selecting import check_selection, scope
from arena.boards.selection import Selection
from arena.config.resolved import check_participants
from arena.errors import ConfigError
from arena.output.formats import titled
from arena.read.debates import read_debates
from arena.read.selected import Narrowing
from arena.report.pair_data import read_pair
from arena.report.versus import Versus, format_answer, versus, versus_content, versus_table
from arena.store.command_lines import command_line
from arena.text import counted

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.output.tables import Table
    from arena.store.database import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class VersusReport:
    """Two participants with the text around them.

    Attributes:
        db: the database, for the command in a note.
        missing: why no debate of the two is judged, and what to do; () where one is.
    """

    pair: Versus
    resolved: ResolvedConfig
    selection: Selection
    db: Path
    missing: tuple[str, ...]

    def table(self) -> Table:
        """Return a table with a row per dimension."""
        names = f"{self.pair.first} versus {self.pair.second}"
        about = (self.resolved.name, names, self.selection.judging, *self.selection.narrowing)
        table = versus_table(self.pair, title=titled(*about, caveat=self.resolved.caveat))
        name, notes = self.resolved.name, list(self.missing)
        if self.pair.debates and not self.resolved.joined:
            both = ("--participant", self.pair.first, "--opponent", self.pair.second)
            notes.append(
                f"Their debates: {command_line('debates', *both, db=self.db, tournament=name)}"
            )
        return replace(table, notes=(*table.notes, *notes))

    def content(self) -> dict[str, object]:
        """Return the comparison as JSON objects."""
        return versus_content(self.pair, self.resolved, self.selection)


def read_versus(
    store: Store, resolved: ResolvedConfig, selection: Selection, first: str, second: str
) -> VersusReport:
    """Compare two participants by the ballots of a selection, whatever its dimension.

    Raises:
        ConfigError: the tournament has nothing of what is selected, no such participant, or
            nothing that says which of the two is better.
    """
    _check_names(resolved, first, second)
    check_selection(store, resolved, selection)
    data = read_pair(store, selection, scope(resolved), first, second)
    pair = versus(data, first, second, seed=resolved.config.tournament.seed)
    missing = () if pair.debates else (_explain_missing(store, resolved, selection, pair),)
    if missing and pair.unknown:
        raise ConfigError(" ".join((format_answer(pair), *missing)))
    return VersusReport(
        pair=pair, resolved=resolved, selection=selection, db=store.path, missing=missing
    )


def _check_names(resolved: ResolvedConfig, first: str, second: str) -> None:
    known = check_participants(resolved, (first, second))
    if first == second:
        raise ConfigError(
            f"{first!r} was given twice, but a participant never meets itself. Name two of: "
            f"{', '.join(sorted(known))}."
        )


def _explain_missing(
    store: Store, resolved: ResolvedConfig, selected: Selection, pair: Versus
) -> str:
    """Explain why no debate of the two is judged, and what to do about it."""
    names = f"{pair.first} and {pair.second}"
    of_first = read_debates(
        store,
        Selection(tournament=resolved.name, bench="all"),
        Narrowing(participant=pair.first),
    )
    debates = [row for row in of_first if pair.second in (row.pro, row.con)]
    statuses = Counter(row.status for row in debates)
    planned = counted(len(debates), "debate")
    command = partial(command_line, db=store.path)
    if not debates:
        counts = command("matrix", "--counts", tournament=resolved.name)
        return f"{names} never meet in tournament {resolved.name!r}. Which pairs do: {counts}"
    if selected.narrowing:
        return (
            f"No debate of {names} that is judged in full by {selected.judging} fits "
            f"({', '.join(selected.narrowing)}). Choose another --category or --language, or "
            "leave them out."
        )
    if statuses["forfeit"] == len(debates):
        forfeits = command("debates", "--participant", pair.first, tournament=resolved.name)
        return f"All {planned} of {names} were forfeited. Which: {forfeits}"
    return (
        f"None of the {planned} of {names} has all its "
        f"ballots of {selected.judging} yet ({statuses['finished']} finished). Continue with: "
        f"{command('resume', resolved.name)}"
    )
