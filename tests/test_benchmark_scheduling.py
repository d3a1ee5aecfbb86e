"""The measurement of the schedules: shares of a reference, stocks of judgements, placings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from arena.scheduling.recovery import RecoveryCurve
from arena.scheduling.simulation import FieldPlan, Judging
from arena.scheduling.waves import Situation
from benchmarks.schedule_asap import AsapSchedule, density_ratio
from benchmarks.schedule_chart import Curve, draw_curves
from benchmarks.schedule_newcomer import Placing, compare, summarise
from benchmarks.schedule_order import Cell, best_runs, order_rows
from benchmarks.schedule_replay import Judgement, Stock
from benchmarks.scheduling import order_cells
from ratings import Comparisons
from ratings.diagnostics.runs import cheapest_runs


def course(rise: float) -> RecoveryCurve:
    usd = np.arange(1.0, 101.0)
    none = np.zeros(4)
    tau = np.minimum(usd * rise, 1.0) + np.zeros((4, 1))
    return RecoveryCurve(usd=usd, tau=tau, matchups=usd / 2, settled=none, false=none)


def test_shares_are_of_the_reference_that_precedes_them() -> None:
    cells = [
        Cell(participants=10, prices=1.0, schedule=name, fields=4) for name in ("random", "Swiss")
    ]

    def courses() -> Iterator[RecoveryCurve]:
        yield course(0.01)
        yield course(0.02)

    first, second = order_rows(cells, courses())
    assert (first["usd"], first["share"]) == (pytest.approx(80), 1.0)
    assert (second["usd"], second["share"]) == (pytest.approx(40), pytest.approx(0.5))
    assert (second["low"], second["high"]) == (pytest.approx(0.5), pytest.approx(0.5))
    assert second["matchups"] == pytest.approx(20)


def test_single_schedules_are_measured_below_their_reference() -> None:
    names = ("random", "Swiss", "ASAP", "ASAP, approximate")
    whole = [(cell.participants, cell.schedule) for cell in order_cells(2, names, ())]
    assert whole == [(10, name) for name in names] * 2 + [(30, name) for name in names[:2]] * 2
    only = [(cell.participants, cell.schedule) for cell in order_cells(2, names, ("ASAP",))]
    assert only == [(10, "random"), (10, "ASAP")] * 2


def test_the_density_ratio_is_that_of_the_normal_distribution() -> None:
    shift = np.linspace(-6, 6, 25)
    assert density_ratio(shift) == pytest.approx(norm.pdf(shift) / norm.cdf(shift), rel=1e-12)


def test_asap_is_asked_for_the_pairs_of_a_wave() -> None:
    class Sampler:
        def __init__(self, size: int) -> None:
            self.size = size

        def run_asap(self, wins: NDArray[np.intp], *, mst_mode: bool) -> NDArray[np.intp]:
            assert mst_mode and wins.tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
            return np.array([[2, 0], [1, 2]])

    rows = Comparisons.of(["a", "b", "a", "a"], ["b", "a", "b", "c"], [1.0, 1.0, 1.0, 0.5])
    situation = Situation(participants=("a", "b", "c"), comparisons=rows, waves=())
    wave = AsapSchedule(Sampler).next_wave(situation)
    assert [meeting.pair for meeting in wave.meetings] == [("a", "c"), ("b", "c")]


def test_the_best_runs_follow_from_the_prices_of_a_field() -> None:
    plan = FieldPlan(judging=Judging(icc=0.2, usd=0.125))
    assert best_runs(plan) == cheapest_runs(0.2, 2.0, 0.125) == 8
    assert best_runs(replace(plan, prices=20.0)) > 8
    assert best_runs(FieldPlan(judging=Judging(icc=0.9, usd=5.0))) == 1


def test_a_stock_is_drawn_without_replacement() -> None:
    rows = [Judgement(first="b", second="a", outcome=value) for value in (1.0, 0.5, 0.0)]
    stock = Stock(rows, seed=1)
    drawn = [row for _ in range(5) for row in stock.draw(("a", "b"))]
    assert sorted(row.outcome for row in drawn) == [0.0, 0.5, 1.0]
    assert not stock.left


def test_newcomers_that_are_never_placed_count() -> None:
    placings = [
        Placing(debates=(np.inf, 80.0, 16.0), stable=True, off=1, half_width=200.0, kept=True),
        Placing(debates=(40.0, 20.0, 16.0), stable=False, off=3, half_width=100.0, kept=False),
    ]
    row = summarise("x", placings)
    assert (row["placed in 3"], row["median for 6"], row["stable after 15"]) == (0.5, 50.0, 0.5)
    assert (row["places off then"], row["± Elo then"]) == (2.0, 150.0)
    assert row["true place kept"] == 0.5
    # three places: never beside 1,600, and 40 of 40; six: 80 of 80, and 20 of 40
    slower = [placings[0], replace(placings[1], debates=(40.0, 40.0, 16.0))]
    quick = [replace(placings[0], debates=(400.0, 80.0, 16.0)), placings[1]]
    shares = compare(quick, slower)
    assert (shares["share for 3"], shares["share for 6"]) == (0.625, 0.75)
    assert (shares["low for 3"], shares["high for 3"]) == (0.25, 1.0)
    assert compare(placings[:1], placings[:1])["share for 6"] == 1.0
    assert "share for 3" not in compare(placings[:1], placings[:1])


def test_a_chart_has_a_line_for_each_schedule() -> None:
    curves = [Curve(name=name, usd=[10.0, 20.0], tau=[0.5, 0.8]) for name in ("random", "a < b")]
    text = draw_curves(curves, target=0.8)
    drawn = ElementTree.fromstring(text)
    lines = [line.get("points") for line in drawn if line.get("stroke-width") == "2.5"]
    assert lines == ["60.0,320.0 340.0,170.0 620.0,80.0"] * 2
    assert "a &lt; b" in text
