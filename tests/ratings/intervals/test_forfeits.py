"""Forfeits: which are alike, and that statements hold whether they count as losses or not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ratings import Comparisons, confidence
from ratings.intervals.forfeits import are_uneven
from tests.ratings.oracles import simulated


def _with_forfeits(rates: list[float], seed: int = 1) -> Comparisons:
    """Comparisons of which some were lost by a participant, with its probability."""
    rng = np.random.default_rng(seed)
    rows = simulated(rng, size=len(rates), matchups=120).described(
        motion=[f"m{number % 7}" for number in range(240)]
    )
    by_first = rng.random(240) < np.array(rates)[rows.first]
    lost = by_first | (rng.random(240) < np.array(rates)[rows.second])
    forfeits = replace(rows.only(lost), outcome=np.where(by_first, 0.0, 1.0)[lost])
    return replace(rows.only(~lost), forfeits=forfeits)


def test_losses_are_counted_as_a_table_made_by_hand_counts_them() -> None:
    rows = _with_forfeits([0.4, 0, 0, 0])
    lost = rows.forfeits
    assert lost is not None
    names = np.array(rows.names)

    def column(name: str) -> np.ndarray:
        return np.append(getattr(rows, name), getattr(lost, name))

    by_hand = Comparisons.of(
        names[column("first")],
        names[column("second")],
        column("outcome"),
        column("weight"),
        column("cluster"),
    )
    assert rows.motion is not None and lost.motion is not None
    labels = [rows.motions[k] for k in rows.motion.tolist() + lost.motion.tolist()]
    assert rows.with_losses().data_hash == by_hand.described(motion=labels).data_hash
    assert len(rows.with_losses()) == 240


def test_one_that_fails_more_often_than_others_is_found_and_chance_is_not() -> None:
    assert are_uneven(_with_forfeits([0.4, 0, 0, 0]))
    assert not are_uneven(replace(_with_forfeits([0.4, 0, 0, 0]), forfeits=None))
    alike = [are_uneven(_with_forfeits([0.15] * 5, seed)) for seed in range(40)]
    assert sum(alike) <= 6  # 5 % are expected
    once = _with_forfeits([0.4, 0, 0, 0])
    assert once.forfeits is not None
    assert not are_uneven(replace(once, forfeits=once.forfeits.only(np.array([0]))))


@pytest.mark.parametrize("anchor", [None, "p1"])
@pytest.mark.parametrize("seed", range(3))
def test_statements_hold_both_ways(seed: int, anchor: str | None) -> None:
    rows = _with_forfeits([0.5, 0, 0.1, 0, 0], seed)
    both = confidence(rows, anchor=anchor)
    left_out = confidence(replace(rows, forfeits=None), anchor=anchor)
    losses = confidence(rows.with_losses(), anchor=anchor)
    assert both.both_ways and both.with_losses is not None
    assert both.rating.tolist() == left_out.rating.tolist()
    assert (both.above == left_out.above & losses.above).all()
    assert np.ptp(both.with_losses - losses.rating) == pytest.approx(0, abs=1e-9)
    for ends in (left_out.rating, both.with_losses):
        assert (both.lower <= ends).all() and (ends <= both.upper).all()
    assert (both.lower <= left_out.lower).all() and (left_out.upper <= both.upper).all()
    assert (both.difference >= left_out.difference).all()
    certain = np.minimum(abs(left_out.superiority - 0.5), abs(losses.superiority - 0.5))
    assert (abs(both.superiority - 0.5) <= certain + 1e-12).all()
    assert both.first.lower <= left_out.first.lower
    low, high = both.comparison.ends(both.rating, both.with_losses)
    assert both.comparison.half == pytest.approx(left_out.comparison.half)
    for rating in (both.rating, both.with_losses):
        alone_low, alone_high = left_out.comparison.ends(rating)
        assert (low <= alone_low + 1e-6).all() and (alone_high <= high + 1e-6).all()
    if anchor is None:  # what is drawn thick does not reach beyond what is drawn thin
        assert (low >= both.lower).all() and (high <= both.upper).all()


def test_forfeits_that_are_alike_change_nothing() -> None:
    rows = next(
        rows
        for rows in (_with_forfeits([0.2] * 4, seed) for seed in range(9))
        if not are_uneven(rows)
    )
    alike, none = confidence(rows), confidence(replace(rows, forfeits=None))
    assert not alike.both_ways
    assert (alike.lower == none.lower).all() and (alike.above == none.above).all()


def test_a_hash_tells_forfeits_and_some_rows_have_none() -> None:
    rows = _with_forfeits([0.4, 0, 0, 0])
    assert rows.data_hash != replace(rows, forfeits=None).data_hash
    assert rows.only(np.arange(5)).forfeits is None
