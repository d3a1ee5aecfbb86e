"""Agreement statistics: the packages that everybody uses are the oracles."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as statsmodels_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from judges.studies.statistics.agreement import (
    Level,
    cohen_kappa,
    coincidences,
    confusion,
    count_values,
    fleiss_kappa,
    fleiss_terms,
    krippendorff_alpha,
)
from ratings.outcomes import OUTCOMES

#: The other packages are slow to warm up.
patient = settings(deadline=None)
Verdicts = NDArray[np.float64]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal")


def verdicts(*, missing: bool) -> st.SearchStrategy[Verdicts]:
    """A few items by a few judges."""
    shape = st.tuples(st.integers(1, 12), st.integers(2, 5))
    values = [*OUTCOMES, np.nan] if missing else [*OUTCOMES]
    return arrays(np.float64, shape, elements=st.sampled_from(values))


def alpha(table: Verdicts, level: Level) -> float:
    counts = count_values(table)
    return float(krippendorff_alpha(coincidences(counts).sum(axis=0), level=level).coefficient)


@patient
@given(verdicts(missing=True), st.sampled_from(LEVELS))
def test_alpha_is_that_of_the_krippendorff_package(table: Verdicts, level: Level) -> None:
    meeting = table[(~np.isnan(table)).sum(axis=1) > 1]
    known = np.unique(meeting[~np.isnan(meeting)])
    result = alpha(table, level)
    if len(known) < 2:
        assert np.isnan(result)
        return
    expected = krippendorff.alpha(
        reliability_data=meeting.T, value_domain=list(known), level_of_measurement=level
    )
    assert result == pytest.approx(expected, abs=1e-9)


def test_alpha_of_a_published_table() -> None:
    """The 12 units and 4 observers of Krippendorff's own example, with missing cells."""
    nan = np.nan
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    values = [1, 2, 3, 4, 5]
    tables = coincidences(count_values(np.transpose(observers), values)).sum(axis=0)
    found = [round(float(krippendorff_alpha(tables, level=one).coefficient), 3) for one in LEVELS]
    assert found == [0.743, 0.815]


@patient
@given(verdicts(missing=False))
def test_cohens_kappa_is_that_of_scikit_learn_and_statsmodels(table: Verdicts) -> None:
    one, other = table[:, 0], table[:, 1]
    assume(len(np.unique(table[:, :2])) > 1)
    summed = confusion(one, other).sum(axis=0)
    result = float(cohen_kappa(summed).coefficient)
    labels = [str(value) for value in OUTCOMES]
    theirs = cohen_kappa_score([str(v) for v in one], [str(v) for v in other], labels=labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # its variance divides by zero
        third = statsmodels_cohen(summed, return_results=False)
    assert result == pytest.approx(theirs, abs=1e-9)
    assert result == pytest.approx(third, abs=1e-9)


@patient
@given(verdicts(missing=False))
def test_fleiss_kappa_is_that_of_statsmodels(table: Verdicts) -> None:
    terms = fleiss_terms(count_values(table), table.shape[1]).sum(axis=0)
    result = float(fleiss_kappa(terms).coefficient)
    if len(np.unique(table)) < 2:
        assert np.isnan(result)
        return
    theirs, _ = aggregate_raters(table)
    assert result == pytest.approx(statsmodels_fleiss(theirs), abs=1e-9)


@patient
@given(verdicts(missing=True), st.integers(0, 99))
def test_neither_the_order_of_items_nor_of_judges_matters(table: Verdicts, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    assert alpha(shuffled, "ordinal") == pytest.approx(alpha(table, "ordinal"), nan_ok=True)
    one, other = (
        float(
            fleiss_kappa(fleiss_terms(count_values(given), table.shape[1]).sum(axis=0)).coefficient
        )
        for given in (shuffled, table)
    )
    assert one == pytest.approx(other, nan_ok=True)


@patient
@given(verdicts(missing=True), st.sampled_from(LEVELS))
def test_swapping_the_sides_changes_nothing(table: Verdicts, level: Level) -> None:
    assert alpha(1 - table, level) == pytest.approx(alpha(table, level), nan_ok=True)


def test_who_agrees_on_everything_agrees_wholly() -> None:
    table = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.5, 0.5, np.nan]])
    assert [alpha(table, level) for level in LEVELS] == [1.0, 1.0]
    assert float(cohen_kappa(confusion(table[:, 0], table[:, 1]).sum(axis=0)).coefficient) == 1.0


def test_items_that_a_judge_has_not_judged_are_no_part_of_kappas() -> None:
    table = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])
    assert confusion(table[:, 0], table[:, 1])[2].sum() == 0
    assert fleiss_terms(count_values(table), 2)[2].tolist() == [0, 0, 0, 0, 0]


def test_one_value_alone_defines_no_agreement_beyond_chance() -> None:
    table = np.ones((4, 2))
    assert np.isnan(cohen_kappa(confusion(table[:, 0], table[:, 1]).sum(axis=0)).coefficient)
    assert np.isnan(fleiss_kappa(fleiss_terms(count_values(table), 2).sum(axis=0)).coefficient)
    assert np.isnan(alpha(table, "nominal"))
