import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import poisson

from ratings.resampling import poisson as counting
from ratings.resampling.poisson import PoissonCounts


def generator(seed: int = 3) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(seed))


def of_bins(mean: int, monkeypatch: pytest.MonkeyPatch) -> NDArray[np.float32]:
    """Draw once for every bin of the uniform number, at a random place inside it."""

    class EveryBin:
        def __init__(self) -> None:
            self.rng = generator()

        def integers(self, *_: object, size: int, dtype: type) -> NDArray[np.uint64]:
            assert size * 4 == 65536
            return np.arange(65536, dtype=np.uint16).view(dtype)

        def __getattr__(self, name: str) -> object:
            return getattr(self.rng, name)

    return PoissonCounts(np.full(65536, mean)).draw(EveryBin(), 1)[:, 0]  # type: ignore[arg-type]


@pytest.mark.parametrize("mean", [1, 2, 7, 40, 150])
def test_every_bin_gives_its_quantile(mean: int, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = np.arange(65537) / 65536
    drawn = of_bins(mean, monkeypatch)
    lowest, highest = poisson.ppf(edges[:-1], mean), poisson.ppf(edges[1:], mean)
    assert (np.diff(drawn) >= 0).mean() > 0.999
    assert (np.maximum(lowest, 0) <= drawn).all()
    assert (drawn <= highest).all()


def test_inside_a_bin_the_quantile_is_computed() -> None:
    rng = generator()
    chance, mean = rng.random(20_000), rng.integers(1, 151, 20_000)
    assert (
        counting._quantile(chance, mean).tolist() == np.asarray(poisson.ppf(chance, mean)).tolist()
    )
    ends = counting._quantile(np.array([0.0, 1e-300, 1 - 1e-17]), np.array([150, 3, 150]))
    assert ends[:2].tolist() == [0, 0]
    assert 240 < ends[2] < 300


@pytest.mark.parametrize("mean", [1, 5, 60, 150, 151, 3000])
def test_counts_are_poisson(mean: int) -> None:
    drawn = PoissonCounts(np.full(40, mean)).draw(generator(), 5000).ravel()
    values = np.arange(int(drawn.max()) + 1)
    expected = poisson.pmf(values, mean) * len(drawn)
    seen = np.bincount(drawn.astype(int), minlength=len(values))
    often = expected > 20
    chi = ((seen - expected)[often] ** 2 / expected[often]).sum()
    assert chi < often.sum() + 4 * np.sqrt(2 * often.sum())
    assert drawn.mean() == pytest.approx(mean, abs=5 * np.sqrt(mean / len(drawn)))


def test_every_row_has_its_own_mean() -> None:
    means = np.array([1, 1, 3, 150, 200, 200])
    drawn = PoissonCounts(means).draw(generator(), 20_000)
    assert drawn.shape == (6, 20_000)
    assert drawn.mean(axis=1) == pytest.approx(means, rel=0.03)
    assert np.corrcoef(drawn) == pytest.approx(np.eye(6), abs=0.04)


def test_nothing_to_draw() -> None:
    assert PoissonCounts(np.zeros(0, dtype=np.intp)).draw(generator(), 3).shape == (0, 3)
