"""`arena list`: the stored tournaments."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from arena.console.options import database, examples
from arena.console.screen import console
from arena.store.database import Store

_QUERY = """
    WITH played AS (
        SELECT tournament, count(*) AS debates,
               count(*) FILTER (status = 'finished') AS finished,
               count(*) FILTER (status = 'forfeit') AS forfeits,
               count(*) FILTER (status = 'void') AS voided,
               sum(cost_usd) AS usd
        FROM debates GROUP BY tournament
    ), judged AS (
        SELECT tournament, count(*) FILTER (b.status = 'valid') AS ballots,
               count(*) FILTER (b.status = 'failed') AS failed, sum(b.cost_usd) AS usd
        FROM ballots b JOIN debates USING (debate_id) GROUP BY tournament
    ), seats AS (
        SELECT tournament, count(*) AS participants FROM participants GROUP BY tournament
    )
    SELECT t.tournament, seats.participants, debates, finished, forfeits, voided,
           coalesce(ballots, 0) AS ballots, coalesce(failed, 0) AS failed,
           played.usd + coalesce(judged.usd, 0) AS usd,
           strftime(t.created_at, '%Y-%m-%d %H:%M') AS created
    FROM tournaments t
    LEFT JOIN seats USING (tournament) LEFT JOIN played USING (tournament)
    LEFT JOIN judged USING (tournament)
    ORDER BY t.created_at DESC
"""


@click.command("list", epilog=examples("arena list", "arena list --db weekend.duckdb"))
@database
def listing(db: Path) -> None:
    """List the tournaments of a database: what is played, judged, open, and what it cost."""
    store = Store(db)
    store.check()
    table = Table(box=None, pad_edge=False)
    for name in ("tournament", "created"):
        table.add_column(name)
    columns = (
        "participants",
        "debates",
        "finished",
        "forfeits",
        "void",
        "ballots",
        "failed",
        "USD",
    )
    for name in columns:
        table.add_column(name, justify="right")
    for row in store.rows(_QUERY):
        counts = ("participants", "debates", "finished", "forfeits", "voided", "ballots", "failed")
        table.add_row(
            row["tournament"],
            row["created"],
            *(f"{row[name]:.0f}" for name in counts),
            f"{row['usd']:.4f}",
        )
    console().print(table)
