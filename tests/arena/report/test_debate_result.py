"""The result of a debate in words, with the reasons of its judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.boards.votes import bench_result
from arena.languages import Side
from arena.report.debate_result import bench_decisions, format_result, format_score

_NAMES: dict[Side, str] = {"pro": "ann", "con": "bob"}


@pytest.mark.parametrize(
    ("outcomes", "by_majority", "words"),
    [
        ([1.0, 1.0, 1.0], False, "Bench b: ann won as Pro, 3 to 0 from 3 ballots."),
        ([0.0, 0.5], False, "Bench b: bob won as Con, 1.5 to 0.5 from 2 ballots."),
        ([1.0, 0.5, 0.5], False, "Bench b: ann won as Pro, 2 to 1 from 3 ballots."),
        ([1.0, 0.5, 0.5], True, "Bench b: a tie, 2 to 1 from 3 ballots."),
        ([1.0, 0.0], True, "Bench b: a tie, 1 to 1 from 2 ballots."),
        ([0.0] * 4 + [1.0] * 2, False, "Bench b: bob won as Con, 2 to 1 from 6 ballots."),
        ([], False, "Bench b: no verdict yet."),
    ],
)
def test_a_result_names_the_winner_and_its_margin(
    outcomes: list[float], by_majority: bool, words: str
) -> None:
    assert format_result("b", bench_result(outcomes, by_majority=by_majority), _NAMES) == words


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=9), st.booleans())
def test_exchanged_sides_exchange_the_winner_alone(
    outcomes: list[float], by_majority: bool
) -> None:
    own = bench_result(outcomes, by_majority=by_majority)
    other = bench_result([1 - outcome for outcome in outcomes], by_majority=by_majority)
    assert own is not None and other is not None
    assert {own.winner, other.winner} in ({"pro", "con"}, {None})
    if own.winner:
        assert format_score(own) == format_score(other)


def _verdict(dimension: str, outcome: float, marks: Sequence[float | None], said: str) -> Any:  # noqa: ANN401
    return {
        "bench": "b", "status": "valid", "dimension": dimension, "outcome": outcome,
        "pro_mark": marks[0], "con_mark": marks[1], "comment": said,
    }  # fmt: skip


def test_reasons_agree_with_the_result_and_begin_with_the_decisive() -> None:
    rows = [
        _verdict("overall", 0.0, (5, 6), "Con, says one."),
        _verdict("overall", 1.0, (6, 5), "Pro is  ahead.\nClearly."),
        _verdict("language", 1.0, (7, 6), "Better words."),
        _verdict("source", 0.0, (2, 9), "No sources."),
        _verdict("argument", 1.0, (9, 4), f"Better reasons. {'x' * 500}"),
        _verdict("argument", 1.0, (6, 5), "Again."),
        _verdict("style", 1.0, (None, None), "Better style."),
        _verdict("overall", 1.0, (6, 5), " "),
        {"bench": "c", "status": "failed", "dimension": None, "outcome": None, "comment": None},
    ]
    first, second = bench_decisions(rows, _NAMES)
    assert first.sentence == "Bench b: ann won as Pro, 2 to 1 from 3 ballots."
    overall, argument, language = first.reasons
    assert overall == "Pro is ahead. Clearly."
    assert argument.startswith("argument: Better reasons. xxx") and len(argument) < 200
    assert language == "language: Better words."
    assert (second.sentence, second.reasons) == ("Bench c: no verdict yet.", ())


def test_a_tie_of_runs_has_the_reasons_of_both_sides() -> None:
    rows = [
        _verdict("overall", 1.0, (6, 5), "Pro is ahead."),
        _verdict("source", 0.5, (5, 5), "Alike."),
        _verdict("overall", 0.0, (5, 6), "Con is ahead."),
        _verdict("overall", 0.5, (5, 5), "Nobody is ahead."),
    ]
    (split,) = bench_decisions(rows, _NAMES)
    assert split.sentence.startswith("Bench b: a tie")
    assert split.reasons == ("for Pro: Pro is ahead.", "for Con: Con is ahead.")
    (agreed,) = bench_decisions(rows[3:], _NAMES)
    assert agreed.reasons == ("Nobody is ahead.",)
