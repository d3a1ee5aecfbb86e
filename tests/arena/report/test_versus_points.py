"""Two participants against each other: who is better, and their points, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.boards.next_debates import NextDebates
from arena.report.pair_data import PairData
from arena.report.versus import Gap, Versus, format_answer, versus, versus_table
from ratings import Comparisons, Pairing, PairTest, confidence
from tests.support.boards import board_of, records

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
    **categories: Comparisons,
) -> Versus:
    met = frame[frame["pro"].isin([first, second]) & frame["con"].isin([first, second])]
    data = PairData(
        judging="bench bench",
        frame=met,
        boards={"all": rated, **categories},
        usd=dict.fromkeys(rated.names, 0.5),
        unrated=dict.fromkeys((first, second), "8 of 8 debates forfeited (no text)"),
    )
    return versus(data, first, second, seed=7)


def test_points_and_sides_are_counted() -> None:
    overall, source = found().margins
    assert overall.points == pytest.approx(6.5 / 3)
    assert (source.points, source.debates, overall.debates) == (0.0, 3, 3)
    assert (found().as_pro, found().as_con, found().debates) == (2, 1, 3)
    assert (found().matchups, found().single) == (2, 1)


def test_matchups_are_the_units_of_the_test_and_of_the_interval() -> None:
    overall, source = found().margins
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


def test_a_table_says_points_sides_and_method() -> None:
    table = versus_table(found(), title="t")
    assert table.head == ("dimension", "bob", "ann", "95 % interval", "p", "debates")
    assert table.rows == (
        ("overall", "2.17", "0.83", "1.50 to 2.50", "1.0000", "3"),
        ("source", "0.00", "3.00", "0.00 to 0.00", "0.5000", "3"),
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
        answer = format_answer(pair)
        assert ("bob is better than ann, settled (95 %): " in answer) == bool(sure.above[bob, ann])
        assert (" is not settled: " in answer) == (not sure.above[bob, ann])


def test_a_board_of_very_many_is_not_computed_beside_the_points() -> None:
    names = [f"p{number}" for number in range(400)]
    many = Comparisons.of(["bob"], ["ann"], [1.0], names=["ann", "bob", *names])
    pair = found(rated=many)
    assert pair.gap is None
    assert format_answer(pair) == (
        "It is not known here whether bob is better than ann: with 402 participants, arena matrix "
        "--elo computes it; bob won 100 % of 1 verdict (1-0-0 won-tied-lost)."
    )


def test_many_matchups_are_tested_by_random_assignments() -> None:
    rows = [(f"d{n}", f"m{n}", "overall", "bob", "ann", 2.9, 0.1) for n in range(60)]
    many = found(frame=pd.DataFrame(rows, columns=FRAME.columns))
    table = versus_table(many, title="t")
    assert table.rows[0][4] == "<0.0001"
    assert "two-sided, 20,000 random assignments." in table.notes[1]


GAP = Gap(
    elo=112.4,
    lower=39.6,
    upper=184.2,
    above="bob",
    superiority=0.998,
    over_motions=False,
    every_look=False,
    at_once="all pairs",
    both_ways=False,
    own=None,
    circles=None,
    categories={},
    further=None,
)
PAIR = Versus(
    judging="bench bench",
    first="bob",
    second="ann",
    margins=(),
    wins=25,
    ties=4,
    losses=9,
    gap=GAP,
    unknown="",
    as_pro=19,
    as_con=19,
    matchups=19,
    single=0,
)


def answer(**gap: Any) -> str:  # noqa: ANN401 - fields of GAP
    return format_answer(replace(PAIR, gap=replace(GAP, **gap)))


def test_an_answer_says_who_is_better_and_whether_that_is_settled() -> None:
    assert answer() == (
        "bob is better than ann, settled (95 %): +112 Elo points [95 %: 40 to 184], "
        "71 % of 38 debates (25-4-9 won-tied-lost)."
    )
    further = NextDebates(pair=("bob", "ann"), ranks=(1, 2), matchups=14, usd=9.0)
    assert answer(above="", superiority=0.621, further=further) == (
        "Whether bob is better than ann is not settled: 62 % chance; +112 Elo points "
        "[95 %: 40 to 184], 71 % of 38 debates (25-4-9 won-tied-lost); 14 more "
        "matchups (about 9.00 USD) would probably "
        "settle it."
    )
    free = answer(above="", further=replace(further, usd=0.0))
    assert free.endswith("; 14 more matchups would probably settle it.")
    assert answer(above="").endswith("; more than 500 further matchups would be needed.")


def test_an_answer_says_where_the_record_contradicts_the_ratings() -> None:
    told = answer(own=PairTest(predicted=0.41, p_value=0.0031))
    assert "(25-4-9 won-tied-lost), which contradicts the ratings: they predict 41 % (p = " in told
    assert answer(own=PairTest(predicted=0.41, p_value=0.06)) == answer()
    turned = answer(elo=-112.4, above="ann", own=PairTest(predicted=0.41, p_value=0.0031))
    assert turned.startswith("ann is better than bob") and "they predict 59 %" in turned


def test_circles_of_the_board_are_told_beside_a_pair() -> None:
    circle = records(a_b=(30, 4), b_c=(30, 4), a_c=(4, 30), c_d=(9, 9))
    pair = found("a", "b", frame=FRAME.iloc[:0], rated=circle)
    (note,) = [note for note in versus_table(pair, title="t").notes if note.startswith("Note: ")]
    assert note[6:-1] in board_of(circle).notes
    assert "a does better against b, b against c and c against a than their ratings" in note


def test_an_answer_names_the_categories_that_differ() -> None:
    agreed = answer(categories={"fact": "bob", "value": "bob"})
    assert agreed == answer()
    some = answer(categories={"fact": "", "policy": "", "value": "ann"})
    assert some.endswith(
        "; open on fact and policy motions; on value motions, ann is better, settled."
    )
    settled = answer(above="", categories={"fact": "bob", "policy": ""})
    assert "; on fact motions, bob is better, settled; more than" in settled


def test_an_answer_without_debates_of_the_two_rests_on_others() -> None:
    pair = found("bob", "cyd")
    assert pair.margins == () and pair.debates == 0
    assert "from debates with others, for the two have not met; " in format_answer(pair)


def test_an_answer_says_why_an_order_is_not_known() -> None:
    idle = replace(RATED, names=("ann", "bob", "cyd", "dan"))
    assert format_answer(found("ann", "dan", rated=idle)) == (
        "It is not known here whether ann is better than dan: dan is not rated: 8 of 8 debates "
        "forfeited (no text)."
    )
    apart = Comparisons.of(["ann", "cyd"], ["bob", "dan"], [1, 1])
    assert format_answer(found("ann", "dan", rated=apart)) == (
        "It is not known here whether ann is better than dan: no debates link them, not even "
        "through others."
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["ab", "ac", "bc"]), st.sampled_from([0, 0.5, 1])), min_size=1
    )
)
def test_an_answer_is_the_same_from_either_side_and_agrees_with_the_board(
    results: list[tuple[str, float]],
) -> None:
    pairs, outcomes = zip(*results, strict=True)
    board = Comparisons.of(
        [first for first, _ in pairs],
        [second for _, second in pairs],
        outcomes,
        names=["a", "b", "c"],
    )
    nothing = FRAME.iloc[:0]
    pair = found("a", "b", frame=nothing, rated=board)
    other = found("b", "a", frame=nothing, rated=board)
    if pair.gap and round(pair.gap.elo, 9):
        assert format_answer(pair) == format_answer(other)
    met = sum(names == "ab" for names in pairs)
    assert pair.wins + pair.ties + pair.losses == met
    if pair.gap is not None:
        assert bool(pair.gap.above) == (" settled (95 %)" in format_answer(pair))
        assert pair.gap.above == (
            "a"
            if confidence(board).settled[0, 1]
            else "b"
            if confidence(board).settled[1, 0]
            else ""
        )
