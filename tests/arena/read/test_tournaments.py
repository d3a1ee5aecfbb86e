"""The stored tournaments as records, against what is stored of them."""

from __future__ import annotations

from pathlib import Path

from arena.read.tournaments import find_tournament, read_tournaments
from arena.store.database import Store


def test_a_tournament_counts_what_is_stored_of_it(small_database: Path) -> None:
    store = Store(small_database)
    (row,) = read_tournaments(store)
    (stored,) = store.rows(
        "SELECT count(*) AS debates, count(DISTINCT motion_id) AS motions, "
        "min(finished_at) AS first, max(finished_at) AS last FROM debates"
    )
    assert (row.debates, row.motions) == (stored["debates"], stored["motions"])
    assert (row.first_finished, row.last_finished) == (stored["first"], stored["last"])
    assert (row.simulated, row.very_small, row.imported) == (True, False, False)
    (ballots,) = store.rows("SELECT count(*) AS valid FROM ballots WHERE status = 'valid'")
    assert row.ballots == ballots["valid"]
    assert row.runs * row.finished >= row.ballots > 0
    assert find_tournament(store, row.tournament) == row
    assert find_tournament(store, "nobody's") is None
