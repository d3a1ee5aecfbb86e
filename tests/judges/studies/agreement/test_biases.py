"""What sways a bench: sides, lengths, relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.boards.selection import Selection
from arena.debates.ballot import BallotRecord
from arena.debates.pairs import winner_flipped
from arena.records import ORDER, Debate, Step
from judges.studies.agreement.biases import (
    Bias,
    measure_biases,
    measure_motion_sides,
    measure_order_biases,
)
from judges.studies.agreement.material import Material, read_material
from ratings import clustered_share
from tests.support.judge_verdicts import configured, material
from tests.support.tournaments import commit, judged, planned, played, resolved_of


def bias(given: Material, name: str = "one") -> Bias:
    (found,) = (one for one in measure_biases(given) if one.bench == name)
    return found


def test_sides_are_counted_over_whole_matchups() -> None:
    """Pro twice, Con twice, a participant twice, a tie; and a leg that stands alone."""
    said = {
        "a1/0": 1.0, "a1/1": 1.0, "a2/0": 0.0, "a2/1": 0.0,
        "b3/0": 1.0, "b3/1": 0.0, "b4/0": 0.5, "b4/1": 0.5, "c5/0": 1.0,
    }  # fmt: skip
    one = bias(material({"one": said}))
    assert (one.same_side.value, one.same_side.count) == (0.5, 4)
    assert (one.pro.value, one.pro.count) == (0.5, 8)


def test_a_tie_and_a_defeat_are_not_the_same_side_twice() -> None:
    one = bias(material({"one": {"a1/0": 0.0, "a1/1": 0.5, "a2/0": 1.0, "a2/1": 0.5}}))
    assert one.same_side.value == 0.0


def test_motions_tell_their_sides() -> None:
    said = {"a1/0": 1.0, "a1/1": 1.0, "a2/0": 1.0, "a2/1": 0.0, "b3/0": 0.0, "b3/1": 0.0}
    found = {one.motion: one for one in measure_motion_sides(material({"one": said}))}
    assert (found["a"].matchups, found["a"].same_side, found["a"].pro) == (2, 0.5, 0.75)
    assert (found["b"].matchups, found["b"].same_side, found["b"].pro) == (1, 1.0, 0.0)


def test_the_longer_speaker_wins() -> None:
    said = {"a1/0": 1.0, "a1/1": 1.0, "b2/0": 0.5, "b2/1": 0.0}
    words = {"a1/0": (200, 100), "a1/1": (100, 200), "b2/0": (50, 40), "b2/1": (30, 30)}
    one = bias(material({"one": said}, words=words))
    assert one.longer.value == pytest.approx(0.5) and one.longer.count == 3


def test_length_that_only_goes_with_strength_is_no_bias() -> None:
    """`ann` speaks longer and nearly always wins, on both sides: her rating says as much."""
    said = {f"a{n}/{leg}": float(leg == 0) for n in range(40) for leg in (0, 1)}
    words = {debate: (200, 100) if debate.endswith("0") else (100, 200) for debate in said}
    one = bias(material({"one": said}, words=words))
    assert one.longer.value == 1.0
    assert abs(one.beyond.value) < 0.1


def test_length_that_decides_whoever_speaks_is_one() -> None:
    said, words = {}, {}
    for n in range(20):
        for leg in (0, 1):
            longer = (n + leg) % 2 == 0
            said[f"a{n}/{leg}"] = float(longer)
            words[f"a{n}/{leg}"] = (200, 100) if longer else (100, 200)
    one = bias(material({"one": said}, words=words))
    assert one.beyond.value == pytest.approx(0.5, abs=0.05)
    assert one.beyond.lower > 0.3


def test_the_own_family_is_compared_with_what_others_give_it() -> None:
    """`one` is of `ann`'s family and lets her win; `two` is not, and does not."""
    said = {
        "one": {f"a{n}/{leg}": float(leg == 0) for n in range(5) for leg in (0, 1)},
        "two": {f"a{n}/{leg}": float(leg == 1) for n in range(5) for leg in (0, 1)},
    }
    benches = [{"name": "one", "model": "offline/strong"}, {"name": "two"}]
    given = material(said, benches=benches)
    one = bias(given)
    assert (one.own.value, one.own_elsewhere.value, one.preference.value) == (1, 0, 1)
    assert np.isnan(bias(given, "two").own.value)  # nobody debates on a model of its family


def test_a_debaters_roles_are_of_the_family_too() -> None:
    """`bob`'s inner judge is of the family of `one`; `ann` is on none of its models."""
    said = {"one": {"a1/0": 0.0, "a1/1": 1.0}, "two": {"a1/0": 0.5, "a1/1": 1.0}}
    benches = [{"name": "one", "model": "offline/good"}, {"name": "two", "model": "offline/fair"}]
    given = material(said, benches=benches)
    assert bias(given).own.count == 0
    team = {"debater": "mad", "options": {"models": {"judge": "offline/good"}}}
    mixed = configured(*benches)
    mixed["participants"][1] |= team
    one = bias(replace(given, resolved=resolved_of(mixed)))
    assert (one.own.value, one.own_elsewhere.value) == (1.0, 0.75)


@pytest.mark.parametrize(("written", "counted"), [("", 0), ("strong", 2)])
def test_a_jury_of_several_families_has_none_of_its_own(written: str, counted: int) -> None:
    """The bench's model need not even sit."""
    members = [{"judge": "single", "model": f"offline/{one}"} for one in ("good", "fair", "good")]
    jury = {
        "name": "one",
        "judge": "jury",
        "model": "offline/strong",
        "options": {"members": members},
        "family": written,
    }
    one = bias(material({"one": {"a1/0": 1.0, "a1/1": 0.0}}, benches=[jury]))
    assert one.own.count == counted


def test_debates_within_the_family_tell_nothing() -> None:
    seats = {"a1/0": ("ann", "ann"), "b2/0": ("bob", "cyd")}
    benches = [{"name": "one", "model": "offline/strong"}]
    said = {"one": {"a1/0": 1.0, "b2/0": 1.0}}
    assert bias(material(said, benches=benches, seats=seats)).own.count == 0


def test_a_jury_with_one_of_the_family_is_no_measure_of_it() -> None:
    members = [{"judge": "single", "model": f"offline/{one}"} for one in ("strong", "fair")]
    jury = {"judge": "jury", "options": {"members": members, "combine": "mean"}}
    benches: list[dict[str, Any]] = [
        {"name": "one", "model": "offline/strong"},
        {"name": "two", **jury},
    ]
    said = {"one": {"a1/0": 1.0}, "two": {"a1/0": 1.0}}
    one = bias(material(said, benches=benches))
    assert (one.own.count, one.own_elsewhere.count) == (1, 0)


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


def stored_orders(path: Path, dimension: str) -> tuple[Material, list[BallotRecord]]:
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
    given, ballots = stored_orders(tmp_path / "own.duckdb", "overall")
    (found,) = measure_order_biases(given)
    flips = [winner_flipped(one.ballot.trace) for one in ballots]
    assert found.ballots == 3
    assert found.flipped.value == pytest.approx(sum(map(bool, flips)) / 3)
    given, _ = stored_orders(tmp_path / "other.duckdb", "source")
    (found,) = measure_order_biases(given)
    assert (found.flipped.value, found.one_sided.value) == pytest.approx((1 / 3, 1 / 3))
