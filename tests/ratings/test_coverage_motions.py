"""Intervals for motions in general on simulated fields, within two Monte-Carlo errors."""

import pytest

from benchmarks.motion_coverage import motions_case


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.5])
def test_statements_hold_for_motions_in_general(between: float) -> None:
    rows = {row["cluster"]: row for row in motions_case(6, 150, between, fields=60)}
    general, error = rows["auto"]["general"], rows["auto"]["general_error"]
    assert isinstance(general, float) and isinstance(error, float)
    assert general >= 0.94 - 2 * error
    assert rows["auto"]["false"] <= 0.05 + 2 * (0.05 / 60) ** 0.5
    assert rows["motion"]["false"] > 0.1  # type: ignore[operator]
    if between:
        assert rows["matchup"]["general"] < rows["auto"]["general"]  # type: ignore[operator]
    else:
        assert rows["auto"]["width"] < 1.1 * rows["matchup"]["width"]  # type: ignore[operator]
