"""McNemar's exact test against statsmodels'."""

from __future__ import annotations

import pytest
from statsmodels.stats.contingency_tables import mcnemar as reference

from judges.studies.statistics.paired import mcnemar


@pytest.mark.parametrize("only", [(5, 0), (1, 7), (4, 4), (12, 30)])
def test_it_is_the_reference(only: tuple[int, int]) -> None:
    expected = reference([[3, only[0]], [only[1], 2]], exact=True).pvalue
    assert mcnemar(*only) == pytest.approx(expected)


def test_judges_that_never_differ_are_not_told_apart() -> None:
    assert mcnemar(0, 0) == 1.0
