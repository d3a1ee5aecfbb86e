"""Where a newcomer stands, in sentences."""

from __future__ import annotations

from dataclasses import replace

from arena.report.standing import Standing

STANDING = Standing(
    name="new", rank_low=1, rank_high=3, participants=3, rating=800.0, half_width=700.0,
    above=(), below=(), open=("ann", "bob"), matchups=30, usd=0.0, usd_most=0.0, further=None,
)  # fmt: skip


def test_a_newcomer_that_is_told_from_nobody_has_no_place() -> None:
    """It may have lost everything: to say that it could be first would mislead."""
    assert STANDING.sentences() == [
        "After 30 matchups, the place of new among 3 is still open, at 800 ± 700: not separated "
        "from ann, bob.",
        "It has played 30 matchups.",
    ]


def test_a_newcomer_that_is_told_from_somebody_has_its_places() -> None:
    below = replace(STANDING, rank_low=2, below=("ann",), open=("bob",), matchups=1)
    assert below.sentences() == [
        "new enters 2nd or 3rd of 3, at 800 ± 700: below ann (settled); not separated from bob.",
        "This holds for the orders of new alone, at every look; the leaderboard speaks of all "
        "pairs at once, and may leave more of them open.",
        "It has played 1 matchup.",
    ]
