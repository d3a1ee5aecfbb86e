from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena.output.point_labels import POINT_PIXELS, place_labels

PLOT = (600.0, 420.0)
PLACED = st.lists(
    st.tuples(st.floats(0, PLOT[0]), st.floats(0, PLOT[1]), st.floats(8, 120), st.floats(10, 16)),
    min_size=1,
    max_size=10,
)


def boxes(centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> list[tuple[float, ...]]:
    return [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(centres.tolist(), sizes.tolist(), strict=True)
    ]


def overlaps(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(
        min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis]) > 1e-6 for axis in (0, 1)
    )


@given(PLACED)
def test_where_there_is_room_nothing_overlaps(placed: list[tuple[float, ...]]) -> None:
    """Ten labels and points keep less than the area that the plot has for a label's centre."""
    values = np.array(placed)
    points, sizes = values[:, :2], values[:, 2:]
    centres = place_labels(points, sizes, PLOT)
    labels = boxes(centres, sizes)
    marks = boxes(points, np.full_like(points, 2 * POINT_PIXELS))
    for place, label in enumerate(labels):
        assert not any(overlaps(label, other) for other in labels[place + 1 :])
        assert not any(overlaps(label, mark) for mark in marks)
        assert label[0] >= -1e-6 and label[2] <= PLOT[0] + 1e-6
        assert label[1] >= -1e-6 and label[3] <= PLOT[1] + 1e-6


@given(PLACED)
def test_the_order_of_points_plays_no_part(placed: list[tuple[float, ...]]) -> None:
    values = np.unique(np.array(placed), axis=0)
    order = np.argsort(np.sin(values.sum(axis=1)), kind="stable")
    straight = place_labels(values[:, :2], values[:, 2:], PLOT)
    shuffled = place_labels(values[order, :2], values[order, 2:], PLOT)
    np.testing.assert_array_equal(straight[order], shuffled)


def test_labels_of_points_on_one_spot_are_spread() -> None:
    points, sizes = np.full((12, 2), 200.0), np.tile([80.0, 14.0], (12, 1))
    labels = boxes(place_labels(points, sizes, PLOT), sizes)
    assert not any(overlaps(a, b) for n, a in enumerate(labels) for b in labels[n + 1 :])


def test_a_hundred_labels_in_a_small_plot_still_get_places_in_time() -> None:
    points = np.random.default_rng(0).uniform(0, 300, (100, 2))
    begun = time.perf_counter()
    centres = place_labels(points, np.tile([150.0, 14.0], (100, 1)), (300, 300))
    assert np.isfinite(centres).all()
    assert time.perf_counter() - begun < 5
