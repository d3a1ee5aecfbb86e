import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ratings import (
    Comparisons,
    InvalidSetting,
    Model,
    NotConverged,
    NotIdentified,
    fit,
    paper_weight,
    predicted,
    win_rate,
)
from ratings.model import newton
from ratings.model.fitting import fit_point, prior_precision
from ratings.model.newton import PenalisedLikelihood
from ratings.model.problem import collapse
from tests.ratings.oracles import (
    Debate,
    board,
    debates,
    maximise_rows,
    minorise_maximise,
    simulated,
)

DATA = Path(__file__).parents[4] / "shared" / "data"


def row(first: str, second: str, delta: float) -> Debate:
    return Debate(first=first, second=second, delta=delta, matchup="m")


def counted(names: str, wins: list[list[int]]) -> Comparisons:
    pairs = [
        (first, second)
        for first, counts in zip(names, wins, strict=True)
        for second, count in zip(names, counts, strict=True)
        for _ in range(count)
    ]
    return Comparisons.of([one for one, _ in pairs], [two for _, two in pairs], np.ones(len(pairs)))


def test_weights_are_those_of_the_paper_whoever_wins() -> None:
    weights = paper_weight([0, 1, 2, -3])
    assert weights.dtype == np.float64
    assert weights.tolist() == pytest.approx([0.5, 0.731059, 0.880797, 0.952574], abs=1e-6)
    assert paper_weight(3).shape == ()


def test_five_debates_of_two_by_hand() -> None:
    # A wins by 3 and by 1, B wins by 2 and by 1, one debate is level (0.5, a quarter to each):
    a_wins = 1 / (1 + math.exp(-3)) + 1 / (1 + math.exp(-1)) + 0.25  # 0.952574 + 0.731059 + 0.25
    b_wins = 1 / (1 + math.exp(-2)) + 1 / (1 + math.exp(-1)) + 0.25  # 0.880797 + 0.731059 + 0.25
    assert (a_wins, b_wins) == pytest.approx((1.933633, 1.861856), abs=1e-6)
    found = [row("A", "B", 3), row("B", "A", -1), row("B", "A", 2), row("A", "B", 0)]
    ratings = fit(board([*found, row("A", "B", -1)]), Model(penalty=None))
    # dL/dγA = WA(1 − P) − WB·P = 0, so P = WA/(WA + WB) and γA − γB = ln(WA/WB) = 0.037827
    gap = math.log(a_wins / b_wins)
    assert ratings.gamma.tolist() == pytest.approx([gap / 2, -gap / 2], abs=1e-9)
    assert gap == pytest.approx(0.0378268, abs=1e-7)
    # 0.0378268 · 400/ln 10 = 0.0378268 · 173.717793 = 6.571190, half on either side of 1000
    assert ratings.rating.tolist() == pytest.approx([1003.285595, 996.714405], abs=1e-6)
    assert predicted(ratings.rating)[0, 1] == pytest.approx(a_wins / (a_wins + b_wins), abs=1e-9)


def test_five_debates_of_three_against_plain_python() -> None:
    circle = [row("A", "B", 3), row("B", "C", 1), row("C", "A", 2)]
    comparisons = board([*circle, row("A", "C", 1), row("A", "B", 0)])
    ratings = fit(comparisons, Model(penalty=None))
    assert ratings.gamma.tolist() == pytest.approx(minorise_maximise(comparisons), abs=1e-6)
    # at the maximum everyone's expected wins are the wins: dL/dγA = 0 written out for A
    chance = predicted(ratings.rating)
    w0, w1, w2, w3 = 0.5, 0.731059, 0.880797, 0.952574
    expected = (w3 + w0) * chance[0, 1] + (w2 + w1) * chance[0, 2]
    assert expected == pytest.approx(w3 + w1 + w0 / 2, abs=1e-5)


def test_the_penalised_maximum_of_two_by_hand() -> None:
    # A wins both of two debates by 3: 2w·(1 − P) = x/σ² with γA − γB = 2x, σ = 500·ln10/400
    ratings = fit(board([row("A", "B", 3), row("B", "A", -3)]), Model(penalty=500))
    x, spread = ratings.gamma[0], 500 * math.log(10) / 400
    assert 2 * 0.952574 / (1 + math.exp(2 * x)) == pytest.approx(x / spread**2, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(debates())
def test_the_fit_is_the_maximum_of_the_row_likelihood(found: list[Debate]) -> None:
    comparisons = board(found)
    ratings = fit(comparisons, Model(penalty=400))
    assert ratings.gamma == pytest.approx(maximise_rows(comparisons, 400), abs=1e-4)
    assert ratings.gamma.sum() == pytest.approx(0, abs=1e-9)
    point = fit_point(comparisons, Model(penalty=400))
    one = point.objective
    columns = (point.parameters[:, None], one.totals[:, None], one.statistic[:, None])
    assert np.abs(one.derivatives(*columns)[0]).max() < 1e-10


def test_the_worked_example_of_wikipedia() -> None:
    wins = [[0, 2, 0, 1], [3, 0, 5, 0], [0, 3, 0, 1], [4, 0, 3, 0]]
    result = np.exp(fit(counted("ABCD", wins), Model(penalty=None)).gamma)
    assert result.tolist() == pytest.approx([0.640, 1.043, 0.660, 2.270], abs=6e-4)


def test_citations_among_statistics_journals() -> None:
    # Stigler (1994): Biometrika, Communications in Statistics, JASA, JRSS-B
    wins = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
    gamma = fit(counted("ABCD", wins), Model(penalty=math.inf)).gamma
    assert (gamma - gamma[0]).tolist() == pytest.approx([0, -2.9491, -0.4796, 0.2690], abs=6e-5)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is absent: published data for tests only")
def test_llmfao_agrees_with_the_published_scores() -> None:
    with (DATA / "llmfao.csv").open() as file:
        judged = list(csv.DictReader(file))
    outcome = {"left": 1.0, "right": 0.0, "tie": 0.5}
    comparisons = Comparisons.of(
        [one["left"] for one in judged],
        [one["right"] for one in judged],
        [outcome[one["winner"]] for one in judged],
    )
    with (DATA / "llmfao-golden.csv").open() as file:
        published = {
            one["item"]: float(one["score"])
            for one in csv.DictReader(file)
            if one["algorithm"] == "bradley_terry"
        }
    ratings = fit(comparisons, Model(penalty=None))
    score = np.exp(ratings.gamma) / np.exp(ratings.gamma).sum()
    assert score.tolist() == pytest.approx([published[name] for name in ratings.names], rel=1e-6)


def test_an_anchor_is_exactly_1000_and_moves_nothing_else() -> None:
    comparisons = board([row("A", "B", 3), row("B", "C", 1), row("C", "A", 2), row("A", "C", 1)])
    free, tied = fit(comparisons), fit(comparisons, anchor="B")
    assert free.rating.mean() == pytest.approx(1000)
    assert tied.rating[1] == 1000.0
    assert np.diff(tied.rating) == pytest.approx(np.diff(free.rating))
    assert tied.gamma.tolist() == free.gamma.tolist()


def test_the_record_carries_its_diagnostics() -> None:
    comparisons = board([row("A", "B", 3), row("B", "A", 1)])
    ratings = fit(comparisons)
    assert ratings.converged
    assert 1 <= ratings.iterations < 20
    assert (ratings.n_comparisons, ratings.penalty) == (2, 300)
    assert ratings.data_hash == comparisons.data_hash
    assert fit(comparisons, Model(penalty=None)).penalty == math.inf


def test_without_comparisons_everyone_is_at_the_mean() -> None:
    empty = Comparisons.of([], [], [], names=["a", "b", "c"])
    assert fit(empty).rating.tolist() == [1000, 1000, 1000]
    assert np.isnan(win_rate(empty)).all()
    with pytest.raises(NotIdentified, match="a; b; c"):
        fit(empty, Model(penalty=None))
    alone = Comparisons.of([], [], [], names=["a"])
    assert fit(alone, Model(penalty=None)).rating.tolist() == [1000]


def test_who_is_unplayed_does_not_move_the_others() -> None:
    played = [row("A", "B", 3), row("B", "A", 1)]
    ratings = fit(board(played, ["A", "B", "idle"]))
    assert ratings.rating[2] == pytest.approx(1000)
    assert ratings.rating[:2] == pytest.approx(fit(board(played)).rating)


@pytest.mark.parametrize("strength", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("penalty", [1.0, 500.0, 1e6])
def test_a_landslide_converges(strength: float, penalty: float) -> None:
    names = [f"p{index:02}" for index in range(12)]
    comparisons = Comparisons.of(names[:-1], names[1:], np.ones(11), np.full(11, strength))
    ratings = fit(comparisons, Model(penalty=penalty))
    assert np.isfinite(ratings.rating).all()
    assert (np.diff(ratings.rating) <= 0).all()  # equal where the difference drowns in rounding
    assert ratings.rating[0] > 1000 > ratings.rating[-1]


def test_with_the_penalty_off_what_has_no_maximum_is_refused() -> None:
    unbeaten = board([row("A", "B", 1), row("B", "C", 1), row("C", "B", 1)])
    with pytest.raises(NotIdentified, match=r"B, C; A"):
        fit(unbeaten, Model(penalty=None))
    apart = board([row("A", "B", 1), row("B", "A", 1), row("C", "D", 0)])
    with pytest.raises(NotIdentified, match=r"A, B; C, D"):
        fit(apart, Model(penalty=math.inf))
    tied = board([row("A", "B", 0), row("B", "C", 0)])
    assert fit(tied, Model(penalty=None)).rating.tolist() == pytest.approx([1000, 1000, 1000])


def test_a_fit_that_does_not_converge_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newton, "MAX_ITERATIONS", 2)
    with pytest.raises(NotConverged, match="1 of 1 fits"):
        fit(board([row("A", "B", 3)]))


@pytest.mark.parametrize("weight", [math.nan, 0.0])
def test_a_solver_without_a_solution_raises(weight: float) -> None:
    comparisons = collapse(board([row("A", "B", 3)]), Model())
    objective = PenalisedLikelihood(comparisons, np.zeros((2, 2)))
    with pytest.raises(NotConverged):
        newton.solve(objective, np.full((1, 1), weight), np.array([[0.5], [-0.5]]))


@pytest.mark.parametrize("penalty", [0.0, -1.0, math.nan])
def test_a_penalty_that_is_not_positive_is_refused(penalty: float) -> None:
    with pytest.raises(InvalidSetting, match="penalty is"):
        Model(penalty=penalty)


def test_an_unknown_anchor_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"'X'.*A, B"):
        fit(board([row("A", "B", 3)]), anchor="X")


def test_solving_many_is_solving_each() -> None:
    rng = np.random.default_rng(3)
    comparisons = collapse(simulated(rng, size=4, matchups=30), Model())
    objective = PenalisedLikelihood(comparisons, prior_precision(comparisons, Model(), 500.0))
    counts = rng.integers(0, 4, (len(comparisons.multiplicity), 20)).astype(float)
    totals, statistic = comparisons.totals @ counts, comparisons.statistic @ counts
    together = newton.solve(objective, totals, statistic, start=np.array([2.0, -1, 0, 5]))
    for index in range(20):
        part = slice(index, index + 1)
        alone = newton.solve(objective, totals[:, part], statistic[:, part]).parameters
        assert alone[:, 0] == pytest.approx(together.parameters[:, index], abs=1e-9)


def spread_out(times: int) -> Comparisons:
    names = [f"p{index}" for index in range(6)]
    pairs = [(one, other) for one in names for other in names if one < other]
    won = [
        [1.0] * 9 + [0.0] if int(b[1]) - int(a[1]) > 1 else [1.0] * 6 + [0.0] * 4 for a, b in pairs
    ]
    return Comparisons.of(
        [a for a, _ in pairs for _ in range(10 * times)],
        [b for _, b in pairs for _ in range(10 * times)],
        [outcome for own in won for outcome in own * times],
    )


def test_the_adaptive_prior_is_as_wide_as_the_ratings_are_seen_to_spread() -> None:
    wide = fit(spread_out(20))
    # with 200 comparisons a pair errors are small: 1.5 times the ratings' own spread
    assert wide.penalty == pytest.approx(1.5 * wide.rating.std(ddof=1), rel=0.02)
    assert wide.penalty > 310
    again = fit(spread_out(20), Model(penalty=wide.penalty))
    assert wide.rating == pytest.approx(again.rating, abs=1e-6)
    level = fit(board([row("A", "B", 3), row("B", "A", 3)] * 20))
    assert level.penalty == 300


def test_the_adaptive_prior_counts_no_noise_as_spread() -> None:
    rng = np.random.default_rng(4)
    noise = Comparisons.of(
        ["a", "b", "c", "d"] * 3, ["b", "c", "d", "a"] * 3, rng.integers(0, 2, 12)
    )
    assert fit(noise).penalty == 300
    exact = fit(spread_out(1), Model(penalty=None)).rating
    assert np.ptp(fit(spread_out(1)).rating) < np.ptp(exact)
