"""Two participants against each other, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from arena.report.versus import Versus, versus, versus_table
from ratings import Comparisons, Pairing, confidence

#: Matchup m1, both legs: bob 3 and 2 of 3; m2, one leg: bob 1.5. On source bob has nothing.
ROWS = [
    ("d1", "m1", "overall", "bob", "ann", 3.0, 0.0),
    ("d2", "m1", "overall", "ann", "bob", 1.0, 2.0),
    ("d3", "m2", "overall", "bob", "ann", 0.5, 0.5),
    ("d1", "m1", "source", "bob", "ann", 0.0, 3.0),
    ("d2", "m1", "source", "ann", "bob", 3.0, 0.0),
    ("d3", "m2", "source", "bob", "ann", 0.0, 1.0),
    ("d4", "m3", "overall", "cyd", "ann", 3.0, 0.0),
]
FRAME = pd.DataFrame(
    ROWS,
    columns=["debate_id", "matchup_id", "dimension", "pro", "con", "pro_score", "con_score"],
)


RATED = Comparisons.of(["bob", "bob", "bob", "cyd"], ["ann", "ann", "ann", "ann"], [1, 1, 0.5, 1])


def found(
    first: str = "bob",
    second: str = "ann",
    frame: pd.DataFrame = FRAME,
    rated: Comparisons = RATED,
) -> Versus:
    made = versus(frame, first, second, rated=rated, dimensions=["source", "overall"], seed=7)
    assert made is not None
    return made


def test_points_and_sides_are_counted() -> None:
    source, overall = found().margins
    assert overall.points == pytest.approx(6.5 / 3)
    assert (source.points, source.debates, overall.debates) == (0.0, 3, 3)
    assert (found().as_pro, found().as_con, found().debates) == (2, 1, 3)
    assert (found().matchups, found().single) == (2, 1)


def test_matchups_are_the_units_of_the_test_and_of_the_interval() -> None:
    source, overall = found().margins
    # overall m1 differs by 5 - 1 = 4 and m2 by 0: both signs of the 4 are as far
    assert (overall.test.p, overall.test.differences, overall.test.exact) == (1.0, 2, True)
    # source: -6 and -3; -- and ++ of four
    assert source.test.p == 0.5
    # replicates: m1 twice 10/4, both 6.5/3, m2 twice 3/2
    assert (overall.lower, overall.upper) == (1.5, 2.5)
    assert (source.lower, source.upper) == (0.0, 0.0)


def test_the_other_way_round_has_the_rest() -> None:
    for one, other in zip(found().margins, found("ann", "bob").margins, strict=True):
        assert one.points + other.points == pytest.approx(3)
        assert (one.lower + other.upper, one.upper + other.lower) == pytest.approx((3, 3))
        assert one.test == other.test


def test_the_order_of_rows_changes_nothing() -> None:
    shuffled = FRAME.sample(frac=1, random_state=3)
    assert found(frame=shuffled) == found()


def test_a_single_matchup_has_no_interval() -> None:
    single = found("cyd", "ann")
    assert [one.dimension for one in single.margins] == ["overall"]
    assert np.isnan(single.margins[0].lower)
    assert versus_table(single, title="t").rows == (("overall", "3.00", "0.00", "", "1.0000", "1"),)


def test_those_who_never_met_have_no_comparison() -> None:
    assert versus(FRAME, "bob", "cyd", rated=RATED, dimensions=[], seed=7) is None


def test_a_table_says_points_sides_and_method() -> None:
    table = versus_table(found(), title="t")
    assert table.head == ("dimension", "bob", "ann", "95 % interval", "p", "debates")
    assert table.rows == (
        ("source", "0.00", "3.00", "0.00 to 0.00", "0.5000", "3"),
        ("overall", "2.17", "0.83", "1.50 to 2.50", "1.0000", "3"),
    )
    sides, method, _ = table.notes
    assert sides == (
        "3 debates in 2 matchups; bob was Pro in 2 and Con in 1. Of 1 matchup only one debate "
        "is judged, so the sides are not balanced."
    )
    assert (
        "the values that a sign-flip test of matchups does not reject (2 are too few for 95 %"
        in method
    )
    assert "p: that test, two-sided, all assignments." in method
    assert method.endswith("of these debates and motions alone, at a single look.")
    both = versus_table(replace(found(), single=0), title="t").notes[0]
    assert both.endswith("Both debates of each matchup are judged, so the sides are balanced.")


@pytest.mark.parametrize("pairing", get_args(Pairing))
def test_the_difference_of_ratings_is_the_boards_own(pairing: Pairing) -> None:
    rows = [("bob", "ann", 1.0)] * 30 + [("ann", "bob", 1.0)] * 8 + [("cyd", "ann", 0.5)] * 9
    names, others, outcomes = zip(*rows, strict=True)
    plain = replace(Comparisons.of(names, others, outcomes), pairing=pairing)
    labels = [[f"m{number % motions}" for number in range(len(rows))] for motions in (1, 4)]
    described = [plain.described(motion=each, over_motions=True) for each in labels]
    for rated in (plain, *described):
        sure, pair = confidence(rated), found(rated=rated)
        gap, other = pair.gap, found("ann", "bob", rated=rated).gap
        assert gap is not None and other is not None
        ann, bob, _ = range(3)
        elo = sure.ratings.rating[bob] - sure.ratings.rating[ann]
        assert gap.elo == pytest.approx(elo)
        assert gap.upper - elo == pytest.approx(sure.difference[bob, ann])
        assert elo - gap.lower == pytest.approx(sure.difference[bob, ann])
        assert gap.above == ("bob" if sure.above[bob, ann] else "")
        assert (other.lower, other.upper) == pytest.approx((-gap.upper, -gap.lower))
        note = versus_table(pair, title="t").notes[2]
        assert ("for motions in general" in note) == (len(rated.motions) > 1)
        assert ("at every look" in note) == (pairing == "guided")
        assert ("bob is settled to be above" in note) == bool(sure.above[bob, ann])
        assert ("not separated" in note) != bool(sure.above[bob, ann])


def test_a_board_of_very_many_is_not_computed_beside_the_points() -> None:
    names = [f"p{number}" for number in range(400)]
    many = Comparisons.of(["bob"], ["ann"], [1.0], names=["ann", "bob", *names])
    pair = found(rated=many)
    assert pair.gap is None
    note = versus_table(pair, title="t").notes[2]
    assert "`arena matrix --elo` computes the difference" in note


def test_many_matchups_are_tested_by_random_assignments() -> None:
    rows = [(f"d{n}", f"m{n}", "overall", "bob", "ann", 2.9, 0.1) for n in range(60)]
    many = found(frame=pd.DataFrame(rows, columns=FRAME.columns))
    table = versus_table(many, title="t")
    assert table.rows[0][4] == "<0.0001"
    assert "two-sided, 20,000 random assignments." in table.notes[1]
