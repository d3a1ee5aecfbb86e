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
from arena.tournament.spending import Bill, read_bills

_QUERY = """
    WITH played AS (
        SELECT tournament, count(*) AS debates,
               count(*) FILTER (status = 'finished') AS finished,
               count(*) FILTER (status = 'forfeit') AS forfeits,
               count(*) FILTER (status = 'void') AS voided,
               count(*) FILTER (status = 'error') AS erred
        FROM debates GROUP BY tournament
    ), judged AS (
        SELECT tournament, count(*) FILTER (b.status = 'valid') AS ballots,
               count(*) FILTER (b.status = 'failed') AS failed,
               count(*) FILTER (b.status = 'error') AS erred_ballots
        FROM ballots b JOIN debates USING (debate_id) GROUP BY tournament
    ), seats AS (
        SELECT tournament, count(*) AS participants FROM participants GROUP BY tournament
    )
    SELECT t.tournament, seats.participants, debates, finished, forfeits, voided,
           erred, coalesce(ballots, 0) AS ballots, coalesce(failed, 0) AS failed,
           coalesce(erred_ballots, 0) AS erred_ballots,
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
    for head, name in (("up to", "most"), ("unfinished", "unfinished")):
        shown = _has_any("reserved" if name == "most" else name)
        yield Column(head=head, read=itemgetter(name), style=".4f", shown=shown)


def _has_any(name: str) -> Callable[[Sequence[dict[str, Any]]], bool]:
    return lambda rows: any(row[name] for row in rows)


def _amounts(bill: Bill) -> dict[str, float]:
    return {
        "usd": bill.total.known.usd,
        "reserved": bill.total.reserved,
        "most": bill.total.usd,
        "unfinished": bill.unfinished.known.usd,
    }


@click.command("list", epilog=examples("arena list", "arena list --db weekend.duckdb"))
@database
def listing(db: Path) -> None:
    """List the tournaments of a database with their costs.

    USD is what bills are known of; "up to" adds what is reserved for answers that were cut off. Of
    USD, what unfinished debates and ballots have cost so far is in a column of its own.
    """
    store = Store(db)
    store.check()
    bills = read_bills(store)
    rows = [row | _amounts(bills[row["tournament"]]) for row in store.rows(_QUERY)]
    table = tabulate(_columns(), rows)
    click.echo(as_text(table, width=console().width), nl=False)
