"""Whose debates a tournament has: how they ended, and what debates and ballots have cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.boards.selection import DEBATES, IN_WINDOW, OF_KIND, Selection
from arena.plugins import sees_calls
from arena.store.database import Store
from arena.text import counted

#: What a participant's mean cost counts, the same words wherever it is shown.
COST_NOTE: Final = "Cost and tokens are of a participant's side of a debate, without judging."
#: Whether a debate `d` is of participants with these ids. A participant that was removed from a
#: file, or whose model was corrected there, leaves its debates in the database.
PRESENT: Final = "(list_contains($ids, d.pro) AND list_contains($ids, d.con))"
_PARTICIPATION = f"""
    WITH selected AS (
        SELECT debates.* FROM {DEBATES} WHERE {OF_KIND} AND {IN_WINDOW}
    ), seats AS (
        SELECT *, 'pro' AS side, pro AS participant_id FROM selected
        UNION ALL
        SELECT *, 'con', con FROM selected
    ), costs AS (
        SELECT unit, split_part(path, '/', 1) AS side, sum(cost_usd - reserved_usd) AS usd,
               sum(reserved_usd) AS reserved, sum(input_tokens) AS input_tokens,
               sum(output_tokens) AS output_tokens, sum(seconds) AS seconds
        FROM calls GROUP BY ALL
    )
    SELECT p.name, p.debater,
           count(*) FILTER (status = 'finished') AS finished,
           count(*) FILTER (forfeited IN ('both', seats.side)) AS forfeits,
           count(*) FILTER (status = 'forfeit' AND forfeited NOT IN ('both', seats.side))
               AS awarded,
           coalesce(mode(regexp_replace(regexp_replace(
               reason, '^(pro|con|both), [^:]*: ', ''), '[a-z]+://[^ ]+', 'an address', 'g'
           )) FILTER (forfeited IN ('both', seats.side)), '') AS cause,
           coalesce(avg(costs.usd) FILTER (status = 'finished'), 0) AS usd,
           coalesce(avg(costs.reserved) FILTER (status = 'finished'), 0) AS reserved,
           count(*) FILTER (status IN ('finished', 'forfeit', 'void', 'error')) AS ended,
           count(*) FILTER (status = 'void') AS voids,
           count(*) FILTER (status = 'error' AND erred IN ('both', seats.side)) AS errors,
           count(*) FILTER (status = 'error') AS erred,
           coalesce(avg(costs.input_tokens) FILTER (status = 'finished'), 0) AS input_tokens,
           coalesce(avg(costs.output_tokens) FILTER (status = 'finished'), 0) AS output_tokens,
           coalesce(avg(costs.seconds) FILTER (status = 'finished'), 0) AS seconds,
           coalesce(stddev_samp(costs.usd) FILTER (status = 'finished')
                    / sqrt(count(costs.usd) FILTER (status = 'finished')), 0) AS usd_error,
           coalesce(stddev_samp(costs.input_tokens + costs.output_tokens)
                    FILTER (status = 'finished')
                    / sqrt(count(costs.input_tokens) FILTER (status = 'finished')), 0)
               AS tokens_error
    FROM seats
    JOIN participants p USING (tournament, participant_id)
    LEFT JOIN costs ON costs.unit = seats.debate_id AND costs.side = seats.side
    WHERE list_contains($ids, participant_id)
    GROUP BY p.name, p.debater
"""


def participation(store: Store, selection: Selection, ids: list[str]) -> dict[str, dict[str, Any]]:
    """Read the forfeits of each participant, and the mean cost of its side of a finished debate.

    Args:
        selection: of debates; its bench, dimension and left-out judges play no part.

    Returns:
        By name, a row with `forfeits`, `usd` and `reserved`: what was reserved beside the cost for
        answers that never arrived, whose bill is not known (both NaN where the debater's calls are
        not seen); further `ended`, `voids` and `errors` (numbers of debates), of its side of a
        finished debate the mean `input_tokens`, `output_tokens` and `seconds` of its calls with the
        standard errors `usd_error` and `tokens_error` (input and output together), and as `unrated`
        why nothing of it would be rated, if no verdict counts.
    """
    rows = store.rows(_PARTICIPATION, selection.parameters | {"ids": ids})
    unseen = {"usd": math.nan, "reserved": math.nan}
    return {
        row["name"]: row
        | {"unrated": explain_unrated(row)}
        | ({} if sees_calls(row["debater"]) else unseen)
        for row in rows
    }


_NO_DEBATE: Final = "no debate yet"
#: Characters of the reason of a forfeit that are shown.
_LONGEST: Final = 80


def explain_unrated(row: Mapping[str, Any]) -> str:
    """Explain why a participant of whose debates no verdict counts is not rated.

    Args:
        row: of `_PARTICIPATION`.
    """
    if row["finished"]:
        return f"no valid ballot on {counted(row['finished'], 'finished debate')}"
    return ", ".join(_count_lost(row)) or _NO_DEBATE


def no_participation(selection: Selection) -> dict[str, Any]:
    """Return the row of a participant of which a selection has no debate."""
    unrated = "no debate that fits" if selection.narrowing else _NO_DEBATE
    return {"forfeits": 0, "usd": 0.0, "reserved": 0.0, "unrated": unrated}


def _count_lost(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many debates came to no verdict, by what ended them."""
    cause = " ".join(row["cause"].split()).rstrip(".")
    cause = cause if len(cause) <= _LONGEST else f"{cause[: _LONGEST - 1]}…"
    for name, words in (
        ("forfeits", "forfeited" + f" ({cause})" * bool(cause)),
        ("awarded", "forfeited by the opponent"),
        ("voids", "failed by a provider"),
        ("erred", "ended in an error"),
    ):
        if row[name]:
            yield f"{row[name]} of {counted(row['ended'], 'debate')} {words}"


def format_others(debates: int) -> str:
    """Format how many stored debates a tournament no longer counts; '' for none."""
    return f"{counted(debates, 'debate')} of participants that are no longer in it" * (debates > 0)


#: The part of each unit's cost whose bill is not known: of answers that were lost, at most.
RESERVED: Final = """(
    SELECT unit, sum(reserved_usd) AS reserved FROM calls WHERE reserved_usd > 0 GROUP BY unit
)"""
#: Debates and ballots with their measured `usd`; other columns as they are stored.
MEASURED_DEBATES: Final = f"""(
    SELECT d.*, d.cost_usd - coalesce(r.reserved, 0) AS usd
    FROM debates d LEFT JOIN {RESERVED} r ON r.unit = d.debate_id
)"""
MEASURED_BALLOTS: Final = f"""(
    SELECT b.*, b.cost_usd - coalesce(r.reserved, 0) AS usd
    FROM ballots b LEFT JOIN {RESERVED} r ON r.unit = b.ballot_id
)"""
