import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ratings
from ratings import CON_WINS, PRO_WINS, TIE, InvalidComparisons, RatingError, errors


def test_the_sign_of_the_score_difference_is_the_outcome() -> None:
    assert (PRO_WINS, TIE, CON_WINS) == (1.0, 0.5, 0.0)
    assert [ratings.outcome_of(delta) for delta in (3, 0.25, 0, -0.0, -0.25, -3)] == [
        *(PRO_WINS, PRO_WINS),
        *(TIE, TIE),
        *(CON_WINS, CON_WINS),
    ]


def test_an_unknown_score_difference_is_no_tie() -> None:
    with pytest.raises(InvalidComparisons, match="NaN"):
        ratings.outcome_of(float("nan"))


def test_weights_are_those_of_the_paper() -> None:
    weights = ratings.paper_weight([0, 1, 2, 3])
    assert weights.dtype == np.float64
    assert weights.tolist() == pytest.approx([0.5, 0.731059, 0.880797, 0.952574], abs=1e-6)


@given(st.floats(-1e3, 1e3))
def test_weights_do_not_depend_on_the_winner(delta: float) -> None:
    weight = ratings.paper_weight(delta)
    assert weight.shape == ()
    assert weight == ratings.paper_weight(-delta)
    assert 0.5 <= weight <= 1


def test_the_error_tree_is_the_one_drawn() -> None:
    drawn = re.findall(r"^ *(?:[├└]── )?([A-Z]\w+)  +", errors.__doc__ or "", re.MULTILINE)
    real = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    assert drawn == real
    assert drawn[0] == "RatingError"
    assert all(issubclass(getattr(errors, name), RatingError) for name in drawn)


def test_every_public_name_exists() -> None:
    assert sorted(ratings.__all__) == sorted(set(ratings.__all__))
    assert all(hasattr(ratings, name) for name in ratings.__all__)
