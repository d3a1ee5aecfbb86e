"""The gaps of an evaluation: read from traces, fitted over runs, compared between two methods."""

from __future__ import annotations

import json
from math import isnan

import numpy as np
import pytest
from scipy.stats import beta

from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.score_gaps import compare_distances, measure_gaps, read_totals
from judges.studies.statistics.estimates import clustered_t


def held(*rounds: tuple[float, float]) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = [
        {"agent": "judge", "round": number, "pro": pro, "con": con}
        for number, (pro, con) in enumerate(rounds, start=1)
    ]
    return [*reversed(steps), {"agent": "juror", "winner": "Pro"}]


def judged(bench: str, item: str, gap: float = 0.0, **more: object) -> PairVerdict:
    given: dict[str, object] = {
        "question": item, "category": "", "label": 1.0, "outcome": 1.0, "flips": 0, "orders": 0,
        "rounds": (), "usd": 0.0, "tokens": 0.0,
    }  # fmt: skip
    return PairVerdict(bench=bench, item=item, gap=gap, **(given | more))  # type: ignore[arg-type]


def test_totals_come_from_a_trace_in_one_order_or_in_two() -> None:
    one = held((72, 60), (70, 66))
    assert list(read_totals(one)) == [((72.0, 60.0), (70.0, 66.0))]
    both = [
        {"agent": "order", "order": "given", "verdicts": [], "steps": one},
        {"agent": "order", "order": "exchanged", "verdicts": [], "steps": held((60, 60))},
    ]
    kept = json.loads(json.dumps(both))
    assert list(read_totals(kept)) == [((72.0, 60.0), (70.0, 66.0)), ((60.0, 60.0),)]
    assert list(read_totals([{"agent": "juror"}])) == []


def test_the_model_is_fitted_on_all_runs() -> None:
    runs = (((63.0, 63.0), (74.4, 63.0), (70.0, 63.0)), ((63.0, 85.8), (63.0, 97.2)))
    result = measure_gaps("b", [judged("b", "1", rounds=runs)])
    assert result is not None
    assert (result.model.runs, result.model.steps, result.model.grew) == (2, 3, 2)
    assert (result.model.a, result.model.b) == (3, 2)
    assert result.by_round == pytest.approx((0.1, 0.2, 7 / 114))
    for tail in result.tails:
        assert tail.exact == pytest.approx(beta(3, 2).sf(tail.threshold))
    small = {one.least: (one.runs, one.mean_round) for one in result.reached}
    assert small[0.05] == (2, 1.5) and small[0.2] == (1, 1.0)
    assert measure_gaps("b", [judged("b", "1")]) is None


def test_distances_are_compared_on_the_pairs_that_both_have() -> None:
    rng = np.random.default_rng(1)
    more, samre = rng.uniform(0, 30, 12), rng.uniform(0, 20, 12)
    found = [
        *(judged("m", str(n), gap, question=str(n % 6)) for n, gap in enumerate(more)),
        *(judged("s", str(n), gap, question=str(n % 6)) for n, gap in enumerate(samre[:10])),
    ]
    one = compare_distances("m", "s", found, np.random.default_rng(0))
    assert one is not None
    expected = clustered_t((more - samre)[:10], [n % 6 for n in range(10)])
    assert (one.pairs, one.questions) == (10, 6) and (one.t, one.p) == pytest.approx(expected)
    assert one.difference == pytest.approx((more[:10] - samre[:10]).mean())
    assert one.lower < one.difference < one.upper
    assert one.larger == pytest.approx((more[:10] > samre[:10]).mean())
    same = compare_distances("m", "m", found[:1], np.random.default_rng(0))
    assert same is not None and isnan(same.lower) and same.difference == 0
    assert compare_distances("m", "x", found, np.random.default_rng(0)) is None
