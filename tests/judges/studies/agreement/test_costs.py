"""The table of what benches' ballots cost: what it leaves out is said below it."""

from __future__ import annotations

import pytest

from judges.studies.agreement.costs import BallotCosts, costs_table


@pytest.mark.parametrize(
    ("errors", "note"),
    [
        (0, None),
        (1, "1 ballot of b ended in an error of the judge's code and is left out here; `arena "),
        (2, "2 ballots of b ended in an error of the judge's code and are left out here; `arena "),
    ],
)
def test_ballots_that_ended_in_errors_are_left_out_aloud(errors: int, note: str | None) -> None:
    bench = BallotCosts(
        bench="b",
        judge="single",
        model="offline/good",
        debates=3,
        ballots=3,
        failed=0,
        errors=errors,
        failure_rate=0.0,
        calls=1.0,
        input_tokens=10.0,
        output_tokens=10.0,
        usd=0.01,
        seconds=1.0,
    )
    _, *notes = costs_table([bench]).notes
    again = "resume` takes it again." if errors == 1 else "resume` takes them again."
    assert notes == ([] if note is None else [note + again])
