"""From rows to cells: weighted wins per ordered pair, all that the model needs to know.

A comparison of weight w gives w to its winner; a tie gives w/2 to each side. Amounts are added up
in sorted order, so sums are the same to the last bit whatever the order of rows or sides.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ratings.canonical import contents, ranks
from ratings.comparisons import Comparisons

_CELL = np.dtype([("cell", "<i8"), ("amount", "<f8")])

Entries = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


def pair_wins(comparisons: Comparisons) -> NDArray[np.float64]:
    """Add up weighted wins.

    Returns:
        (K, K); row beats column.
    """
    size = len(comparisons.names)
    _, cell, amount = _entries(comparisons)
    wins = np.bincount(cell, weights=amount, minlength=size**2)
    return np.asarray(wins, dtype=np.float64).reshape(size, size)


def cluster_wins(comparisons: Comparisons) -> csr_array[np.float64]:
    """Add up weighted wins per cluster.

    Returns:
        (C, K²) sparse; one row per cluster, sorted by content, so that neither the order of rows
        nor the labels of clusters matter; column i·K + j is i beats j.
    """
    size = len(comparisons.names) ** 2
    cluster, cell, amount = _entries(comparisons)
    keys, position = np.unique(cluster * size + cell, return_inverse=True)
    cells = np.empty(len(keys), dtype=_CELL)
    cells["cell"] = keys % size
    cells["amount"] = np.bincount(position, weights=amount, minlength=len(keys))
    row = keys // size
    rank = ranks(contents(row, cells))
    return csr_array((cells["amount"], (rank[row], cells["cell"])), shape=(len(rank), size))


def _entries(comparisons: Comparisons) -> Entries:
    """List the cluster (numbered from 0), the cell and the amount of every win, sorted by amount.

    A tie is two entries.
    """
    size, given = len(comparisons.names), comparisons
    labels = np.unique(given.cluster, return_inverse=True)[1].astype(np.intp)
    cell = np.concatenate([given.first * size + given.second, given.second * size + given.first])
    amount = np.concatenate([given.weight * given.outcome, given.weight * (1 - given.outcome)])
    kept = np.flatnonzero(amount)
    kept = kept[np.argsort(amount[kept], kind="stable")]
    return np.tile(labels, 2)[kept], cell[kept], amount[kept]
