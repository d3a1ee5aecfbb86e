"""Motions that tell nobody apart are found, and others are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arena.scheduling.retirement import find_indifferent, find_retired
from arena.scheduling.waves import Wave
from ratings import Comparisons
from tests.arena.scheduling.rounds import situation


def board(results: dict[str, list[tuple[float, float]]]) -> Comparisons:
    """Matchups of a and b: by motion, Pro's outcomes when a is Pro, and when b is."""
    legs = [(motion, leg) for motion, matchups in results.items() for leg in matchups]
    rows = [
        (pro, con, outcome, number, motion)
        for number, (motion, leg) in enumerate(legs)
        for pro, con, outcome in (("a", "b", leg[0]), ("b", "a", leg[1]))
    ]
    first, second, outcome, cluster, motion = zip(*rows, strict=True)
    return Comparisons.of(first, second, outcome, cluster=cluster).described(motion=motion)


A_WINS, DRAWN, PRO_WINS, CON_WINS = (1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.0, 0.0)


def test_a_motion_that_one_side_always_wins_is_retired() -> None:
    good = [A_WINS, DRAWN, A_WINS, PRO_WINS] * 5
    for always in (PRO_WINS, CON_WINS, DRAWN):
        assert find_indifferent(board({"good": good, "bad": [always] * 12})) == {"bad"}
        assert find_indifferent(board({"good": good, "bad": [always] * 4})) == frozenset()
        changed = [*[always] * 12, A_WINS]
        assert find_indifferent(board({"good": good, "bad": changed})) == frozenset()


def test_both_sides_winning_is_no_reason() -> None:
    good = [A_WINS] * 20
    mixed = [PRO_WINS, CON_WINS] * 6
    assert find_indifferent(board({"good": good, "mixed": mixed})) == frozenset()


def test_where_everything_is_drawn_no_motion_is_to_blame() -> None:
    drawn = {f"m{number}": [PRO_WINS] * 12 for number in range(5)}
    assert find_indifferent(board(drawn)) == frozenset()


def test_good_motions_are_seldom_retired_however_often_one_looks() -> None:
    rng = np.random.default_rng(1)
    retired = 0
    for _ in range(40):
        results: dict[str, list[tuple[float, float]]] = {f"m{number}": [] for number in range(6)}
        for _ in range(20):
            for matchups in results.values():
                win = float(rng.random() < 0.75)
                matchups.append((win, win) if rng.random() < 0.5 else A_WINS)
            if find_indifferent(board(results)):
                retired += 1
                break
    assert retired <= 4


def test_half_judged_matchups_do_not_count_and_retired_ones_stay() -> None:
    rows = board({"good": [A_WINS] * 20, "bad": [PRO_WINS] * 12})
    legs = np.ones(len(rows.outcome), dtype=bool)
    legs[41::2] = False
    assert find_indifferent(rows.only(legs)) == frozenset()
    now = situation("ab", [Wave(retired=frozenset({"old"}))])
    assert find_retired(now) == {"old"}
    assert find_retired(replace(now, comparisons=rows)) == {"old", "bad"}
