"""Points out of three, by dimension (Tables 1, 2 and 5)."""

from __future__ import annotations

import pandas as pd
import pytest

from arena.papers.agent4debate_tables import head_to_head_table
from arena.report.head_to_head import HeadToHead, head_to_head

#: bob (Pro) and ann: 3 : 0 and then, sides swapped, 1 : 2; cyd against ann, one run: a tie.
FRAME = pd.DataFrame(
    [
        *[("d1", "overall", "bob", "ann", 3.0, 0.0), ("d1", "source", "bob", "ann", 1.5, 1.5)],
        *[("d2", "overall", "ann", "bob", 2.0, 1.0), ("d2", "source", "ann", "bob", 3.0, 0.0)],
        *[("d3", "overall", "cyd", "ann", 0.5, 0.5), ("d3", "source", "cyd", "ann", 1.0, 0.0)],
    ],
    columns=["debate_id", "dimension", "pro", "con", "pro_score", "con_score"],
)


def test_points_are_means_over_both_sides() -> None:
    met, single = head_to_head(FRAME, ["source", "overall"])
    # overall bob 3 and 1, mean 2; on source bob 1.5 and 0, mean 0.75
    assert met == HeadToHead(
        first="bob", second="ann", debates=2, points={"source": 0.75, "overall": 2.0}
    )
    # one run is one point: a tie is 1.5 of 3, and cyd's whole point on source is 3 of 3
    assert single == HeadToHead(
        first="ann", second="cyd", debates=1, points={"source": 0.0, "overall": 1.5}
    )


def test_swapping_sides_changes_nothing() -> None:
    turned = FRAME.rename(
        columns={"pro": "con", "con": "pro", "pro_score": "con_score", "con_score": "pro_score"}
    )
    assert head_to_head(turned, ["source", "overall"]) == head_to_head(FRAME, ["source", "overall"])


def test_a_table_has_a_row_for_each_pair() -> None:
    table = head_to_head_table(
        head_to_head(FRAME, ["source", "overall"]), ["source", "overall"], title="t"
    )
    assert table.head == ("first", "second", "source", "overall", "debates")
    assert table.rows == (("bob", "ann", "0.75", "2.00", "2"), ("ann", "cyd", "0.00", "1.50", "1"))
    assert table.notes[0].startswith(
        "Mean points per debate of the first; the second gets the rest"
    )


def test_what_all_pairs_have_in_common_needs_no_column() -> None:
    pairs = head_to_head(FRAME[FRAME["debate_id"] != "d1"], ["overall"])
    table = head_to_head_table(pairs, ["overall"], title="t")
    # d2: ann 2 of 3 against bob; d3: a tie
    assert table.rows == (("ann", "bob", "2.00"), ("ann", "cyd", "1.50"))
    assert table.notes[0].startswith("Debates of each pair: 1. Mean points")


@pytest.mark.parametrize("pairs", [[], head_to_head(FRAME.iloc[:0], ["overall"])])
def test_without_a_meeting_that_is_said(pairs: list[HeadToHead]) -> None:
    table = head_to_head_table(pairs, ["overall"], title="t")
    assert table.rows == ()
    assert table.notes == ("No pair of these has met in a debate with all its ballots.",)
