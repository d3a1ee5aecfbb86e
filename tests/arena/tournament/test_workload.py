"""The units of a run: how many are done, and how many calls the others still take."""

from __future__ import annotations

import pytest

from arena.tournament.workload import Workload


def two_debates() -> Workload:
    workload = Workload()
    for debate in ("d1", "d2"):
        workload.add("debate", debate, {"m": 10.0, "n": 4.0})
        workload.add("ballot", f"b-{debate}", {"n": 3.0}, after=debate)
    return workload


def test_before_anything_is_done_the_plan_says_what_is_left() -> None:
    workload = two_debates()
    assert workload.counts() == [("debate", 0, 2, 0, 0), ("ballot", 0, 2, 0, 0)]
    assert workload.left({}) == {"m": 20.0, "n": 14.0}


def test_calls_of_units_under_way_are_left_no_more() -> None:
    workload = two_debates()
    made = workload.made({"m": 6})
    assert workload.left(made) == {"m": 14.0, "n": 14.0}
    assert workload.left(workload.made({"m": 100}))["m"] == 0.0


def test_units_that_are_done_correct_the_forecast_of_their_kind() -> None:
    workload = two_debates()
    workload.finish("debate", "d1", ["m"] * 30 + ["n"] * 2)
    assert workload.counts() == [("debate", 1, 2, 0, 0), ("ballot", 0, 2, 0, 0)]
    made = workload.made({"m": 35, "n": 2})
    left = workload.left(made)
    assert left == {"m": 30.0 - 5.0, "n": pytest.approx(2.0 + 2 * 3.0)}


def test_a_model_that_the_forecast_does_not_know_is_expected_again() -> None:
    workload = two_debates()
    workload.finish("debate", "d1", ["searcher"] * 7)
    assert workload.left(workload.made({}))["searcher"] == 7.0


def test_calls_from_journals_are_not_calls_of_units_under_way() -> None:
    workload = two_debates()
    workload.finish("debate", "d1", ["m"] * 10)  # all from its journal: none was made in this run
    assert workload.made({"m": 0}) == {"m": 10}
    assert workload.left(workload.made({"m": 0}))["m"] == 10.0


def test_the_ballots_on_a_forfeit_are_left_out() -> None:
    workload = two_debates()
    workload.drop_after("d1")
    workload.finish("debate", "d1", ["m"])
    assert workload.counts() == [("debate", 1, 2, 0, 0), ("ballot", 0, 1, 0, 0)]


def test_what_waits_for_a_person_stays_undone_without_calls() -> None:
    workload = two_debates()
    workload.suspend("debate", "d1")
    assert workload.counts() == [("debate", 0, 2, 1, 0), ("ballot", 0, 2, 1, 0)]
    assert workload.left({}) == {"m": 10.0, "n": 7.0}
    workload.finish("debate", "d1", [])
    workload.finish("ballot", "b-d1", [])
    assert workload.counts() == [("debate", 1, 2, 0, 0), ("ballot", 1, 2, 0, 0)]


def test_what_failed_has_come_to_its_end_but_is_not_done() -> None:
    workload = two_debates()
    workload.finish("debate", "d1", ["m"] * 10)
    workload.finish("ballot", "b-d1", ["n"] * 6, failed=True)
    debates, ballots = workload.counts()
    assert ballots == ("ballot", 0, 2, 0, 1)
    assert (debates.left, ballots.left) == (1, 1)
    assert workload.left(workload.made({}))["n"] == 6.0  # its calls tell of the next one
