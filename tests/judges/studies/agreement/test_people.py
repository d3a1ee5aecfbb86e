"""Judges beside people: accuracy, chance, ceilings, against slow twins and other packages."""

from __future__ import annotations

import itertools

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from judges.studies.agreement.people import (
    PEOPLE,
    PeopleComparison,
    compare_with_people,
    decide_by_votes,
)
from tests.support.judge_verdicts import material

#: Of each debate: the judge's outcome, and people's.
JUDGED = {"a1/0": 1.0, "a1/1": 0.0, "b2/0": 0.5, "b2/1": 1.0, "c3/0": 0.0}
VOTES = {
    "a1/0": [1.0, 1.0, 0.0],
    "a1/1": [1.0],
    "b2/0": [1.0, 0.0],
    "b2/1": [0.5, 1.0],
    "c3/0": [0.0, 0.0, 0.5],
    "c3/1": [1.0, 1.0],  # the judge has not heard this one
}
#: What people's votes decide, where the judge has judged.
DECIDED = {"a1/0": 1.0, "a1/1": 1.0, "b2/0": 0.5, "b2/1": 1.0, "c3/0": 0.0}


def found(judge: str, by: str) -> PeopleComparison:
    given = material({"one": JUDGED, "crowd": VOTES}, people=["crowd"])
    (chosen,) = (one for one in compare_with_people(given) if (one.judge, one.by) == (judge, by))
    return chosen


def test_by_debates_the_peoples_majority_counts() -> None:
    one = found("one", "debate")
    assert (one.people, one.debates) == ("crowd", 5)
    assert (one.accuracy.value, one.accuracy.count) == (0.75, 4)
    assert (one.judge_ties, one.people_ties) == (0.2, 0.2)
    assert (one.strict.value, one.lenient.value) == (0.8, 0.8)
    pairs = [(str(JUDGED[debate]), str(DECIDED[debate])) for debate in DECIDED]
    assert one.kappa.value == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
    expected = krippendorff.alpha(
        reliability_data=[list(JUDGED.values()), list(DECIDED.values())],
        level_of_measurement="ordinal",
    )
    assert one.alpha.value == pytest.approx(expected)


@pytest.mark.parametrize("majority", [False, True])
def test_votes_decide_by_their_sum_or_by_majority(majority: bool) -> None:  # noqa: FBT001
    votes = np.array([[1, 2, 0], [2, 0, 1], [1, 1, 1], [0, 1, 2], [0, 2, 1], [2, 0, 2]], float)
    by_sum, by_majority = [1.0, 1.0, 0.5, 0.0, 0.0, 0.5], [0.5, 1.0, 0.5, 0.0, 0.5, 0.5]
    expected = by_majority if majority else by_sum
    assert decide_by_votes(votes, majority=majority).tolist() == expected


def test_by_votes_every_person_counts() -> None:
    one = found("one", "vote")
    pairs = [(JUDGED[debate], vote) for debate in JUDGED for vote in VOTES[debate]]
    named = [(a, b) for a, b in pairs if a != 0.5 and b != 0.5]
    assert one.accuracy.count == len(named) == 7
    assert one.accuracy.value == pytest.approx(np.mean([a == b for a, b in named]))
    assert one.strict.value == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert one.lenient.value == pytest.approx(np.mean([abs(a - b) < 1 for a, b in pairs]))
    assert one.people_ties == pytest.approx(np.mean([b == 0.5 for _, b in pairs]))
    labels = zip(*((str(a), str(b)) for a, b in pairs), strict=True)
    assert one.kappa.value == pytest.approx(cohen_kappa_score(*labels))
    rows = [[JUDGED[debate], *VOTES[debate]] for debate in JUDGED]
    padded = np.array([row + [np.nan] * (4 - len(row)) for row in rows]).T
    expected = krippendorff.alpha(reliability_data=padded, level_of_measurement="ordinal")
    assert one.alpha.value == pytest.approx(expected)


def test_the_ceiling_is_every_two_votes_of_a_debate() -> None:
    one = found(PEOPLE, "vote")
    pairs = [pair for votes in VOTES.values() for pair in itertools.combinations(votes, 2)]
    named = [(a, b) for a, b in pairs if a != 0.5 and b != 0.5]
    assert one.debates == 5  # one debate has a single vote
    assert one.accuracy.count == len(named)
    assert one.accuracy.value == pytest.approx(np.mean([a == b for a, b in named]))
    assert one.strict.value == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert one.lenient.value == pytest.approx(np.mean([abs(a - b) < 1 for a, b in pairs]))
    assert np.isnan(one.kappa.value)


def test_intervals_hold_the_figure_and_are_wide_with_few_debates() -> None:
    one = found("one", "debate")
    assert one.strict.lower < one.strict.value < one.strict.upper


def test_without_people_there_is_nothing_beside_them() -> None:
    assert list(compare_with_people(material({"one": JUDGED}))) == []


def test_people_alone_have_their_ceiling() -> None:
    (one,) = compare_with_people(material({"crowd": VOTES}, people=["crowd"]))
    assert one.judge == PEOPLE


def test_a_judge_of_other_debates_is_not_beside_them() -> None:
    said: dict[str, dict[str, float | list[float]]] = {
        "one": {"c9/0": 1.0},
        "crowd": {"a1/0": [1.0, 0.0]},
    }
    assert [one.judge for one in compare_with_people(material(said, people=["crowd"]))] == [PEOPLE]
