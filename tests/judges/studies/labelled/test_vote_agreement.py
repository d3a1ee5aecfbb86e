"""Agreement with each vote, worked by hand; and MT-Bench's size as a whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.console.tables import as_text
from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.pairs import read_pairs
from judges.studies.labelled.vote_agreement import PEOPLE, measure_votes, votes_table
from judges.studies.labelled.votes import majority
from tests.command_line import arena, done
from tests.judges.studies.labelled.test_accuracy import judged
from tests.layouts import mt_bench, write_rows


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
def test_three_thousand_pairs_with_three_votes_each(tmp_path: Path) -> None:
    file = write_rows(mt_bench(pairs=3_000), tmp_path / "mt.parquet")
    words = ("judges", "evaluate", file, "--db", tmp_path / "x.duckdb", "--judge", "single",
             "--model", "offline/good", "--yes")  # fmt: skip
    first = json.loads(arena(*words, "--format", "json").stdout)
    (row,) = first["accuracies"]
    assert (first["pairs"], row["pairs"], row["missing"]) == (3_000, 3_000, 0)
    assert first["votes"][0]["same"]["count"] == 9_000
    assert first["votes"][1]["same"]["mean"] == pytest.approx(1 / 3), "two of three say a"
    assert set(first["categories"]) == {"turn 1", "turn 2"}
    assert "3000 taken before, 0 to take" in done(*words, "--dry-run")
    assert json.loads(arena(*words, "--format", "json").stdout) == first
