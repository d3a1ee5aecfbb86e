"""Places for the names of points in a chart, so that none overlaps another or a point."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Half the side of the square that a point takes, and the gap between labels, in pixels.
POINT_PIXELS: Final = 6.0
_GAP: Final = 1.0
#: Places across the plot for one label, at most; so the time is bounded.
_MOST_PLACES: Final = 3000
#: How many pixels farther a label goes rather than cover a square pixel of a line.
_LINE_COST: Final = 0.3


def place_labels(
    points: NDArray[np.float64],
    sizes: NDArray[np.float64],
    plot: tuple[float, float],
    lines: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Place a label per point, as near as possible to it, where nothing else stands.

    Labels are placed one after another, the widest first. Each takes, of the places beside its
    point and of a grid across the plot, the nearest that is free, and rather a place farther away
    than one on a line. Where none is free, it takes the one where it covers the least. The result
    depends on nothing but the arguments.

    >>> place_labels(np.array([[50.0, 50.0]]), np.array([[40.0, 12.0]]), (200, 100)).tolist()
    [[77.0, 50.0]]

    Args:
        points: (N, 2) pixels from the left and from the top of the plot.
        sizes: (N, 2) widths and heights of the labels, pixels.
        plot: its width and height, pixels.
        lines: (M, 4) boxes to avoid where that is not far: centres, widths and heights, pixels.

    Returns:
        (N, 2) the centres of the labels, pixels; labels no larger than the plot lie within it.
    """
    centres = np.zeros_like(points)
    order = np.lexsort((points[:, 1], points[:, 0], -sizes[:, 1], -sizes[:, 0]))
    taken = np.column_stack([points[order], np.full_like(points, 2 * POINT_PIXELS)])
    for label in order:
        places = _places(points[label], sizes[label], plot)
        covered = _covered_areas(places, sizes[label] + _GAP, taken)
        distance = np.hypot(*(_nearest_edge(places, points[label], sizes[label]).T))
        if lines is not None:
            distance += _LINE_COST * _covered_areas(places, sizes[label], lines)
        best = np.lexsort((distance, covered.round(6)))[0]
        centres[label] = places[best]
        taken = np.vstack([taken, [*places[best], *sizes[label]]])
    return centres


def _places(
    point: NDArray[np.float64], size: NDArray[np.float64], plot: tuple[float, float]
) -> NDArray[np.float64]:
    """Return (M, 2) centres that a label may have: beside its point, then across the plot."""
    away = size / 2 + POINT_PIXELS + _GAP
    sides = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1)]
    low = np.minimum(size / 2, np.array(plot) / 2)
    high = np.array(plot) - low
    step = max(4.0, float(np.sqrt(plot[0] * plot[1] / _MOST_PLACES)))
    across, down = (np.arange(low[axis], high[axis] + 0.5, step) for axis in (0, 1))
    grid = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    beside = point + np.array(sides) * away
    places: NDArray[np.float64] = np.clip(np.vstack([beside, grid]), low, high)
    return places


def _covered_areas(
    places: NDArray[np.float64], size: NDArray[np.float64], taken: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (M,) how many square pixels of what is taken a label at each place would cover."""
    across, down = (
        np.clip(
            (size[axis] + taken[:, 2 + axis]) / 2
            - np.abs(places[:, None, axis] - taken[None, :, axis]),
            0,
            np.minimum(size[axis], taken[:, 2 + axis]),
        )
        for axis in (0, 1)
    )
    area: NDArray[np.float64] = np.einsum("ij,ij->i", across, down)
    return area


def _nearest_edge(
    places: NDArray[np.float64], point: NDArray[np.float64], size: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (M, 2) from a point to the nearest pixel of its label at each place."""
    offsets = places - point
    return offsets - np.clip(offsets, -size / 2, size / 2)
