"""Debates that a selection leaves out, counted so that no board shrinks without saying so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.boards.comparisons import Scope, Selection
from arena.store.database import Store
from arena.text import counted

#: Counts imported battles without a time; their participants cannot leave the tournament.
_BATTLES: Final = """
    SELECT count(*) AS timeless, 0 AS gone, CAST([] AS TEXT[]) AS names
    FROM battles
    WHERE tournament = $tournament AND finished_at IS NULL
      AND $category IN ('all', category) AND $language IN ('all', language)
      AND NOT list_contains(CAST($without AS TEXT[]), voter)
"""
_DEBATES: Final = """
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id
    ), finished AS (
        SELECT d.debate_id, d.pro, d.con, d.finished_at,
               d.pro IN (FROM seats) AND d.con IN (FROM seats) AS seated
        FROM debates d
        JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
        WHERE d.tournament = $tournament AND d.status = 'finished'
          AND $category IN ('all', m.category) AND $language IN ('all', d.language)
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
           ) AS names
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncounted:
    """Finished debates or imported battles that do not count on a board.

    Attributes:
        timeless: the number without a time, where a window of time is selected.
        gone: the number of those whose participants are not in the tournament any more.
        names: the names of these participants. A name that is still in the tournament belonged to
            a participant with other settings.
        said: a sentence for each of the two numbers that is not 0, without the full stop.
    """

    timeless: int = 0
    gone: int = 0
    names: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def uncounted(store: Store, selection: Selection, scope: Scope) -> Uncounted:
    """Count the debates that a selection leaves out; its bench and dimension play no part.

    Args:
        store: holds the debates.
        selection: of the tournament's debates.
        scope: the participants that count.
    """
    parameters: dict[str, Any] = {
        "tournament": selection.tournament,
        "category": selection.category,
        "language": selection.language,
    }
    window = {"since": selection.since, "until": selection.until}
    if not scope.imported:
        (row,) = store.rows(_DEBATES, parameters | window | {"ids": list(scope.participants)})
    elif selection.window:
        (row,) = store.rows(_BATTLES, parameters | {"without": list(selection.without)})
    else:
        return Uncounted()
    timeless = int(row["timeless"]) if selection.window else 0
    gone, names = int(row["gone"]), tuple(sorted(row["names"]))
    listed = [f"{name} (with other settings)" if name in scope.names else name for name in names]
    noun = "battle" if scope.imported else "debate"
    sentences = (_format_timeless(timeless, noun, selection), _format_gone(gone, listed))
    return Uncounted(timeless=timeless, gone=gone, names=names, said=tuple(filter(None, sentences)))


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


def _do(number: int) -> str:
    return "does" if number == 1 else "do"
