"""The order in which open work is played."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from arena.records import Debate
from arena.tournament.open_work import StoredDebates, open_work
from arena.tournament.plan import make_plan
from tests.support.tournaments import bare_debate, content, planned, resolved_of


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


def _in_turns(debates: list[Debate]) -> list[Debate]:
    """Take the matchup whose participants have had the fewest turns, again and again."""
    left, taken = list(debates), Counter[str]()

    def turn(debate: Debate) -> tuple[int, int, int, str, int]:
        seats = sorted((taken[debate.pro], taken[debate.con]))
        return debate.repeat, seats[1], seats[0], debate.matchup_id, debate.leg

    ordered: list[Debate] = []
    while left:
        first = min(left, key=turn)
        key = first.repeat, first.matchup_id
        legs = [debate for debate in left if (debate.repeat, debate.matchup_id) == key]
        ordered += sorted(legs, key=lambda debate: debate.leg)
        left = [debate for debate in left if debate not in legs]
        taken.update((first.pro, first.con))
    return ordered


@pytest.mark.parametrize("seed", range(5))
def test_turns_are_those_of_the_slow_way(seed: int) -> None:
    rng = random.Random(seed)
    debates = list[Debate]()
    for number in range(60):
        names, matchup = rng.sample("abcde", 2), f"m{rng.random()}"
        for leg in range(rng.choice((1, 2))):
            debate = bare_debate(*(names if leg == 0 else names[::-1]))
            debate = replace(debate, matchup_id=matchup, debate_id=f"{number}-{leg}")
            debates.append(replace(debate, repeat=number % 3, leg=leg))
    rng.shuffle(debates)
    work = open_work(resolved_of(content("a", "b", "c", "d", "e")), debates, StoredDebates())
    assert [item.debate for item in work] == _in_turns(debates)
