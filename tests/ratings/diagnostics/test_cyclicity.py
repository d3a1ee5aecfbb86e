import numpy as np
import pytest

from ratings import Comparisons, InvalidSetting, Model, cyclicity, fit, observed, predicted
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
