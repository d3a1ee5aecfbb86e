"""The order in which open work is played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from arena.tournament.plan import make_plan
from tests.support.tournaments import content, planned, resolved_of


def test_the_first_debates_are_spread_over_participants(tmp_path: Path) -> None:
    names = tuple(f"p{number}" for number in range(6))
    config = content(*names)
    config["schedule"]["matchups_per_pair"] = 2
    store, _ = planned(tmp_path / "own.duckdb", config)
    work = make_plan(resolved_of(config), store).open
    assert len(work) == 60
    for number, item in enumerate(work):
        seats = Counter[str]()
        for earlier in work[: number + 1]:
            seats.update((earlier.debate.pro, earlier.debate.con))
        # Both legs of a matchup stand together; a round of six has three matchups.
        assert max(seats.values()) <= 2 * (2 + number // 6), (number, seats)
        assert item.debate.leg == number % 2
    assert max(Counter(x for i in work[:12] for x in (i.debate.pro, i.debate.con)).values()) <= 6
