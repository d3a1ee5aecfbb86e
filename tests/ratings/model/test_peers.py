"""Agreement with other libraries on data where all are well posed: to a millionth."""

import numpy as np
import pytest

from benchmarks.peers import PEERS, cells, seconds
from benchmarks.ratings import simulated
from ratings import Comparisons, Model, fit
from ratings.model.fitting import fit_point
from ratings.resampling.poisson import PoissonCounts
from ratings.resampling.refit import Refit

#: What a peer's own stopping rule leaves: L-BFGS stops early.
TOLERANCE = {"fastchat": 1e-4}


@pytest.fixture(scope="module")
def comparisons() -> Comparisons:
    return simulated(12, 4000)


@pytest.mark.parametrize("name", PEERS)
def test_the_fit_is_the_peers(name: str, comparisons: Comparisons) -> None:
    given = cells(comparisons)
    found = PEERS[name](given)(given.count.astype(float))
    exact = fit(comparisons, Model(penalty=None)).gamma
    assert found == pytest.approx(exact, abs=TOLERANCE.get(name, 1e-6))


@pytest.mark.parametrize("name", ["choix", "evalica"])
def test_a_resample_is_refitted_as_the_peers_do(name: str, comparisons: Comparisons) -> None:
    point = fit_point(comparisons, Model(penalty=1e9))
    given = point.objective.problem
    counts = PoissonCounts(given.multiplicity).draw(np.random.Generator(np.random.SFC64(5)), 1)
    drawn = given.totals @ counts[:, 0], given.halves @ counts[:, 0]
    won, lost = drawn[0] / 2 + drawn[1], drawn[0] / 2 - drawn[1]
    low, high = given.columns[:, 0], given.columns[:, 1]
    resample = Comparisons(
        names=given.names,
        first=np.concatenate([low, high]),
        second=np.concatenate([high, low]),
        outcome=np.ones(2 * len(low)),
        weight=np.maximum(np.concatenate([won, lost]), 1e-12).astype(float),
        cluster=np.arange(2 * len(low)),
    )
    weighted = cells(resample)
    named_low = resample.first < resample.second
    pair = np.minimum(resample.first, resample.second) * 12 + resample.first + resample.second
    order = np.argsort(2 * pair + named_low)
    peers = PEERS[name](weighted)(resample.weight[order])
    ours = Refit(point).maximise(counts)[:, 0]
    assert ours == pytest.approx(peers, abs=5e-5)  # single precision: a hundredth of an Elo point


def test_rounds_that_were_not_run_are_extrapolated(comparisons: Comparisons) -> None:
    taken, rounds = seconds(PEERS["choix"], cells(comparisons), rounds=1000, limit=0.0)
    assert rounds == 2
    assert taken > 0
