"""A table of imported battles, and how long a leaderboard takes from it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from arena.battles.importer import import_battles
from arena.boards.board import board
from arena.boards.selecting import select_comparisons
from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.records import IMPORTED
from arena.store.database import Store
from benchmarks.reporting import best
from ratings import confidence

PARTICIPANTS = 200

#: Abilities fall by a sixtieth from one participant to the next; a tenth of battles are ties.
_BATTLES = f"""
    INSERT INTO battles
    SELECT $name, p.participant_id, c.participant_id,
           CASE WHEN tied < 0.1 THEN 0.5
                WHEN decided < 1 / (1 + exp((one - other) / 60.0)) THEN 1.0 ELSE 0.0 END,
           1.0, '', '', 'und', 'm', '', NULL
    FROM (SELECT one, (one + further) % {PARTICIPANTS} AS other, tied, decided
          FROM (SELECT CAST(floor(random() * {PARTICIPANTS}) AS INTEGER) AS one,
                       1 + CAST(floor(random() * {PARTICIPANTS - 1}) AS INTEGER) AS further,
                       random() AS tied, random() AS decided
                FROM range($count)))
    JOIN participants p ON p.name = printf('p%03d', one) AND p.tournament = $name
    JOIN participants c ON c.name = printf('p%03d', other) AND c.tournament = $name
"""


def from_one_table(counts: Sequence[int]) -> Iterator[Mapping[str, object]]:
    """Measure the way from a stored table of battles to a leaderboard: warm, the best of three."""
    every = Selection(tournament="battles", bench=IMPORTED)
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            store = _stored(Path(folder) / f"{count}.duckdb", count)
            resolved = stored_config(store, "battles")
            chosen = select_comparisons(store, resolved, every).comparisons
            query = best(partial(select_comparisons, store, resolved, every))
            intervals = best(partial(confidence, chosen))
            yield {
                "case": f"{PARTICIPANTS} participants, {len(chosen):,} battles in one table",
                "ours_s": query + intervals,
                "query_s": query,
                "intervals_s": intervals,
                "board_s": best(partial(board, store, resolved, every)),
                "rows": len(chosen.times),
            }


def _stored(path: Path, count: int) -> Store:
    """Import a battle of every participant, and fill up the table with random ones."""
    log = path.with_suffix(".csv")
    rows = (f"p{one:03},p{(one + 1) % PARTICIPANTS:03},tie" for one in range(PARTICIPANTS))
    log.write_text("\n".join(["model_a,model_b,winner", *rows]), encoding="utf-8")
    store = Store(path)
    import_battles(store, log, tournament="battles", seed=1)

    def fill(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute("SELECT setseed(0.5)")
        link.execute(_BATTLES, {"name": "battles", "count": count - PARTICIPANTS})

    store.write(fill)
    return store
