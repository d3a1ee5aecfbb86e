"""Debates and ballots that a selection leaves out, counted: no board shrinks in silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.boards.selection import DEBATES, IN_WINDOW, OF_KIND, Scope, Selection
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

#: Counts imported battles without a time; their participants cannot leave the tournament.
_BATTLES: Final = f"""
    SELECT count(*) AS timeless, 0 AS gone, CAST([] AS TEXT[]) AS names,
           0 AS erred, CAST([] AS TEXT[]) AS erring, 0 AS ballots
    FROM battles
    WHERE {OF_KIND} AND finished_at IS NULL
      AND NOT list_contains(CAST($without AS TEXT[]), voter)
"""
_DEBATES: Final = f"""
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id
    ), chosen AS (
        SELECT debates.*, pro IN (FROM seats) AND con IN (FROM seats) AS seated
        FROM {DEBATES} WHERE {OF_KIND}
    ), finished AS (
        SELECT * FROM chosen WHERE status = 'finished'
    ), erred AS (
        SELECT * FROM chosen WHERE status = 'error' AND seated
    ), unseated AS (
        SELECT * FROM finished WHERE NOT seated AND {IN_WINDOW}
    )
    SELECT (SELECT count(*) FROM finished WHERE seated AND finished_at IS NULL) AS timeless,
           (SELECT count(*) FROM unseated) AS gone,
           (SELECT coalesce(list(DISTINCT name), []) FROM participants
            WHERE tournament = $tournament AND participant_id NOT IN (FROM seats)
              AND participant_id IN (SELECT pro FROM unseated UNION ALL SELECT con FROM unseated)
           ) AS names,
           (SELECT count(*) FROM erred) AS erred,
           (SELECT coalesce(list(DISTINCT name), []) FROM participants
            WHERE tournament = $tournament AND participant_id IN (
                SELECT pro FROM erred WHERE erred.erred IN ('pro', 'both') UNION ALL
                SELECT con FROM erred WHERE erred.erred IN ('con', 'both'))
           ) AS erring,
           (SELECT count(*) FROM finished JOIN ballots b USING (debate_id)
            WHERE seated AND b.status = 'error' AND $bench IN ('all', b.bench)) AS ballots
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """Debates, ballots or imported battles that do not count on a board.

    Attributes:
        timeless: the number without a time, where a window of time is selected.
        gone: the number of those whose participants are not in the tournament any more.
        names: the names of these participants. A name that is still in the tournament belonged to
            a participant with other settings.
        erred: the number of debates that ended in an error of a participant's code.
        erred_ballots: the number of the bench's ballots that ended in an error of the judge's code.
        said: a sentence for each of the numbers that is not 0, without the full stop.
    """

    timeless: int = 0
    gone: int = 0
    names: tuple[str, ...] = ()
    erred: int = 0
    erring: tuple[str, ...] = ()
    erred_ballots: int = 0
    said: tuple[str, ...] = ()

    def lines(self, db: Path, tournament: str) -> Iterator[str]:
        """Yield the sentences as lines, and the command that repeats what ended in an error."""
        yield from (f"{sentence}." for sentence in self.said)
        if self.erred or self.erred_ballots:
            yield f"Repeat what ended in an error with: {command_line('resume', tournament, db=db)}"


def uncounted(store: Store, selection: Selection, scope: Scope) -> Uncounted:
    """Count the debates and ballots that a selection leaves out; its dimension plays no part."""
    parameters = selection.parameters
    if not scope.imported:
        parameters |= {"ids": list(scope.participants), "bench": selection.bench}
        (row,) = store.rows(_DEBATES, parameters)
    elif selection.window:
        del parameters["since"], parameters["until"]
        (row,) = store.rows(_BATTLES, parameters | {"without": list(selection.without)})
    else:
        return Uncounted()
    uncounted = Uncounted(
        timeless=row["timeless"] if selection.window else 0,
        gone=row["gone"],
        names=tuple(sorted(row["names"])),
        erred=row["erred"],
        erring=tuple(sorted(row["erring"])),
        erred_ballots=row["ballots"],
    )
    return replace(uncounted, said=tuple(_format_uncounted(uncounted, selection, scope)))


def _format_uncounted(uncounted: Uncounted, selection: Selection, scope: Scope) -> Iterator[str]:
    if number := uncounted.timeless:
        many = counted(number, "battle" if scope.imported else "debate")
        window = " and ".join(selection.window)
        yield f"{many} without a time {_do(number)} not count: only those {window} do"
    if number := uncounted.gone:
        names = [
            f"{name} (with other settings)" if name in scope.names else name
            for name in uncounted.names
        ]
        are = "is" if len(names) == 1 else "are"
        yield (
            f"{counted(number, 'finished debate')} {_do(number)} not count: {', '.join(names)} "
            f"{are} not in the tournament any more"
        )
    for number, unit, code in (
        (uncounted.erred, "debate", f"the code of {', '.join(uncounted.erring)}"),
        (uncounted.erred_ballots, "ballot", "the judge's code"),
    ):
        if number:
            yield f"{counted(number, unit)} ended in an error in {code} and will be repeated"


def _do(number: int) -> str:
    return "does" if number == 1 else "do"
