from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ratings import patterns
from ratings.patterns import Patterns, find_patterns, number_keys, number_kinds

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 4)), min_size=1, max_size=40)


def contents(found: Patterns) -> Counter[tuple[tuple[int, int], ...]]:
    """Write a Patterns out: content → number of clusters."""
    told: Counter[tuple[tuple[int, int], ...]] = Counter()
    for number, times in enumerate(found.multiplicity.tolist()):
        own = found.pattern == number
        content = zip(found.kind[own].tolist(), found.rows[own].tolist(), strict=True)
        told[tuple(sorted(content))] += times
    return told


def twin(kind: list[int], cluster: list[int]) -> Counter[tuple[tuple[int, int], ...]]:
    told: Counter[tuple[tuple[int, int], ...]] = Counter()
    for label in set(cluster):
        own = Counter(k for k, c in zip(kind, cluster, strict=True) if c == label)
        told[tuple(sorted(own.items()))] += 1
    return told


@given(rows)
def test_clusters_of_equal_content_are_one_pattern(found: list[tuple[int, int]]) -> None:
    _, kind = number_keys(np.array([k for k, _ in found]))
    cluster = [c for _, c in found]
    result = find_patterns(kind, np.array(cluster), np.ones_like(kind))
    assert contents(result) == twin(kind.tolist(), cluster)
    assert len(contents(result)) == len(result.multiplicity)
    assert (np.diff(result.multiplicity) >= 0).all()


@pytest.mark.parametrize("equal", [1, 2])
def test_each_of_the_two_numbers_tells_contents_apart_where_the_other_does_not(
    equal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = patterns._hash_numbers
    monkeypatch.setattr(
        patterns, "_hash_numbers", lambda kind, salt: numbers(kind, salt) * (salt != equal)
    )
    kind, cluster = [0, 1, 0, 2, 1, 0, 3, 3], [5, 5, 6, 6, 7, 7, 8, 8]
    result = find_patterns(np.array(kind), np.array(cluster), np.ones(8, dtype=np.intp))
    assert contents(result) == twin(kind, cluster)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_clusters_of_one_row_are_its_kinds(given_kinds: list[int]) -> None:
    _, kind = number_keys(np.array(given_kinds))
    result = find_patterns(kind, np.arange(len(kind)), np.ones_like(kind))
    assert contents(result) == twin(kind.tolist(), list(range(len(kind))))


def test_far_apart_keys_are_numbered_in_order() -> None:
    for keys in ([5, 10**12, -3, 5], [5, 7, -3, 5], [5, 5], [0, 1, 2]):
        unique, number = number_keys(np.array(keys))
        assert unique.tolist() == sorted(set(keys))
        assert unique[number].tolist() == keys


def test_kinds_are_ordered_by_their_columns() -> None:
    columns: list[NDArray[np.generic]] = [
        np.array([2, 1, 2, 1]),
        np.array([0.5, 0.1, 0.25, 0.1]),
    ]
    kind, rows_of = number_kinds(columns)
    assert kind.tolist() == [2, 0, 1, 0]
    assert [columns[1][row] for row in rows_of] == [0.1, 0.25, 0.5]
