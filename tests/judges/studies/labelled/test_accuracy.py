"""Accuracy and the tests between two judges, with scipy and statsmodels as oracles."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.contingency_tables import mcnemar

from arena.output.tables import as_text
from judges.studies.labelled.accuracy import (
    PEOPLE,
    PairVerdict,
    contrast,
    contrast_benches,
    measure_accuracy,
    measure_votes,
    votes_table,
)
from judges.studies.labelled.pairs import read_pairs
from judges.studies.labelled.rows import majority
from tests.support.command_line import arena, done
from tests.support.labelled_layouts import mt_bench, write_rows


def judged(item: str, label: float, outcome: float, **more: object) -> PairVerdict:
    given: dict[str, object] = {
        "bench": "b", "question": item, "category": "", "gap": 0.0, "flips": 0, "orders": 0,
        "rounds": (), "usd": 0.5, "tokens": 10.0,
    }  # fmt: skip
    return PairVerdict(item=item, label=label, outcome=outcome, **(given | more))  # type: ignore[arg-type]


def test_ties_are_counted_apart() -> None:
    found = [
        judged("1", 1, 1),
        judged("2", 1, 0.5, flips=1, orders=1),
        judged("3", 0, 1, orders=1),
        judged("4", 0, 0),
        judged("5", 0.5, 0.5),
        judged("6", 0.5, 0),
    ]
    one = measure_accuracy("b", found, missing=2)
    assert (one.pairs, one.right, one.ties, one.share) == (4, 2, 1, 0.5)
    assert (one.even, one.even_right, one.missing) == (2, 1, 2)
    assert one.flip_rate == 0.5
    assert (one.usd, one.usd_per_right, one.tokens_per_right) == (3.0, 1.0, 20.0)


def test_of_nothing_nothing_is_known() -> None:
    one = measure_accuracy("b", [], missing=3)
    assert (one.pairs, one.right) == (0, 0)
    assert all(map(isnan, (one.share, one.lower, one.flip_rate, one.usd_per_right)))
    assert isnan(measure_accuracy("b", [judged("1", 1, 0)], missing=0).usd_per_right)


@pytest.mark.parametrize("seed", range(5))
def test_the_tests_are_those_of_scipy_and_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 2, 60).astype(float), rng.integers(0, 2, 60).astype(float)
    names = [str(pair) for pair in range(60)]
    difference = contrast(("one", "other"), one, other, names)
    expected = ttest_rel(other, one)
    assert (difference.t, difference.t_p) == pytest.approx((expected.statistic, expected.pvalue))
    table = [[sum((one == a) & (other == b)) for b in (1, 0)] for a in (1, 0)]
    assert (difference.only_first, difference.only_second) == (table[0][1], table[1][0])
    assert difference.mcnemar_p == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert difference.difference == pytest.approx(other.mean() - one.mean())
    back = contrast(("other", "one"), other, one, names)
    assert difference.swapped() == back


def test_two_that_never_differ_have_no_t_and_a_p_of_one() -> None:
    difference = contrast(("one", "other"), [1, 0, 1], [1, 0, 1], [*"abc"])
    assert isnan(difference.t) and isnan(difference.t_p)
    assert (difference.difference, difference.mcnemar_p) == (0, 1)
    nothing = contrast(("one", "other"), [], [], [])
    assert isnan(nothing.difference) and nothing.mcnemar_p == 1


def test_pairs_of_one_question_are_one_cluster() -> None:
    first, second = [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 0, 1]
    alone = contrast(("one", "other"), first, second, [*"abcdef"])
    fourfold = contrast(("one", "other"), first * 4, second * 4, [*"abcdef"] * 4)
    assert (fourfold.pairs, fourfold.questions, fourfold.only_second) == (24, 6, 20)
    assert fourfold.mcnemar_p == alone.mcnemar_p == pytest.approx(14 / 64)
    assert (fourfold.t, fourfold.t_p) == pytest.approx((alone.t, alone.t_p))
    assert contrast(("one", "other"), first * 4, second * 4, [str(n) for n in range(24)]).t_p < 0.01


def test_only_pairs_that_both_have_and_people_decide_are_compared() -> None:
    found = [
        *(judged(str(n), 1, 1, bench="x") for n in range(4)),
        *(judged(str(n), 1, n % 2, bench="y") for n in range(2, 6)),
        judged("9", 0.5, 0.5, bench="x"),
        judged("9", 0.5, 0.0, bench="y"),
    ]
    (one,) = contrast_benches(["x", "y"], found)
    assert (one.pairs, one.only_first, one.only_second) == (2, 1, 0)


def test_a_majority_is_what_most_say_and_else_a_tie() -> None:
    assert [majority(votes) for votes in ([1, 1, 0], [0], [1, 0], [0.5, 0.5, 1], [1, 1, 0, 0])] == [
        *(1, 0, 0.5, 0.5, 0.5)
    ]


def test_every_vote_counts_and_people_are_compared_two_by_two(tmp_path: Path) -> None:
    rows = mt_bench(pairs=2, wins=("a", "b", "a")) + mt_bench(pairs=1, votes=2, wins=("tie", "a"))
    pairs = read_pairs(write_rows(rows, tmp_path / "v.jsonl"), {}).pairs
    assert [pair.votes for pair in pairs] == [(1.0, 0.0, 1.0, 0.5, 1.0), (1.0, 0.0, 1.0)]
    verdicts: list[PairVerdict] = [
        judged(pairs[0].item, pairs[0].outcome, 1.0, votes=pairs[0].votes),
        judged(pairs[1].item, pairs[1].outcome, 0.0, votes=pairs[1].votes),
    ]
    judge, people = measure_votes(["b"], verdicts, pairs)
    assert (judge.same.count, judge.decided.count) == (8, 7)
    assert [judge.same.mean, judge.decided.mean] == pytest.approx([4 / 8, 4 / 7])
    # of five votes ten pairs: (1,1) three times the same; of three votes one of three
    assert (people.name, people.same.count, people.decided.count) == (PEOPLE, 13, 9)
    assert [people.same.mean, people.decided.mean] == pytest.approx([4 / 13, 4 / 9])
    shown = as_text(votes_table((judge, people)), width=200)
    assert "people with each other     13  0.308" in shown


def test_single_votes_have_no_table(tmp_path: Path) -> None:
    pairs = read_pairs(write_rows(mt_bench(votes=1), tmp_path / "v.jsonl"), {}).pairs
    assert measure_votes(["b"], [], pairs) == ()


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [300, pytest.param(3_000, marks=pytest.mark.deep)])
def test_thousands_of_pairs_with_three_votes_each(pairs: int, tmp_path: Path) -> None:
    file = write_rows(mt_bench(pairs=pairs), tmp_path / "mt.parquet")
    words = ("judges", "evaluate", file, "--db", tmp_path / "x.duckdb", "--judge", "single",
             "--model", "offline/good", "--yes")  # fmt: skip
    first = json.loads(arena(*words, "--format", "json").stdout)
    (row,) = first["accuracies"]
    assert (first["pairs"], row["pairs"], row["missing"]) == (pairs, pairs, 0)
    assert first["votes"][0]["same"]["count"] == 3 * pairs
    assert first["votes"][1]["same"]["mean"] == pytest.approx(1 / 3), "two of three say a"
    assert set(first["categories"]) == {"turn 1", "turn 2"}
    assert f"{pairs} taken before, 0 to take" in done(*words, "--dry-run")
    assert json.loads(arena(*words, "--format", "json").stdout) == first
