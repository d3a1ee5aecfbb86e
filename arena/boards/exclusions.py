"""Debates and ballots that a selection leaves out, counted: no board shrinks in silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.boards.selection import Scope, Selection
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted

#: Counts imported battles without a time; their participants cannot leave the tournament.
_BATTLES: Final = """
    SELECT count(*) AS timeless, 0 AS gone, CAST([] AS TEXT[]) AS names,
           0 AS erred, CAST([] AS TEXT[]) AS erring, 0 AS ballots
    FROM battles
    WHERE tournament = $tournament AND finished_at IS NULL
      AND $category IN ('all', category) AND $language IN ('all', language)
      AND NOT list_contains(CAST($without AS TEXT[]), voter)
"""
_DEBATES: Final = """
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id
    ), chosen AS (
        SELECT d.debate_id, d.pro, d.con, d.status, d.erred, d.finished_at,
               d.pro IN (FROM seats) AND d.con IN (FROM seats) AS seated
        FROM debates d
        JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
        WHERE d.tournament = $tournament
          AND $category IN ('all', m.category) AND $language IN ('all', d.language)
    ), finished AS (
        SELECT * FROM chosen WHERE status = 'finished'
    ), erred AS (
        SELECT * FROM chosen WHERE status = 'error' AND seated
    ), unseated AS (
        SELECT * FROM finished
        WHERE NOT seated AND ($since IS NULL OR finished_at >= $since)
          AND ($until IS NULL OR finished_at < $until)
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
    """Count the debates and ballots that a selection leaves out; its dimension plays no part.

    Args:
        selection: of the tournament's debates.
    """
    parameters: dict[str, Any] = {
        "tournament": selection.tournament,
        "category": selection.category,
        "language": selection.language,
    }
    window = {"since": selection.since, "until": selection.until}
    if not scope.imported:
        parameters |= window | {"ids": list(scope.participants), "bench": selection.bench}
        (row,) = store.rows(_DEBATES, parameters)
    elif selection.window:
        (row,) = store.rows(_BATTLES, parameters | {"without": list(selection.without)})
    else:
        return Uncounted()
    timeless = int(row["timeless"]) if selection.window else 0
    gone, names = int(row["gone"]), tuple(sorted(row["names"]))
    listed = [f"{name} (with other settings)" if name in scope.names else name for name in names]
    noun = "battle" if scope.imported else "debate"
    erred, erring, ballots = int(row["erred"]), tuple(sorted(row["erring"])), int(row["ballots"])
    sentences = (
        _format_timeless(timeless, noun, selection),
        _format_gone(gone, listed),
        _format_erred(counted(erred, "debate"), f"the code of {', '.join(erring)}") * bool(erred),
        _format_erred(counted(ballots, "ballot"), "the judge's code") * bool(ballots),
    )
    return Uncounted(
        timeless=timeless,
        gone=gone,
        names=names,
        erred=erred,
        erring=erring,
        erred_ballots=ballots,
        said=tuple(filter(None, sentences)),
    )


def _format_timeless(number: int, noun: str, selection: Selection) -> str:
    if not number:
        return ""
    many = f"{counted(number, noun)} without a time {_do(number)} not count"
    return f"{many}: only those {' and '.join(selection.window)} do"


def _format_gone(number: int, names: Sequence[str]) -> str:
    if not number:
        return ""
    many = f"{counted(number, 'finished debate')} {_do(number)} not count"
    verb = "is" if len(names) == 1 else "are"
    return f"{many}: {', '.join(names)} {verb} not in the tournament any more"


def _format_erred(units: str, code: str) -> str:
    return f"{units} ended in an error in {code} and will be repeated"


def _do(number: int) -> str:
    return "does" if number == 1 else "do"
