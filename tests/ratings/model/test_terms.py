"""Models with more terms: published examples, slow twins, and what must not matter."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import (
    Comparisons,
    InvalidComparisons,
    InvalidSetting,
    Model,
    NotIdentified,
    bootstrap,
    fit,
)
from ratings.model.fitting import ELO_PER_GAMMA, fit_point
from tests.ratings.oracles import Debate, board, debates, maximise_terms, swapped

# Agresti (2002), tables 10.10-10.11: American League East 1987, wins at home and away.
BASEBALL = """
Milwaukee Detroit 4 3, Milwaukee Toronto 4 2, Milwaukee NewYork 4 3, Milwaukee Boston 6 1,
Milwaukee Cleveland 4 2, Milwaukee Baltimore 6 0, Detroit Milwaukee 3 3, Detroit Toronto 4 2,
Detroit NewYork 4 3, Detroit Boston 6 0, Detroit Cleveland 6 1, Detroit Baltimore 4 3,
Toronto Milwaukee 2 5, Toronto Detroit 4 3, Toronto NewYork 2 4, Toronto Boston 4 3,
Toronto Cleveland 4 2, Toronto Baltimore 6 0, NewYork Milwaukee 3 3, NewYork Detroit 5 1,
NewYork Toronto 2 5, NewYork Boston 4 3, NewYork Cleveland 4 2, NewYork Baltimore 6 1,
Boston Milwaukee 5 1, Boston Detroit 2 5, Boston Toronto 3 3, Boston NewYork 4 2,
Boston Cleveland 5 2, Boston Baltimore 6 0, Cleveland Milwaukee 2 5, Cleveland Detroit 3 3,
Cleveland Toronto 3 4, Cleveland NewYork 4 3, Cleveland Boston 4 2, Cleveland Baltimore 2 4,
Baltimore Milwaukee 2 5, Baltimore Detroit 1 5, Baltimore Toronto 1 6, Baltimore NewYork 2 4,
Baltimore Boston 1 6, Baltimore Cleveland 3 4
"""


def games(text: str) -> Comparisons:
    home, away, outcome = [], [], []
    for line in text.replace("\n", " ").split(","):
        first, second, won, lost = line.split()
        home += [first] * (int(won) + int(lost))
        away += [second] * (int(won) + int(lost))
        outcome += [1.0] * int(won) + [0.0] * int(lost)
    return Comparisons.of(home, away, outcome)


def test_baseball_with_home_advantage() -> None:
    ratings = fit(games(BASEBALL), Model(side=True, penalty=None))
    (home,) = ratings.effects
    assert home.name == "side"
    assert home.elo / ELO_PER_GAMMA == pytest.approx(0.302, abs=5e-4)
    ability = np.sort(np.exp(ratings.gamma) / np.exp(ratings.gamma).sum())
    published = [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    assert ability.tolist() == pytest.approx(published, abs=6e-4)


def described(result: list[Debate], rng: np.random.Generator) -> Comparisons:
    standings = board(result)
    return standings.described(
        motion=[f"motion {number}" for number in rng.integers(0, 3, len(standings))],
        covariates={
            "length": rng.normal(size=len(standings)),
            "family": rng.integers(-1, 2, len(standings)),
        },
    )


EVERYTHING = Model(
    ties="davidson",
    side=True,
    motion_spread=120.0,
    covariates=("family", "length"),
    penalty=300.0,
)


@settings(max_examples=15, deadline=None)
@given(debates(), st.sampled_from(["half", "davidson"]))
def test_all_terms_at_once_against_a_general_optimiser(found: list[Debate], ties: str) -> None:
    comparisons = described(found, np.random.default_rng(len(found)))
    model = replace(EVERYTHING, ties=ties)  # type: ignore[arg-type]
    assert fit_point(comparisons, model).parameters == pytest.approx(
        maximise_terms(comparisons, model), abs=2e-4
    )


@settings(max_examples=40, deadline=None)
@given(debates(), st.sampled_from(["half", "davidson"]))
def test_derivatives_are_those_of_the_slope(found: list[Debate], ties: str) -> None:
    comparisons = described(found, np.random.default_rng(len(found)))
    one = fit_point(comparisons, replace(EVERYTHING, ties=ties)).objective  # type: ignore[arg-type]
    at = np.random.default_rng(1).normal(size=one.problem.size)
    near = at[:, None] + 1e-5 * np.eye(len(at)), at[:, None] - 1e-5 * np.eye(len(at))
    columns = [np.repeat(part[:, None], len(at), axis=1) for part in (one.totals, one.statistic)]
    high, low = (one.derivatives(part, *columns)[0] for part in near)
    _, information = one.derivatives(at[:, None], columns[0][:, :1], columns[1][:, :1])
    assert (low - high) / 2e-5 == pytest.approx(information[0], abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(debates())
def test_order_and_names_do_not_matter_to_any_term(found: list[Debate]) -> None:
    comparisons = described(found, np.random.default_rng(len(found)))
    order = np.random.default_rng(5).permutation(len(comparisons))
    columns = ("first", "second", "outcome", "weight", "cluster")
    shuffled = Comparisons(
        names=comparisons.names, **{name: getattr(comparisons, name)[order] for name in columns}
    ).described(
        motion=[comparisons.motions[comparisons.motion[row]] for row in order],  # type: ignore[index]
        covariates={name: one[order] for name, one in comparisons.covariates.items()},
    )
    before, after = fit(comparisons, EVERYTHING), fit(shuffled, EVERYTHING)
    assert after.rating.tolist() == before.rating.tolist()
    assert after.effects == before.effects
    assert after.data_hash == before.data_hash


@settings(max_examples=40, deadline=None)
@given(debates())
def test_swapping_all_sides_turns_the_side_round(found: list[Debate]) -> None:
    model = Model(side=True, ties="davidson")
    before, after = fit(board(found), model), fit(board([swapped(one) for one in found]), model)
    assert after.rating == pytest.approx(before.rating, abs=1e-6)
    assert after.effects[0].elo == pytest.approx(-before.effects[0].elo, abs=1e-6)
    assert after.tie == pytest.approx(before.tie)


def test_ties_are_as_likely_as_they_are() -> None:
    level = Comparisons.of(["a"] * 10, ["b"] * 10, [1, 1, 1, 0, 0, 0, 0.5, 0.5, 0.5, 0.5])
    ratings = fit(level, Model(ties="davidson", penalty=None))
    # 4 ties to 3 wins each between equals: ν = P(tie)/P(win) = 4/3
    assert ratings.tie == pytest.approx(4 / 3)
    uneven = Comparisons.of(["a"] * 10, ["b"] * 10, [1, 1, 1, 1, 0, 0.5, 0.5, 0.5, 0.5, 0.5])
    ratings = fit(uneven, Model(ties="davidson", penalty=None))
    # P(a) : P(b) = 4 : 1, so γa − γb = ln 4
    assert ratings.gamma[0] - ratings.gamma[1] == pytest.approx(math.log(4))
    assert ratings.tie == pytest.approx(5 / math.sqrt(4))


def test_a_side_advantage_does_not_become_skill() -> None:
    # b is first named in 8 of 12; whoever is first named wins three times of four
    first = ["b"] * 8 + ["a"] * 4
    second = ["a"] * 8 + ["b"] * 4
    outcome = [1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0]
    comparisons = Comparisons.of(20 * first, 20 * second, 20 * outcome)
    blind, seeing = fit(comparisons), fit(comparisons, Model(side=True))
    assert blind.rating[1] - blind.rating[0] > 50
    assert seeing.rating[1] == pytest.approx(seeing.rating[0], abs=1)
    assert seeing.effects[0].elo == pytest.approx(400 * math.log10(3), rel=0.02)


def test_a_motion_is_shrunk_to_the_overall_side() -> None:
    rng = np.random.default_rng(2)
    motion = [f"m{number % 4}" for number in range(400)]
    outcome = (rng.random(400) < [0.9 if one == "m0" else 0.5 for one in motion]).astype(float)
    description = Comparisons.of(["a", "b"] * 200, ["b", "a"] * 200, outcome).described(
        motion=motion
    )
    sizes = {}
    for spread in (10.0, 100.0, 1000.0):
        found = fit(description, Model(side=True, motion_spread=spread)).effects
        assert [one.name for one in found] == ["side", *(f"motion m{k}" for k in range(4))]
        sizes[spread] = found[1].elo - found[2].elo
    assert 0 < sizes[10.0] < sizes[100.0] < sizes[1000.0]
    assert sizes[1000.0] == pytest.approx(400 * math.log10(9), rel=0.25)


def test_exact_fits_that_do_not_exist_are_refused() -> None:
    outcome = [1, 0, 1, 0, 0.5, 0.5]
    level = Comparisons.of("ababab", "bababa", outcome)
    with pytest.raises(NotIdentified):  # whoever is longer wins, always
        fit(
            level.described(covariates={"longer": np.sign(np.array(outcome) - 0.5) * 5}),
            Model(covariates=("longer",), penalty=None),
        )
    with pytest.raises(NotIdentified):  # no tie: ν would be 0
        fit(Comparisons.of("aabb", "bbaa", [1, 0, 1, 0]), Model(ties="davidson", penalty=None))


@pytest.mark.parametrize("model", [Model(side=True), replace(EVERYTHING, covariates=())])
def test_replicates_of_models_with_terms_spread_around_the_fit(model: Model) -> None:
    rng = np.random.default_rng(8)
    names = [f"p{number}" for number in range(5)]
    pairs = [rng.choice(names, 2, replace=False) for _ in range(400)]
    outcome = rng.choice([1.0, 0.5, 0.0], size=400, p=[0.5, 0.2, 0.3])
    description = Comparisons.of([a for a, _ in pairs], [b for _, b in pairs], outcome).described(
        motion=[f"m{number % 5}" for number in range(400)]
    )
    intervals = bootstrap(description, model, rounds=400, seed=1)
    assert intervals.rating.tolist() == fit(description, model).rating.tolist()
    assert intervals.replicates.mean(axis=0) == pytest.approx(intervals.rating, abs=12)
    assert (intervals.lower < intervals.rating).all()
    assert (intervals.rating < intervals.upper).all()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"ties": "thirds"}, "ties is 'thirds'; accepted: half, davidson"),
        ({"motion_spread": 0.0}, "motion_spread is 0.0"),
        ({"penalty": "strong"}, "penalty is strong; accepted: a positive number"),
    ],
)
def test_models_that_are_none_are_refused(setting: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        Model(**setting)  # type: ignore[arg-type]


def test_terms_that_the_comparisons_lack_are_refused() -> None:
    standings = board([Debate(first="a", second="b", delta=1, matchup="m")])
    with pytest.raises(InvalidSetting, match="'length'.*given: none"):
        fit(standings, Model(covariates=("length",)))
    with pytest.raises(InvalidSetting, match="motions"):
        fit(standings, Model(motion_spread=100.0))
    with pytest.raises(InvalidComparisons, match="row 0: covariate length is nan"):
        standings.described(covariates={"length": [math.nan]})
    with pytest.raises(InvalidComparisons, match="unequal lengths: outcome 1, motion 2"):
        standings.described(motion=["m", "n"])
