"""`arena list`: list the stored tournaments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from arena.console.options import database, examples
from arena.output.formats import console
from arena.output.tables import Column, as_text, tabulate
from arena.read.stored_work import TournamentWork, read_work
from arena.store.database import Store
from arena.store.spending import Bill, read_bills
from arena.text import UP_TO

#: Columns of counts: their headings, those of what is rare last.
_COUNTS = (
    *("participants", "debates", "finished", "forfeits", "void", "errors", "not counted"),
    *("ballots", "failed", "ballot errors"),
)
#: Those that are shown only where they are not 0.
_RARE = frozenset({"errors", "not counted", "ballot errors"})


def _columns() -> Iterator[Column[dict[str, Any]]]:
    yield Column(head="tournament", read=itemgetter("tournament"), label=True)
    yield Column(head="created", read=itemgetter("created"), label=True)
    for head in _COUNTS:
        shown = _has_any(head) if head in _RARE else None
        yield Column(head=head, read=itemgetter(head), style=_format_count, shown=shown)
    yield Column(head="USD", read=itemgetter("usd"), style=".4f")
    yield Column(head="judges", read=itemgetter("judges"), style=".4f", shown=_has_any("judges"))
    for head, name in (("up to", "most"), ("unfinished", "unfinished")):
        shown = _has_any("reserved" if name == "most" else name)
        yield Column(head=head, read=itemgetter(name), style=".4f", shown=shown)


def _has_any(name: str) -> Callable[[Sequence[dict[str, Any]]], bool]:
    return lambda rows: any(row[name] for row in rows)


def _format_count(number: int | None) -> str:
    return "?" if number is None else str(number)


def _counts(work: TournamentWork) -> dict[str, int | None]:
    """Return a tournament's counts by the heads of their columns."""
    if (counts := work.counts) is None:
        return dict.fromkeys(_COUNTS)
    debates, ballots = counts.debates, counts.ballots
    numbers = (
        *(work.participants, sum(debates.values())),
        *(debates[state] for state in ("finished", "forfeit", "void", "error")),
        counts.others,
        *(ballots[state] for state in ("valid", "failed", "error")),
    )
    return dict(zip(_COUNTS, numbers, strict=True))


def _amounts(bill: Bill) -> dict[str, float]:
    return {
        "usd": bill.total.known.usd,
        "judges": bill.judges.known.usd,
        "reserved": bill.total.reserved,
        "most": bill.total.usd,
        "unfinished": bill.unfinished.known.usd,
    }


@click.command("list", epilog=examples("arena list", "arena list --db weekend.duckdb"))
@database
def listing(db: Path) -> None:
    """List the tournaments of a database with their costs.

    Debates of participants that are no longer in their tournament are not counted, nor are their
    ballots, as in `arena status`; what they have cost is. USD is what bills are known of, of
    which "judges" is what ballots have cost; "up to" adds what is reserved for answers that were
    cut off. Of USD, what unfinished debates and ballots
    have cost so far is in a column of its own.
    """
    store = Store(db)
    store.check()
    with store.one_state():
        bills = read_bills(store)
        rows = [
            {"tournament": work.tournament, "created": work.created}
            | _counts(work)
            | _amounts(bills[work.tournament])
            for work in read_work(store)
        ]
    notes = [
        f"{name}: {bill.unknown}, whose calls are in no USD."
        for name, bill in bills.items()
        if bill.unknown
    ]
    notes += [UP_TO] * any(row["reserved"] for row in rows)
    table = tabulate(_columns(), rows, notes=notes)
    click.echo(as_text(table, width=console().width), nl=False)
