"""Rules of stopping on simulated tournaments: false decisions, and the quick twin of the rule."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.growing import Growing, looks, round_robin
from benchmarks.stopped_fields import WITH_SIDE, play_until_settled
from benchmarks.stopping import false_decisions
from benchmarks.two_participants import by_coin, by_scores, draw_legs, first_looks, stop, student
from ratings import PAPER, confidence


def test_the_rule_for_two_is_that_of_confidence() -> None:
    """The quick form of the benchmark decides as the fit does, but for the width of the prior."""
    settled = 0
    for seed, edge in enumerate([0.0, 0.8, 2.0]):
        tournament = Growing(np.array([edge, 0.0]), np.random.default_rng(seed))
        tournament.play(np.tile([0, 1], (40, 1)))
        comparisons = tournament.comparisons()
        score = comparisons.weight * (comparisons.outcome - 0.5)
        score *= np.where(comparisons.first == 0, 1, -1)
        evidence = by_scores(_ballots(score))[0]
        for look in range(5, 41, 7):
            if abs(evidence[look - 1] - np.log(20)) > 0.05:
                above = confidence(tournament.comparisons(look), anytime=True).above
                assert above.any() == (evidence[look - 1] > np.log(20))
                settled += int(above.any())
    assert settled > 3


def _ballots(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return three ballots of a debate that have its score under the paper's weights."""
    unanimous = np.abs(score) > 0.4
    share = np.where(unanimous, 1.0, 2 / 3)
    for_first = np.where(score > 0, share, 1 - share)
    ballots = (np.arange(3) < np.round(3 * for_first)[:, None]).astype(float)
    return ballots.reshape(1, len(score) // 2, 2, 3)


def test_two_equals_are_seldom_told_apart_and_two_unequals_soon() -> None:
    rng = np.random.default_rng(2)
    equal, apart = draw_legs(rng, 0.0, 400, 400), draw_legs(rng, 200.0, 100, 100)
    for rule in (by_scores, by_coin):
        false = stop(rule(equal)) > 0
        assert false.mean() <= 0.05
        assert 8 <= np.median(stop(rule(apart))) <= 25
    assert (first_looks(student(equal) ** 2 > 1) > 0).mean() > 0.2, "naive testing is seen to err"


def test_looks_thin_out_and_every_wave_of_eight_is_among_them() -> None:
    every = list(looks(2000))
    assert every[:40] == list(range(1, 41))
    assert all(look in every for look in range(8, 161, 8))
    assert all(look % 8 == 0 for look in every if look > 160)
    assert max(np.diff(every)) <= 0.06 * 2000


def test_an_endless_round_robin_plays_every_pair_equally_often() -> None:
    pairs = np.concatenate([round_robin(5, 0, 7), round_robin(5, 7, 13)])
    _, often = np.unique(pairs, axis=0, return_counts=True)
    assert often.tolist() == [2] * 10


@pytest.mark.deep
@pytest.mark.parametrize("size", [2, 5])
def test_nothing_false_is_settled_in_more_than_one_of_twenty(size: int) -> None:
    for model in (PAPER, WITH_SIDE):
        row = false_decisions(size, model, 60, 150)
        assert float(str(row["anytime_1"])) <= 0.05 + 2 * (0.05 * 0.95 / 60) ** 0.5
        assert float(str(row["naive_1"])) > float(str(row["anytime_1"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "pairing", [pytest.param("round robin", marks=pytest.mark.deep), "closest pairs"]
)
def test_stopped_intervals_cover(pairing: str) -> None:
    fields = [play_until_settled(seed, WITH_SIDE, pairing) for seed in range(20)]
    assert np.mean([field.covered for field in fields]) >= 0.95
    assert any(field.decided for field in fields)
