import ast
import re
from pathlib import Path

import pytest

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


def test_the_error_tree_is_the_one_drawn() -> None:
    drawn = re.findall(r"^ *(?:[├└]── )?([A-Z]\w+)  +", errors.__doc__ or "", re.MULTILINE)
    real = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    assert drawn == real
    assert drawn[0] == "RatingError"
    assert all(issubclass(getattr(errors, name), RatingError) for name in drawn)


def test_every_public_name_is_found_at_first_use() -> None:
    tree = ast.parse(Path(ratings.__file__).read_text())
    declared = [
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if str(node.module).startswith("ratings.")
    ]
    assert dir(ratings) == sorted(declared)
    assert all(getattr(ratings, name) is not None for name in dir(ratings))
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        ratings.fitt  # type: ignore[attr-defined]  # noqa: B018
