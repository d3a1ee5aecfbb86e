"""The arithmetic vote of the dimensions, and how often a judge's own verdict differs from it."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.boards.board import board
from arena.boards.selection import Selection
from arena.boards.weighted_vote import bench_weights, disagreement, weighted_vote, weights_of
from tests.support.command_line import done
from tests.support.debatrix_script import weighing
from tests.support.tournaments import changed, commit, content, judged, planned, played

NAMES = ("argument", "source", "language")
OVERALL = Selection(tournament="small", bench="bench")
WEIGHTS = {"argument": 3.0, "source": 2.0, "language": 2.0}


@pytest.mark.parametrize(
    ("outcomes", "weights", "vote"),
    [
        ((1, 0, 0), (3, 2, 2), 0.0),
        ((1, 0, 0.5), (3, 2, 2), 1.0),
        ((0.5, 1, 0), (3, 2, 2), 0.5),
        ((1, 1, 0), (0.1, 0.2, 0.3), 0.5),
        ((0, 1, 1), (4, 2, 2), 0.5),
    ],
)
def test_a_vote_is_the_sign_of_the_weighted_outcomes(
    outcomes: tuple[float, ...], weights: tuple[float, ...], vote: float
) -> None:
    chosen = dict(zip(NAMES, weights, strict=True))
    assert weighted_vote(dict(zip(NAMES, outcomes, strict=True)), chosen) == vote
    exchanged = {name: 1 - one for name, one in zip(NAMES, outcomes, strict=True)}
    assert weighted_vote(exchanged, chosen) == 1 - vote


@given(st.lists(st.integers(0, 90), min_size=3, max_size=3))
def test_a_vote_is_that_of_exact_arithmetic(tenths: list[int]) -> None:
    for outcomes in itertools.product((0.0, 0.5, 1.0), repeat=3):
        exact = sum(
            Fraction(weight, 10) * (2 * Fraction(outcome) - 1)
            for weight, outcome in zip(tenths, outcomes, strict=True)
        )
        result = weighted_vote(
            dict(zip(NAMES, outcomes, strict=True)),
            {name: weight / 10 for name, weight in zip(NAMES, tenths, strict=True)},
        )
        assert result == (1.0 if exact > 0 else 0.0 if exact < 0 else 0.5)


def test_only_weights_above_zero_count() -> None:
    given = {"weights": weighing(argument=1, language=2.5)}
    assert weights_of("debatrix", given) == {"argument": 1, "language": 2.5}
    assert weights_of("debatrix", {}).items() >= WEIGHTS.items()
    assert weights_of("a package that is gone", {}) == {}


def test_a_disagreement_is_counted_per_ballot(tmp_path: Path) -> None:
    options = {"weights": weighing(**WEIGHTS)}
    store, plan = planned(
        tmp_path / "own.duckdb", changed(content(), ["benches", 0, "options"], options)
    )
    debates = plan.debates
    commit(
        store,
        *map(played, debates),
        judged(debates[0], 1.0, argument=1.0, source=1.0, language=0.5),
        judged(debates[1], 0.5, argument=1.0, source=1.0, language=0.5),
        judged(debates[2], 0.0, argument=1.0, source=1.0, language=0.5),
        judged(debates[3], status="failed"),
        judged(debates[4], 1.0, argument=1.0),
    )
    ids = [one.participant_id for one in plan.resolved.participants]
    result = disagreement(store, OVERALL, WEIGHTS, participants=ids)
    assert (result.ballots, result.differing, result.opposite) == (3, 2, 1)
    notes = board(store, plan.resolved, OVERALL).notes
    assert (
        "the weighted vote of the dimensions (argument 3, source 2, language 2) gives another "
        "result than the judge's overall verdict on 2 of 3 ballots (66.7%), another winner on 1"
    ) in notes
    others = Selection(tournament="small", bench="bench", dimension="argument")
    assert not any("weighted" in one for one in board(store, plan.resolved, others).notes)
    assert disagreement(store, OVERALL, WEIGHTS, participants=ids[:1]).ballots == 0


def test_a_debate_shows_the_vote_beside_the_verdict(tmp_path: Path) -> None:
    options = {"weights": weighing(argument=1, source=4)}
    store, plan = planned(
        tmp_path / "own.duckdb", changed(content(), ["benches", 0, "options"], options)
    )
    debate = plan.debates[0]
    assert bench_weights(store, "small") == {"bench": {"argument": 1, "source": 4}}
    commit(store, played(debate), judged(debate, 1.0, argument=1.0, source=0.0, language=1.0))
    printed = done("show", debate.debate_id, "--db", store.path)
    assert "bench, run 1, weighted Con (argument 1, source 4)" in printed
    assert printed.index("overall  Pro") < printed.index("weighted Con")
