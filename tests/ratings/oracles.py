"""Slow, obvious twins of the package's algorithms, and random boards to try them on."""

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from ratings import Comparisons, Model, outcome_of, paper_weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """One comparison in plain values."""

    first: str
    second: str
    delta: float
    matchup: str


def board(debates: list[Debate], names: list[str] | None = None) -> Comparisons:
    return Comparisons.of(
        [one.first for one in debates],
        [one.second for one in debates],
        [outcome_of(one.delta) for one in debates],
        paper_weight([one.delta for one in debates]),
        [one.matchup for one in debates],
        names,
    )


def swapped(one: Debate) -> Debate:
    return Debate(first=one.second, second=one.first, delta=-one.delta, matchup=one.matchup)


@st.composite
def debates(draw: st.DrawFn, *, most: int = 25) -> list[Debate]:
    names = [f"p{index}" for index in range(draw(st.integers(2, 5)))]
    pair = st.permutations(names).map(lambda order: order[:2])
    row = st.tuples(pair, st.integers(-3, 3), st.integers(0, 5))
    return [
        Debate(first=first, second=second, delta=delta, matchup=f"m{matchup}")
        for (first, second), delta, matchup in draw(st.lists(row, min_size=1, max_size=most))
    ]


def simulated(
    rng: np.random.Generator, *, size: int, matchups: int, apart: float = 60
) -> Comparisons:
    """Two legs for each matchup, participants some Elo points apart."""
    found = []
    for number in range(matchups):
        i, j = (int(index) for index in rng.choice(size, 2, replace=False))
        for first, second in ((i, j), (j, i)):
            wins = rng.random() < 1 / (1 + 10 ** ((first - second) * apart / 400))
            delta = float(rng.choice([1, 2, 3])) * (1 if wins else -1)
            pair = {"first": f"p{first}", "second": f"p{second}"}
            found.append(Debate(**pair, delta=delta, matchup=f"m{number}"))
    return board(found, [f"p{index}" for index in range(size)])


def minorise_maximise(comparisons: Comparisons, rounds: int = 5000) -> list[float]:
    """Hunter's (2004) iteration in plain Python; log-strengths of mean 0, no penalty."""
    size = len(comparisons.names)
    strength = [1.0] * size
    for _ in range(rounds):
        won, met = [0.0] * size, [0.0] * size
        for i, j, outcome, weight in rows(comparisons):
            won[i] += weight * outcome
            won[j] += weight * (1 - outcome)
            met[i] += weight / (strength[i] + strength[j])
            met[j] += weight / (strength[i] + strength[j])
        strength = [w / m for w, m in zip(won, met, strict=True)]
    logs = [math.log(value) for value in strength]
    return [value - sum(logs) / size for value in logs]


def maximise_rows(comparisons: Comparisons, penalty: float) -> NDArray[np.float64]:
    """Maximise the penalised likelihood row by row with a general optimiser."""
    spread = penalty * math.log(10) / 400

    def loss(gamma: NDArray[np.float64]) -> float:
        total = sum((gamma - gamma.mean()) ** 2) / (2 * spread**2)
        for i, j, outcome, weight in rows(comparisons):
            total += weight * outcome * math.log1p(math.exp(gamma[j] - gamma[i]))
            total += weight * (1 - outcome) * math.log1p(math.exp(gamma[i] - gamma[j]))
        return float(total)

    result = minimize(loss, np.zeros(len(comparisons.names)), method="BFGS", options={"gtol": 1e-7})
    return np.asarray(result.x - result.x.mean())


def maximise_terms(comparisons: Comparisons, model: Model) -> NDArray[np.float64]:
    """Maximise a model's penalised likelihood row by row with a general optimiser.

    Parameters in order: abilities of mean 0, side, covariates, motions, ln ν.
    """
    size, motions = len(comparisons.names), comparisons.motions
    spread = float(model.penalty or math.inf) * math.log(10) / 400
    own_spread = float(model.motion_spread or math.inf) * math.log(10) / 400
    columns = [comparisons.covariates[name].tolist() for name in model.covariates]
    weights = comparisons.weight.tolist()
    squares = [
        sum(w * x * x for w, x in zip(weights, one, strict=True)) / sum(weights) for one in columns
    ]

    def loss(free: NDArray[np.float64]) -> float:
        gamma, others = free[:size], free[size:].tolist()
        side, slopes = others[0], others[1 : 1 + len(columns)]
        own, tie = others[1 + len(columns) :][: len(motions)], others[-1]
        total = sum((gamma - gamma.mean()) ** 2) / (2 * spread**2) + side**2 / (2 * spread**2)
        total += sum(b * b * s for b, s in zip(slopes, squares, strict=True)) / (2 * spread**2)
        total += sum(h * h for h in own) / (2 * own_spread**2)
        if model.ties == "davidson":
            total += tie * tie / (2 * spread**2)
        for row, (i, j, outcome, weight) in enumerate(rows(comparisons)):
            eta = gamma[i] - gamma[j] + side + own[comparisons.motion[row]]  # type: ignore[index]
            eta += sum(b * x[row] for b, x in zip(slopes, columns, strict=True))
            if model.ties == "davidson":
                odds = {1.0: math.exp(eta / 2), 0.5: math.exp(tie), 0.0: math.exp(-eta / 2)}
                total -= weight * math.log(odds[outcome] / sum(odds.values()))
            else:
                total += weight * outcome * math.log1p(math.exp(-eta))
                total += weight * (1 - outcome) * math.log1p(math.exp(eta))
        return float(total)

    count = size + 1 + len(columns) + len(motions) + (model.ties == "davidson")
    found = minimize(loss, np.zeros(count), method="BFGS", options={"gtol": 1e-6}).x
    found[:size] -= found[:size].mean()
    return np.asarray(found)


def rows(comparisons: Comparisons) -> list[tuple[int, int, float, float]]:
    columns = (comparisons.first, comparisons.second, comparisons.outcome, comparisons.weight)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def repeated(comparisons: Comparisons, times: dict[int, int]) -> Comparisons:
    """Repeat the rows of each cluster, given as label -> how often."""
    copies = [times[label] for label in comparisons.cluster.tolist()]
    return Comparisons(
        names=comparisons.names,
        first=np.repeat(comparisons.first, copies),
        second=np.repeat(comparisons.second, copies),
        outcome=np.repeat(comparisons.outcome, copies),
        weight=np.repeat(comparisons.weight, copies),
        cluster=np.repeat(comparisons.cluster, copies),
    )
