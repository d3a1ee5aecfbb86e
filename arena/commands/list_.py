"""`arena list`: list the stored tournaments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from arena.console.options import database, examples
from arena.console.screen import console
from arena.console.tables import Column, as_text, tabulate
from arena.store.database import Store
from arena.tournament.spending import unfinished_spend

_QUERY = """
    WITH played AS (
        SELECT tournament, count(*) AS debates,
               count(*) FILTER (status = 'finished') AS finished,
               count(*) FILTER (status = 'forfeit') AS forfeits,
               count(*) FILTER (status = 'void') AS voided,
               count(*) FILTER (status = 'error') AS erred,
               sum(cost_usd) AS usd
        FROM debates GROUP BY tournament
    ), judged AS (
        SELECT tournament, count(*) FILTER (b.status = 'valid') AS ballots,
               count(*) FILTER (b.status = 'failed') AS failed,
               count(*) FILTER (b.status = 'error') AS erred_ballots, sum(b.cost_usd) AS usd
        FROM ballots b JOIN debates USING (debate_id) GROUP BY tournament
    ), seats AS (
        SELECT tournament, count(*) AS participants FROM participants GROUP BY tournament
    )
    SELECT t.tournament, seats.participants, debates, finished, forfeits, voided,
           erred, coalesce(ballots, 0) AS ballots, coalesce(failed, 0) AS failed,
           coalesce(erred_ballots, 0) AS erred_ballots,
           played.usd + coalesce(judged.usd, 0) AS usd,
           strftime(t.created_at, '%Y-%m-%d %H:%M') AS created
    FROM tournaments t
    LEFT JOIN seats USING (tournament) LEFT JOIN played USING (tournament)
    LEFT JOIN judged USING (tournament)
    ORDER BY t.created_at DESC
"""

#: Columns of counts: their headings and the query's names for them.
_COUNTS = {
    "participants": "participants",
    "debates": "debates",
    "finished": "finished",
    "forfeits": "forfeits",
    "void": "voided",
    "errors": "erred",
    "ballots": "ballots",
    "failed": "failed",
    "ballot errors": "erred_ballots",
}
#: Those that are shown only where they are not 0.
_RARE = frozenset({"erred", "erred_ballots"})


def _columns() -> Iterator[Column[dict[str, Any]]]:
    yield Column(head="tournament", read=itemgetter("tournament"), label=True)
    yield Column(head="created", read=itemgetter("created"), label=True)
    for head, name in _COUNTS.items():
        shown = _has_any(name) if name in _RARE else None
        yield Column(head=head, read=itemgetter(name), style=".0f", shown=shown)
    yield Column(head="USD", read=itemgetter("usd"), style=".4f")
    yield Column(
        head="unfinished",  # the part of it in journals
        read=itemgetter("unfinished"),
        style=".4f",
        shown=_has_any("unfinished"),
    )


def _has_any(name: str) -> Callable[[Sequence[dict[str, Any]]], bool]:
    return lambda rows: any(row[name] for row in rows)


@click.command("list", epilog=examples("arena list", "arena list --db weekend.duckdb"))
@database
def listing(db: Path) -> None:
    """List the tournaments of a database with their costs.

    USD includes what unfinished debates and ballots have cost so far; that part is in a column of
    its own.
    """
    store = Store(db)
    store.check()
    unfinished = unfinished_spend(store)
    rows = [
        row | {"usd": row["usd"] + part, "unfinished": part}
        for row in store.rows(_QUERY)
        for part in [unfinished.get(row["tournament"], 0.0)]
    ]
    table = tabulate(_columns(), rows)
    click.echo(as_text(table, width=console().width), nl=False)
