import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings.diagnostics.hodge import Pairs, decompose, triangles


def graph(rng: np.random.Generator, size: int, chance: float) -> Pairs:
    low, high = np.nonzero(np.triu(rng.random((size, size)) < chance, 1))
    return Pairs(size=size, low=low, high=high, weight=rng.uniform(0.2, 3, len(low)))


def projected(
    pairs: Pairs, columns: NDArray[np.float64], flow: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weighted least squares with a dense solver."""
    root = np.sqrt(pairs.weight)
    found = np.linalg.lstsq(root[:, None] * columns, root * flow, rcond=None)[0]
    return np.asarray(columns @ found)


@given(st.integers(0, 10**6), st.integers(2, 7), st.sampled_from([0.3, 0.6, 1.0]))
def test_parts_are_the_dense_projections(seed: int, size: int, chance: float) -> None:
    rng = np.random.default_rng(seed)
    pairs = graph(rng, size, chance)
    flow = rng.normal(size=len(pairs.low))
    decomposition = decompose(pairs, flow)
    ratings = np.eye(size)[pairs.low] - np.eye(size)[pairs.high]
    round_them = [np.zeros((len(flow), 1))]
    for three in triangles(pairs):
        for ij, jk, ik in three.T:
            column = np.zeros((len(flow), 1))
            column[[ij, jk]], column[ik] = 1, -1
            round_them.append(column / pairs.weight[:, None])
    assert decomposition.gradient == pytest.approx(projected(pairs, ratings, flow), abs=1e-8)
    curl = projected(pairs, np.concatenate(round_them, axis=1), flow)
    assert decomposition.curl == pytest.approx(curl, abs=1e-7)
    assert decomposition.gradient + decomposition.curl + decomposition.harmonic == pytest.approx(
        flow
    )


def test_a_circle_of_four_is_harmonic_and_one_of_three_is_curl() -> None:
    four = Pairs(size=4, low=np.array([0, 0, 1, 2]), high=np.array([1, 3, 2, 3]), weight=np.ones(4))
    decomposition = decompose(four, np.array([1.0, -1.0, 1.0, 1.0]))
    assert decomposition.harmonic == pytest.approx([1, -1, 1, 1])
    three = Pairs(size=3, low=np.array([0, 0, 1]), high=np.array([1, 2, 2]), weight=np.ones(3))
    assert decompose(three, np.array([1.0, -1.0, 1.0])).curl == pytest.approx([1, -1, 1])


def test_triangles_are_all_of_three_that_have_met() -> None:
    pairs = graph(np.random.default_rng(4), 9, 0.7)
    met = set(zip(pairs.low.tolist(), pairs.high.tolist(), strict=True))
    expected = {
        (i, j, k)
        for i in range(9)
        for j in range(9)
        for k in range(9)
        if {(i, j), (j, k), (i, k)} <= met
    }
    found = [
        (int(pairs.low[ij]), int(pairs.high[ij]), int(pairs.high[jk]))
        for three in triangles(pairs)
        for ij, jk, _ in three.T
    ]
    assert len(found) == len(expected)
    assert set(found) == expected
