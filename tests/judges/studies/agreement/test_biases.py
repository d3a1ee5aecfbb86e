"""What sways a bench: sides, lengths, relations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judges.studies.agreement.biases import Bias, measure_biases, measure_motion_sides
from judges.studies.agreement.material import Material
from tests.handmade import resolved_of
from tests.verdicts import configured, material


def bias(given: Material, name: str = "one") -> Bias:
    (found,) = (one for one in measure_biases(given) if one.bench == name)
    return found


def test_sides_are_counted_over_whole_matchups() -> None:
    """Pro twice, Con twice, a participant twice, a tie; and a leg that stands alone."""
    said = {
        "a1/0": 1.0, "a1/1": 1.0, "a2/0": 0.0, "a2/1": 0.0,
        "b3/0": 1.0, "b3/1": 0.0, "b4/0": 0.5, "b4/1": 0.5, "c5/0": 1.0,
    }  # fmt: skip
    measured_bias = bias(material({"one": said}))
    assert (measured_bias.same_side.value, measured_bias.same_side.count) == (0.5, 4)
    assert (measured_bias.pro.value, measured_bias.pro.count) == (0.5, 8)


def test_a_tie_and_a_defeat_are_not_the_same_side_twice() -> None:
    measured_bias = bias(material({"one": {"a1/0": 0.0, "a1/1": 0.5, "a2/0": 1.0, "a2/1": 0.5}}))
    assert measured_bias.same_side.value == 0.0


def test_motions_tell_their_sides() -> None:
    said = {"a1/0": 1.0, "a1/1": 1.0, "a2/0": 1.0, "a2/1": 0.0, "b3/0": 0.0, "b3/1": 0.0}
    found = {one.motion: one for one in measure_motion_sides(material({"one": said}))}
    assert (found["a"].matchups, found["a"].same_side, found["a"].pro) == (2, 0.5, 0.75)
    assert (found["b"].matchups, found["b"].same_side, found["b"].pro) == (1, 1.0, 0.0)


def test_the_longer_speaker_wins() -> None:
    said = {"a1/0": 1.0, "a1/1": 1.0, "b2/0": 0.5, "b2/1": 0.0}
    words = {"a1/0": (200, 100), "a1/1": (100, 200), "b2/0": (50, 40), "b2/1": (30, 30)}
    measured_bias = bias(material({"one": said}, words=words))
    assert measured_bias.longer.value == pytest.approx(0.5) and measured_bias.longer.count == 3


def test_length_that_only_goes_with_strength_is_no_bias() -> None:
    """`ann` speaks longer and nearly always wins, on both sides: her rating says as much."""
    said = {f"a{n}/{leg}": float(leg == 0) for n in range(40) for leg in (0, 1)}
    words = {debate: (200, 100) if debate.endswith("0") else (100, 200) for debate in said}
    measured_bias = bias(material({"one": said}, words=words))
    assert measured_bias.longer.value == 1.0
    assert abs(measured_bias.beyond.value) < 0.1


def test_length_that_decides_whoever_speaks_is_one() -> None:
    said, words = {}, {}
    for n in range(20):
        for leg in (0, 1):
            longer = (n + leg) % 2 == 0
            said[f"a{n}/{leg}"] = float(longer)
            words[f"a{n}/{leg}"] = (200, 100) if longer else (100, 200)
    measured_bias = bias(material({"one": said}, words=words))
    assert measured_bias.beyond.value == pytest.approx(0.5, abs=0.05)
    assert measured_bias.beyond.lower > 0.3


def test_the_own_family_is_compared_with_what_others_give_it() -> None:
    """`one` is of `ann`'s family and lets her win; `two` is not, and does not."""
    said = {
        "one": {f"a{n}/{leg}": float(leg == 0) for n in range(5) for leg in (0, 1)},
        "two": {f"a{n}/{leg}": float(leg == 1) for n in range(5) for leg in (0, 1)},
    }
    benches = [{"name": "one", "model": "offline/strong"}, {"name": "two"}]
    given = material(said, benches=benches)
    measured_bias = bias(given)
    assert (
        measured_bias.own.value,
        measured_bias.own_elsewhere.value,
        measured_bias.preference.value,
    ) == (1, 0, 1)
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
    measured_bias = bias(replace(given, resolved=resolved_of(mixed)))
    assert (measured_bias.own.value, measured_bias.own_elsewhere.value) == (1.0, 0.75)


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
    measured_bias = bias(material({"one": {"a1/0": 1.0, "a1/1": 0.0}}, benches=[jury]))
    assert measured_bias.own.count == counted


def test_debates_within_the_family_tell_nothing() -> None:
    seats = {"a1/0": ("ann", "ann"), "b2/0": ("bob", "cyd")}
    benches = [{"name": "one", "model": "offline/strong"}]
    measured_bias = bias(
        material({"one": {"a1/0": 1.0, "b2/0": 1.0}}, benches=benches, seats=seats)
    )
    assert measured_bias.own.count == 0


def test_a_jury_with_one_of_the_family_is_no_measure_of_it() -> None:
    members = [{"judge": "single", "model": f"offline/{one}"} for one in ("strong", "fair")]
    jury = {"judge": "jury", "options": {"members": members, "combine": "mean"}}
    benches: list[dict[str, Any]] = [
        {"name": "one", "model": "offline/strong"},
        {"name": "two", **jury},
    ]
    said = {"one": {"a1/0": 1.0}, "two": {"a1/0": 1.0}}
    measured_bias = bias(material(said, benches=benches))
    assert (measured_bias.own.count, measured_bias.own_elsewhere.count) == (1, 0)
