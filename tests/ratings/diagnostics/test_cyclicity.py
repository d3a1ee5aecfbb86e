import numpy as np
import pytest

from ratings import (
    Comparisons,
    InvalidSetting,
    Model,
    compare_pair,
    cyclicity,
    fit,
    look_for_circles,
    observed,
    predicted,
)
from tests.ratings.oracles import simulated


def game(chance: dict[tuple[str, str], float], times: int, seed: int = 1) -> Comparisons:
    rng = np.random.default_rng(seed)
    rows = [(a, b, float(rng.random() < p)) for (a, b), p in chance.items() for _ in range(times)]
    return Comparisons.of([a for a, _, _ in rows], [b for _, b, _ in rows], [o for *_, o in rows])


CIRCLE = {("paper", "rock"): 0.8, ("rock", "scissors"): 0.8, ("scissors", "paper"): 0.8}


def test_rock_paper_scissors_is_found() -> None:
    result = cyclicity(game(CIRCLE, 60), rounds=199, seed=2)
    assert result.p_value == 1 / 200
    assert result.share > 0.95
    assert result.harmonic == pytest.approx(0, abs=1e-12)
    (circle,) = result.circles
    assert circle.names == ("paper", "rock", "scissors")
    assert circle.errors > 5
    assert result.residual[0, 1] > 0 > result.residual[0, 2]


def test_a_circle_among_others_is_named() -> None:
    fields = {(f"p{i}", f"p{j}"): 1 / (1 + 2.0 ** (i - j)) for i in range(6) for j in range(i)}
    ranked = {pair: 1 - chance for pair, chance in fields.items()}
    result = cyclicity(game({**ranked, **CIRCLE, ("p0", "rock"): 0.5}, 60), rounds=99, seed=2)
    assert result.p_value == 0.01
    assert set(result.circles[0].names) == {"paper", "rock", "scissors"}
    assert len(result.circles) == 5


def test_a_circle_of_four_is_harmonic() -> None:
    ring = {("a", "b"): 0.85, ("b", "c"): 0.85, ("c", "d"): 0.85, ("d", "a"): 0.85}
    result = cyclicity(game(ring, 40), rounds=99, seed=2)
    assert (result.curl, result.p_value, result.circles) == (0, 0.01, ())
    assert result.harmonic > 0.9


def test_an_order_is_none() -> None:
    boards = [simulated(np.random.default_rng(seed), size=6, matchups=200) for seed in range(40)]
    found = [cyclicity(one, rounds=99, seed=1) for one in boards]
    # p-values of boards without circles are uniform: 2 of 40 below 0.05 expected, 7 in 1 of 1,000
    assert sum(one.p_value <= 0.05 for one in found) <= 6
    assert 0.35 < np.mean([one.p_value for one in found]) < 0.7
    assert np.mean([one.share - one.expected for one in found]) == pytest.approx(0, abs=0.03)


def test_ballots_that_agree_do_not_pass_for_circles() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    p_values = []
    for seed in range(30):
        once = game(dict.fromkeys(pairs, 0.5), 20, seed=seed)
        rows = np.repeat(np.arange(len(once)), 9)
        names = np.array(once.names)
        nine = Comparisons.of(
            names[once.first[rows]], names[once.second[rows]], once.outcome[rows], cluster=rows
        )
        result = cyclicity(nine, Model(penalty=1e6), rounds=99, seed=1)
        assert result.dispersion == pytest.approx(9, rel=0.35)
        p_values.append(result.p_value)
    assert sum(p <= 0.05 for p in p_values) <= 6


def test_residuals_are_what_the_ratings_leave_over() -> None:
    names = ["a", "b", "c", "d"]
    comparisons = game({(x, y): 0.6 for x in names for y in names if x < y}, 25)
    found, pairs = cyclicity(comparisons, rounds=9, seed=1), observed(comparisons)
    chance = predicted(fit(comparisons).rating)
    met = ~np.eye(4, dtype=bool)
    assert found.surplus[met] == pytest.approx((pairs.rate - chance)[met])
    assert found.residual[met] == pytest.approx((found.surplus / (chance * (1 - chance)))[met])
    assert found.residual == pytest.approx(-found.residual.T, nan_ok=True)


def test_names_rows_and_sides_change_nothing() -> None:
    comparisons = game({**CIRCLE, ("paper", "well"): 0.4, ("well", "rock"): 0.5}, 20)
    order = np.random.default_rng(1).permutation(len(comparisons))
    names = np.array(comparisons.names)
    turned = Comparisons.of(
        names[comparisons.second[order]],
        names[comparisons.first[order]],
        1 - comparisons.outcome[order],
    )
    one, other = (cyclicity(each, rounds=99, seed=5) for each in (comparisons, turned))
    assert one.p_value == other.p_value
    assert one.share == pytest.approx(other.share)
    assert one.residual == pytest.approx(other.residual, nan_ok=True)
    assert [each.names for each in one.circles] == [each.names for each in other.circles]


def test_pairs_that_never_met_have_no_residual() -> None:
    comparisons = Comparisons.of("aabbcc", "bbccdd", [1, 0, 1, 0, 1, 0])
    result = cyclicity(comparisons, rounds=9, seed=1)
    assert np.isnan(result.residual[0, 3])
    assert (result.share, result.p_value, result.circles) == (0, 1, ())


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_without_comparisons_nothing_runs_in_circles(names: list[str]) -> None:
    result = cyclicity(Comparisons.of([], [], [], names=names), rounds=9, seed=1)
    assert (result.share, result.expected, result.p_value) == (0, 0, 1)
    assert np.isnan(result.residual).all()


def test_what_it_cannot_do_is_refused() -> None:
    comparisons = simulated(np.random.default_rng(3), size=3, matchups=10)
    with pytest.raises(InvalidSetting, match="no side, no motions"):
        cyclicity(comparisons, Model(side=True), seed=1)
    with pytest.raises(InvalidSetting, match="rounds is 0"):
        cyclicity(comparisons, rounds=0, seed=1)
    with pytest.raises(InvalidSetting, match="seed is -1"):
        cyclicity(comparisons, seed=-1)


@pytest.mark.parametrize(
    ("pairs", "possible"),
    [
        ([("a", "b")], False),
        ([("a", "b"), ("b", "c"), ("d", "e")], False),
        ([("a", "b"), ("b", "c"), ("c", "a")], True),
        ([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("e", "f")], True),
    ],
)
def test_circles_need_a_ring(pairs: list[tuple[str, str]], possible: bool) -> None:
    first, second = zip(*pairs, strict=True)
    comparisons = Comparisons.of(first, second, [1.0] * len(pairs))
    assert cyclicity(comparisons, rounds=9, seed=1).possible is possible


def transitive(rng: np.random.Generator) -> Comparisons:
    """A board without circles: two legs a matchup, motions that matter, ties, any design."""
    size, matchups = int(rng.integers(4, 13)), int(rng.integers(12, 120))
    strength = rng.normal(0, rng.choice([0, 0.3, 1, 2]), size)
    on = strength[:, None] + rng.normal(0, rng.choice([0, 0.5]), (size, 20))
    near = rng.random() < 0.5  # neighbours in strength meet most
    rows: list[tuple[int, int, float, int]] = []
    for matchup in range(matchups):
        first = int(rng.integers(size - 1))
        second = (
            first + 1 + int(rng.integers(min(2, size - 1 - first) if near else size - 1 - first))
        )
        for pro, con in ((first, second), (second, first)):
            lead = on[pro, matchup % 20] - on[con, matchup % 20] + 0.2
            won = float(rng.random() < 1 / (1 + np.exp(-lead)))
            rows.append((pro, con, 0.5 if rng.random() < 0.1 else won, matchup))
    names = [f"p{k:02}" for k in range(size)]
    return Comparisons.of(
        [names[row[0]] for row in rows],
        [names[row[1]] for row in rows],
        [row[2] for row in rows],
        cluster=[row[3] for row in rows],
        names=names,
    )


@pytest.mark.slow
def test_boards_without_circles_are_told_so_in_19_of_20() -> None:
    rng = np.random.default_rng(3)
    circles: list[bool] = []
    pairs: list[bool] = []
    for seed in range(400):
        board = transitive(rng)
        gamma = fit(board).gamma
        first, second = board.names[:2]
        if circle := look_for_circles(board, gamma, seed=seed):
            circles.append(circle.is_significant)
        if pair := compare_pair(board, gamma, first, second, seed=seed):
            pairs.append(pair.is_significant)
    for alarms in (circles, pairs):
        assert len(alarms) > 250
        # of 400, 20 are expected at 5 %, and 29 or more in one of fifty
        assert 1 <= sum(alarms) <= 0.05 * len(alarms) + 2.05 * (0.0475 * len(alarms)) ** 0.5


def test_the_quick_test_is_the_thorough_one() -> None:
    for board in (game(CIRCLE, 60), game({**CIRCLE, ("paper", "rock"): 0.35}, 12)):
        quick = look_for_circles(board, fit(board).gamma, seed=2)
        thorough = cyclicity(board, rounds=999, seed=2)
        assert quick is not None
        assert (quick.circle is not None) == quick.is_significant == (thorough.p_value <= 0.05)
        assert quick.circle in (None, *thorough.circles)
    chain = game({("a", "b"): 0.9, ("b", "c"): 0.9}, 9)
    assert look_for_circles(chain, fit(chain).gamma, seed=1) is None


def test_a_pair_contradicts_its_ratings_from_either_side() -> None:
    board = game({("a", "b"): 0.7, ("b", "c"): 0.7, ("a", "c"): 0.1, ("c", "d"): 0.5}, 40)
    gamma = fit(board).gamma
    one = compare_pair(board, gamma, "a", "c", seed=1)
    other = compare_pair(board, gamma, "c", "a", seed=1)
    assert one and other and one.p_value == other.p_value < 0.01
    assert one.predicted == pytest.approx(1 - other.predicted)
    assert one.predicted == pytest.approx(1 / (1 + np.exp(gamma[2] - gamma[0])))
    assert compare_pair(board, gamma, "a", "d", seed=1) is None
    alone = compare_pair(board, gamma, "c", "d", seed=1)
    assert alone is not None and alone.p_value == 1
