"""Pairs that were judged in both orders: read from the store, and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.boards.selection import Selection
from arena.debates.ballot import BallotRecord
from arena.debates.pairs import ORDER, winner_flipped
from arena.records import Debate, Step
from judges.studies.agreement.material import Material, read_material
from judges.studies.agreement.orders import measure_order_biases
from ratings import clustered_share
from tests.handmade import commit, judged, planned, played
from tests.verdicts import material


def test_flips_halves_and_whoever_stands_first() -> None:
    """First wins twice (a flip), better wins twice, a win and a tie, two ties."""
    given = material({"one": {"m0/0": 0.5}}, orders={"one": [(1, 0), (1, 1), (0.5, 0), (0.5, 0.5)]})
    (found,) = measure_order_biases(given)
    assert (found.bench, found.ballots) == ("one", 4)
    assert (found.flipped.value, found.one_sided.value) == (0.25, 0.25)
    assert found.first.value == pytest.approx((1 + 0.5 + 0.75 + 0.5) / 4)
    share = clustered_share([True, False, False, False], range(4))
    assert (found.flipped.lower, found.flipped.upper) == (share.lower, share.upper)


def test_one_order_alone_tells_nothing() -> None:
    assert list(measure_order_biases(material({"one": {"m0/0": 0.5}}))) == []


def both(debate: Debate, *orders_said: Mapping[str, float]) -> BallotRecord:
    """A ballot of both orders, by what each said of each dimension."""
    trace: tuple[Step, ...] = tuple(
        {
            "agent": ORDER,
            "order": order,
            "verdicts": [
                {"dimension": name, "outcome": outcome, "comment": "It's so."}
                for name, outcome in said.items()
            ],
            "steps": [{"agent": "judge"}],
        }
        for order, said in zip(("given", "exchanged"), orders_said, strict=True)
    )
    record = judged(debate, 0.5, source=0.5)
    return replace(record, ballot=replace(record.ballot, swapped=True, trace=trace))


def stored(path: Path, dimension: str) -> tuple[Material, list[BallotRecord]]:
    """Three ballots of both orders, one of one order, a failed one."""
    store, plan = planned(path)
    first, second, third, fourth, fifth = plan.debates[:5]
    ballots = [
        both(first, {"source": 0.0, "overall": 1.0}, {"source": 0.0, "overall": 0.0}),
        both(second, {"source": 1.0, "overall": 1.0}, {"source": 0.0, "overall": 0.5}),
        both(third, {"source": 0.5, "overall": 0.0}, {"source": 1.0, "overall": 0.0}),
    ]
    others = judged(fourth, 1.0), judged(fifth, status="failed")
    commit(store, *map(played, plan.debates[:5]), *ballots, *others)
    selection = Selection(tournament=plan.resolved.name, bench="all", dimension=dimension)
    return read_material(store, plan.resolved, selection), ballots


def test_stored_orders_are_read_for_each_dimension(tmp_path: Path) -> None:
    given, ballots = stored(tmp_path / "own.duckdb", "overall")
    (found,) = measure_order_biases(given)
    flips = [winner_flipped(one.ballot.trace) for one in ballots]
    assert found.ballots == 3
    assert found.flipped.value == pytest.approx(sum(map(bool, flips)) / 3)
    given, _ = stored(tmp_path / "other.duckdb", "source")
    (found,) = measure_order_biases(given)
    assert (found.flipped.value, found.one_sided.value) == pytest.approx((1 / 3, 1 / 3))
