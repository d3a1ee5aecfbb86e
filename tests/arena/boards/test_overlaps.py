"""Open orders of pairs whose intervals do not overlap are told, with the reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.boards.overlaps import format_bars, interval_notes_of_open
from ratings import PlanProgress
from tests.support.boards import board_of, records

#: The unbeaten first is far from the last, which it has never met; orders are few.
CHAIN = board_of(records(a_b=(9, 3), b_c=(9, 3), c_d=(9, 3)))
OPEN = replace(CHAIN, separated=())


def test_an_open_order_of_intervals_that_exclude_each_other_is_explained() -> None:
    apart = [
        (better.participant, worse.participant)
        for better in OPEN.rows
        for worse in OPEN.rows
        if better.lower > worse.upper
    ]
    assert ("a", "d") in apart
    (note,) = interval_notes_of_open(OPEN)
    assert note == (
        f"{len(apart)} pair (a and d) has intervals that do not overlap and an order that is not "
        "settled: an interval is of one rating alone, an order is settled for all pairs at once"
    )
    assert interval_notes_of_open(replace(OPEN, separated=tuple(apart))) == []


@pytest.mark.parametrize(
    ("pairing", "share", "reason"),
    [
        ("planned", 1.0, "one rating alone, an order is settled for all pairs at once"),
        ("planned", 0.5, "alone, at one look, an order is settled for all pairs and looks at once"),
        ("mixed", 1.0, "alone, at one look, an order is settled for all pairs and looks at once"),
        ("guided", 1.0, "one rating alone, an order is settled for all pairs and looks at once"),
    ],
)
def test_the_reason_is_what_the_statements_hold_for(
    pairing: str, share: float, reason: str
) -> None:
    looked = replace(OPEN, pairing=pairing, plan=PlanProgress(share=share))  # type: ignore[arg-type]
    (note,) = interval_notes_of_open(looked)
    assert note.endswith(reason)
    assert f"hold for {looked.at_once} at once; " in format_bars(looked)


def test_bars_that_are_thick_are_counted_by_themselves() -> None:
    apart = [
        (better.participant, worse.participant)
        for better in OPEN.rows
        for worse in OPEN.rows
        if better.comparison_lower > worse.comparison_upper
    ]
    assert f"{len(apart)} pairs (first a and c) have such bars" in format_bars(OPEN)
    settled = format_bars(replace(OPEN, separated=tuple(apart)))
    assert settled.endswith("Settled orders hold for all pairs at once.")
    assert " Both reach " in format_bars(replace(OPEN, both_ways=True))
    assert " Both reach " not in settled
