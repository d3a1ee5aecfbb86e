"""The figures of progress as text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from arena.console.figures import Figures
from arena.console.figures_text import (
    format_line,
    format_result,
    format_seconds,
    format_traffic,
    format_troubles,
)
from arena.tournament.workload import UnitCount

FIGURES = Figures(
    units=(UnitCount("debate", 2, 16), UnitCount("ballot", 0, 1)),
    share=0.128,
    seconds=187.0,
    seconds_left=1500.0,
    calls=61,
    failed=1,
    in_flight=2,
    waiting=9,
    oldest=41.2,
    tokens=12345,
    tokens_per_second=9.84,
    spent=0.1234,
    limit=5.0,
    cost=0.1234,
    troubles=(),
)


def test_a_line_says_it_all() -> None:
    assert format_line(FIGURES) == (
        " 12 %  2 of 16 debates, 0 of 1 ballot · 61 calls done, 2 in flight (oldest 41 s), 9 "
        "waiting, 1 attempt failed · 9.8 tokens/s · 0.1234 of 5.00 USD · about 25 min left"
    )


def test_what_is_not_there_is_not_said() -> None:
    calm = replace(
        FIGURES, in_flight=0, waiting=0, failed=0, tokens_per_second=14850.0, limit=math.inf
    )
    assert format_traffic(calm) == "61 calls done · 14,850 tokens/s"
    assert format_line(calm).endswith("· 0.1234 USD · about 25 min left")
    assert format_line(replace(calm, share=1.0)).startswith("100 %")
    assert "left" not in format_line(replace(calm, share=1.0))
    assert "left" not in format_line(replace(calm, seconds_left=0.4))
    assert format_line(replace(calm, seconds_left=None)).endswith("time left not known")
    assert format_line(replace(calm, share=0.9999)).startswith(" 99 %")


def test_what_is_reserved_for_lost_answers_is_no_measured_cost() -> None:
    figures = replace(FIGURES, spent=1.5, unbilled=0.5, cost_unbilled=0.0234)
    assert "· 1.0000 of 5.00 USD (up to 1.5000) ·" in format_line(figures)
    assert format_result(figures).endswith(
        "and 0.1000 USD (up to 0.1234); with earlier runs, 1.0000 of 5.00 USD (up to 1.5000)."
    )


def test_only_a_few_troubles_are_listed() -> None:
    many = replace(FIGURES, troubles=tuple(f"model {n}: away" for n in range(7)))
    assert list(format_troubles(many)) == [
        *(f"model {n}: away" for n in range(4)),
        "and 3 models more",
    ]


def test_the_result_says_what_this_run_cost_and_what_was_spent_before() -> None:
    took = "It took 3 min 7 s, 61 calls with 12,345 tokens in their answers, and "
    assert format_result(FIGURES) == f"{took}0.1234 of 5.00 USD."
    assert format_result(replace(FIGURES, spent=1.5)) == (
        f"{took}0.1234 USD; with earlier runs, 1.5000 of 5.00 USD."
    )
    assert format_result(replace(FIGURES, limit=math.inf)) == f"{took}0.1234 USD."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (41.2, "41 s"),
        (59.7, "1 min"),
        (187, "3 min 7 s"),
        (3599.9, "1 h"),
        (7500, "2 h 5 min"),
        (86399.9, "1 d"),
        (200000, "2 d 7 h"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text
