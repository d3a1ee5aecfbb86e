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

from judges.studies.agreement.statistics import (
    Level,
    Measured,
    by_cluster,
    cohen_kappa,
    coincidences,
    confusion,
    fleiss_kappa,
    fleiss_terms,
    krippendorff_alpha,
    measured,
    share,
    value_counts,
)
from ratings.outcomes import OUTCOMES

#: The other packages are slow to warm up.
patient = settings(deadline=None)
Verdicts = NDArray[np.float64]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def verdicts(*, missing: bool) -> st.SearchStrategy[Verdicts]:
    """A few items by a few judges."""
    shape = st.tuples(st.integers(1, 12), st.integers(2, 5))
    values = [*OUTCOMES, np.nan] if missing else [*OUTCOMES]
    return arrays(np.float64, shape, elements=st.sampled_from(values))


def alpha(table: Verdicts, level: Level) -> float:
    counts = value_counts(table)
    return float(krippendorff_alpha(coincidences(counts).sum(axis=0), level=level))


@patient
@given(verdicts(missing=True), st.sampled_from(LEVELS))
def test_alpha_is_that_of_the_krippendorff_package(table: Verdicts, level: Level) -> None:
    meeting = table[(~np.isnan(table)).sum(axis=1) > 1]
    known = np.unique(meeting[~np.isnan(meeting)])
    found = alpha(table, level)
    if len(known) < 2:
        assert np.isnan(found)
        return
    expected = krippendorff.alpha(
        reliability_data=meeting.T, value_domain=list(known), level_of_measurement=level
    )
    assert found == pytest.approx(expected, abs=1e-9)


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
    tables = coincidences(value_counts(np.transpose(observers), values)).sum(axis=0)
    found = [round(float(krippendorff_alpha(tables, values, level=one)), 3) for one in LEVELS]
    assert found == [0.743, 0.815, 0.849]


@patient
@given(verdicts(missing=False))
def test_cohens_kappa_is_that_of_scikit_learn_and_statsmodels(table: Verdicts) -> None:
    one, other = table[:, 0], table[:, 1]
    assume(len(np.unique(table[:, :2])) > 1)
    summed = confusion(one, other).sum(axis=0)
    found = float(cohen_kappa(summed))
    labels = [str(value) for value in OUTCOMES]
    theirs = cohen_kappa_score([str(v) for v in one], [str(v) for v in other], labels=labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # its variance divides by zero
        third = statsmodels_cohen(summed, return_results=False)
    assert found == pytest.approx(theirs, abs=1e-9)
    assert found == pytest.approx(third, abs=1e-9)


@patient
@given(verdicts(missing=False))
def test_fleiss_kappa_is_that_of_statsmodels(table: Verdicts) -> None:
    terms = fleiss_terms(value_counts(table), table.shape[1]).sum(axis=0)
    found = float(fleiss_kappa(terms))
    if len(np.unique(table)) < 2:
        assert np.isnan(found)
        return
    theirs, _ = aggregate_raters(table)
    assert found == pytest.approx(statsmodels_fleiss(theirs), abs=1e-9)


@patient
@given(verdicts(missing=True), st.integers(0, 99))
def test_neither_the_order_of_items_nor_of_judges_matters(table: Verdicts, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shuffled = table[rng.permutation(len(table))][:, rng.permutation(table.shape[1])]
    assert alpha(shuffled, "ordinal") == pytest.approx(alpha(table, "ordinal"), nan_ok=True)
    one, other = (
        float(fleiss_kappa(fleiss_terms(value_counts(given), table.shape[1]).sum(axis=0)))
        for given in (shuffled, table)
    )
    assert one == pytest.approx(other, nan_ok=True)


@patient
@given(verdicts(missing=True), st.sampled_from(LEVELS))
def test_swapping_the_sides_changes_nothing(table: Verdicts, level: Level) -> None:
    assert alpha(1 - table, level) == pytest.approx(alpha(table, level), nan_ok=True)


def test_who_agrees_on_everything_agrees_wholly() -> None:
    table = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.5, 0.5, np.nan]])
    assert [alpha(table, level) for level in LEVELS] == [1.0, 1.0, 1.0]
    assert float(cohen_kappa(confusion(table[:, 0], table[:, 1]).sum(axis=0))) == 1.0


def test_items_that_a_judge_has_not_judged_are_no_part_of_kappas() -> None:
    table = np.array([[1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])
    assert confusion(table[:, 0], table[:, 1])[2].sum() == 0
    assert fleiss_terms(value_counts(table), 2)[2].tolist() == [0, 0, 0, 0, 0]


def test_one_value_alone_defines_no_agreement_beyond_chance() -> None:
    table = np.ones((4, 2))
    assert np.isnan(cohen_kappa(confusion(table[:, 0], table[:, 1]).sum(axis=0)))
    assert np.isnan(fleiss_kappa(fleiss_terms(value_counts(table), 2).sum(axis=0)))
    assert np.isnan(alpha(table, "nominal"))


def test_tables_are_summed_by_cluster() -> None:
    found = by_cluster([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["b", "a", "b"])
    assert found.tolist() == [[3.0, 4.0], [6.0, 8.0]]


def test_an_interval_draws_clusters_and_not_items() -> None:
    rng = np.random.default_rng(3)
    wins = np.repeat(rng.integers(2, size=100), 10).astype(float)
    items = np.column_stack([wins, np.ones(1000)])
    alone = measured(items, share, count=1000, rng=np.random.default_rng(1))
    drawn = measured(
        by_cluster(items, np.repeat(np.arange(100), 10)), share, count=1000,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert alone.value == drawn.value == wins.mean()
    widths = [one.upper - one.lower for one in (alone, drawn)]
    assert 2.5 < widths[1] / widths[0] < 4  # ten copies tell what one tells: the root of ten
    assert drawn.lower < drawn.value < drawn.upper


def test_one_cluster_has_no_interval() -> None:
    found = measured(np.array([[1.0, 2.0]]), share, count=2, rng=np.random.default_rng(0))
    assert found.value == 0.5 and np.isnan([found.lower, found.upper]).all()


def test_of_nothing_nothing_is_known() -> None:
    found = measured(np.zeros((0, 2)), share, count=0, rng=np.random.default_rng(0))
    assert isinstance(found, Measured) and np.isnan(found.value) and np.isnan(found.lower)
