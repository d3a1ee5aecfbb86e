"""Agreement of benches and of runs, ties both ways (Table 6)."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.papers.agent4debate_tables import consistency_table
from arena.report.consistency import Consistency, between, within

#: Of five debates both judged four: equal wins, opposite wins, equal ties, a tie and a win.
VERDICTS = pd.DataFrame(
    [
        *[("d1", "deb", 1.0), ("d1", "jury", 1.0)],
        *[("d2", "deb", 1.0), ("d2", "jury", 0.0)],
        *[("d3", "deb", 0.5), ("d3", "jury", 0.5)],
        *[("d4", "deb", 0.5), ("d4", "jury", 0.0)],
        ("d5", "deb", 1.0),
    ],
    columns=["debate_id", "bench", "outcome"],
)


def test_benches_agree_where_outcomes_are_equal_or_one_is_a_tie() -> None:
    (found,) = between(VERDICTS, ["deb", "jury"])
    assert found == Consistency(judges="deb and jury", debates=4, lenient=0.75, strict=0.5)


def test_three_benches_are_three_pairs() -> None:
    result = between(VERDICTS, ["deb", "jury", "people"])
    assert [(one.judges, one.debates) for one in result] == [
        ("deb and jury", 4), ("deb and people", 0), ("jury and people", 0),
    ]  # fmt: skip


def test_runs_are_compared_two_by_two() -> None:
    rows = [("d1", "deb", run, outcome) for run, outcome in enumerate([1.0, 1.0, 0.5])]
    rows += [("d2", "deb", run, outcome) for run, outcome in enumerate([0.0, 1.0, 1.0])]
    rows += [("d3", "deb", 0, 1.0), ("d1", "jury", 0, 0.0)]
    ballots = pd.DataFrame(rows, columns=["debate_id", "bench", "run", "outcome"])
    # d1: one pair equal, two with a tie; d2: one pair equal, two opposite; d3 has no second run
    assert list(within(ballots, ["deb", "jury"])) == [
        Consistency(judges="runs of deb", debates=2, lenient=4 / 6, strict=2 / 6),
        Consistency(judges="runs of jury", debates=0, lenient=None, strict=None),
    ]


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=20))
def test_counting_one_by_one_gives_the_same(pairs: list[tuple[float, float]]) -> None:
    rows = [(f"d{n}", bench, one[k]) for n, one in enumerate(pairs) for k, bench in enumerate("ab")]
    (found,) = between(pd.DataFrame(rows, columns=list(VERDICTS.columns)), ["a", "b"])
    strict = [one for one in pairs if one[0] == one[1]]
    lenient = [one for one in pairs if abs(one[0] - one[1]) < 1]
    assert found.strict == pytest.approx(len(strict) / len(pairs))
    assert found.lenient == pytest.approx(len(lenient) / len(pairs))


def test_judges_without_common_debates_are_left_out() -> None:
    whole = list(between(VERDICTS, ["deb", "jury", "people"]))
    table = consistency_table(whole, machines=whole, benches=3)
    assert table.rows == (("deb and jury", "4", "0.75", "0.50"),)
    assert table.notes == (
        "Published, where a tie agrees with anything: Debatrix with people 0.56, without "
        "debates of people 0.66; among people 0.73, without 0.74.",
    )


def test_debates_of_people_are_told_apart_where_there_are_some() -> None:
    whole = list(between(VERDICTS, ["deb", "jury"]))
    machines = list(between(VERDICTS[VERDICTS["debate_id"] > "d2"], ["deb", "jury"]))
    table = consistency_table(whole, machines=machines, benches=2)
    assert table.head[4:] == ("no people", "ties agree", "strict")
    assert table.rows == (("deb and jury", "4", "0.75", "0.50", "2", "1.00", "0.50"),)


def test_one_bench_is_told_what_is_missing() -> None:
    table = consistency_table([], machines=[], benches=1)
    assert table.rows == ()
    assert table.notes[0].startswith("Two benches are needed to compare them: add another")
