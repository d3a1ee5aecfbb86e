"""Benches beside each other, and each beside itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from judges.studies.agreement.bench_agreement import (
    matrix_table,
    measure_pairs,
    measure_panel,
    measure_retests,
    rate_participants,
)
from ratings import Comparisons, fit
from tests.support.judge_verdicts import material

#: Both judged four debates: equal twice, a tie and a win, opposite; one more by the first alone.
SAID = {
    "one": {"a1/0": 1.0, "a1/1": 0.0, "b2/0": 0.5, "b2/1": 1.0, "c3/0": 1.0},
    "two": {"a1/0": 1.0, "a1/1": 0.0, "b2/0": 1.0, "b2/1": 0.0},
}


def test_two_benches_are_compared_on_what_both_have_judged() -> None:
    (found,) = measure_pairs(material(SAID))
    assert (found.first, found.second, found.debates) == ("one", "two", 4)
    assert found.strict.value == 0.5 and found.lenient.value == 0.75
    # Equal by chance: (2 x 2 + 1 x 0 + 1 x 2) of 16.
    assert found.kappa.value == pytest.approx((0.5 - 6 / 16) / (1 - 6 / 16))


def test_intervals_come_from_matchups() -> None:
    """Two matchups, one of equal and one of unequal outcomes, tell nearly nothing."""
    (found,) = measure_pairs(material(SAID))
    assert found.strict.clusters == found.kappa.clusters == 2
    assert found.strict.lower < 0.01 and found.strict.upper > 0.99
    assert found.kappa.lower < -0.5 and found.kappa.upper > 0.98


def test_three_benches_are_three_pairs_and_one_panel() -> None:
    said = {**SAID, "three": {"a1/0": 1.0, "c3/0": 1.0}}
    given = material(said)
    assert [(one.first, one.second, one.debates) for one in measure_pairs(given)] == [
        ("one", "two", 4), ("one", "three", 2), ("two", "three", 1),
    ]  # fmt: skip
    panel = measure_panel(given)
    assert panel.judges == 3
    assert panel.fleiss.count == 1  # the one debate that all three have judged
    assert panel.alpha.count == 5


def test_a_bench_alone_has_nobody_to_agree_with() -> None:
    panel = measure_panel(material({"one": SAID["one"]}))
    assert panel.judges == 1 and panel.alpha.count == 0
    assert np.isnan(panel.alpha.value) and np.isnan(panel.fleiss.value)


@pytest.mark.parametrize(("judges", "matchups", "said"), [(3, 8, 1), (3, 28, 0), (2, 8, 0)])
def test_alphas_of_several_judges_on_few_matchups_are_remarked_on(
    judges: int, matchups: int, said: int
) -> None:
    verdicts = {
        f"judge {judge}": {f"m{n}/0": float((n + judge) % 3 > 0) for n in range(matchups)}
        for judge in range(judges)
    }
    panel = measure_panel(material(verdicts))
    table = matrix_table(list(verdicts), (), panel, imported=False)
    assert [f"Few matchups ({matchups})" in note for note in table.notes].count(True) == said


def test_runs_are_compared_two_by_two() -> None:
    said = {"one": {"a1/0": [1.0, 1.0, 0.5], "a1/1": [1.0, 1.0, 0.0], "b2/0": [0.5]}}
    (found,) = measure_retests(material(said))
    assert found.debates == 2
    assert found.strict.value == pytest.approx(2 / 6)
    assert found.lenient.value == pytest.approx(4 / 6)


def test_a_second_look_gives_the_same_intervals() -> None:
    first, second = (next(iter(measure_pairs(material(SAID)))) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("weighted", [True, False])
def test_equal_verdicts_are_rated_as_if_each_had_a_row(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    pairs = [rng.choice(5, 2, replace=False, p=[0.3, 0.3, 0.2, 0.17, 0.03]) for _ in range(300)]
    verdicts = pd.DataFrame(np.array(pairs).astype(str), columns=["pro", "con"])
    verdicts["outcome"] = rng.choice([1.0, 0.5, 0.0], len(pairs))
    verdicts["weight"] = rng.choice([0.5, 0.95], len(pairs))
    weight = verdicts["weight"] if weighted else np.ones(len(pairs))
    rows = fit(Comparisons.of(verdicts["pro"], verdicts["con"], verdicts["outcome"], weight))
    expected = dict(zip(rows.names, rows.rating.tolist(), strict=True))
    assert rate_participants(verdicts, weighted=weighted) == pytest.approx(expected)
