"""From rows to cells: all that a model needs to know of comparisons.

Rows that a model cannot tell apart are one cell, with a weight; the data enter the likelihood

    ℓ(φ) = bᵀφ − Σ_u n_u A(η_u, ω),    η = Xφ

as the cells' weights n and the sufficient statistic b alone. Both are linear in how often each
cluster counts, so a bootstrap round needs nothing but its counts. Amounts are added up in an order
that depends on the content alone, so that sums are the same to the last bit whatever the order of
rows or sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.model.terms import Model
from ratings.patterns import Index, Patterns, find_patterns, number_kinds

Matrix = csr_array[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """What a model is fitted to: U cells, Q patterns of clusters, P parameters.

    Attributes:
        names: K participants; their abilities are the first K parameters.
        terms: names of the other parameters, in order: "side", covariates, "motion …", and last
            "tie" (ω = ln ν, which is not a column of the design).
        columns: (U, Z) parameters that a cell's log-odds depend on; the first two are abilities.
        coefficients: (U, Z) their factors, 1 and −1 for the abilities.
        totals: (U, Q) weight that one cluster of a pattern puts on a cell.
        statistic: (P, Q) what one cluster of a pattern adds to b.
        halves: (U, Q) weight times outcome − ½ of the cell's first column, by name the earlier.
        multiplicity: (Q,) clusters of each pattern.
        davidson: whether the last parameter is the tie's.
    """

    names: tuple[str, ...]
    terms: tuple[str, ...]
    columns: Index
    coefficients: NDArray[np.float64]
    totals: Matrix
    statistic: Matrix
    halves: Matrix
    multiplicity: Index
    davidson: bool

    @property
    def size(self) -> int:
        """Count the parameters, P."""
        return len(self.names) + len(self.terms)

    def design(self) -> Matrix:
        """Give X, (U, parameters without the tie's)."""
        return _sparse(self.columns, self.coefficients, self.size - self.davidson)

    def wins(self) -> NDArray[np.float64]:
        """Add up weighted wins, ties half: (K, K), row beats column."""
        size = len(self.names)
        low, high = self.columns[:, 0], self.columns[:, 1]
        total, half = self.totals @ self.multiplicity, self.halves @ self.multiplicity
        found = np.zeros((size, size))
        np.add.at(found, (low, high), total / 2 + half)
        np.add.at(found, (high, low), total / 2 - half)
        return found


def collapse(comparisons: Comparisons, model: Model) -> Problem:
    """Collapse comparisons to what a model needs.

    Raises:
        InvalidSetting: the model asks for a covariate or for motions that are not given.
    """
    _check(comparisons, model)
    terms = _Terms.of(comparisons, model)
    cell, shown = _cells(comparisons, terms)
    kind, rows = _told_apart(comparisons, terms, cell)
    found = find_patterns(kind, comparisons.cluster, comparisons.times)
    return _collapsed(comparisons, terms, shown=shown, cell=cell[rows], rows=rows, found=found)


def separate_kinds(comparisons: Comparisons, model: Model) -> tuple[Problem, Index, Index]:
    """Keep every kind of comparison apart: a cell and a pattern of its own, whatever the clusters.

    So any part of the comparisons is a count of each pattern.

    Returns:
        The problem; the pattern of each row, (N,); the position of one of each, (Q,).

    Raises:
        InvalidSetting: the model asks for a covariate or for motions that are not given.
    """
    _check(comparisons, model)
    terms = _Terms.of(comparisons, model)
    kind, rows = _told_apart(comparisons, terms, _cells(comparisons, terms)[0])
    number = np.arange(len(rows))
    alone = Patterns(
        multiplicity=np.bincount(kind, comparisons.times, len(rows)).astype(np.intp),
        pattern=number,
        kind=number,
        rows=np.ones_like(number),
    )
    found = _collapsed(comparisons, terms, shown=rows, cell=number, rows=rows, found=alone)
    return found, kind, rows


def _told_apart(given: Comparisons, terms: _Terms, cell: Index) -> tuple[Index, Index]:
    """Tell comparisons apart by all that the model knows: (kind (N,), a row of each kind)."""
    return number_kinds([cell, terms.sign * (given.outcome - 0.5), given.weight])


def _collapsed(
    comparisons: Comparisons,
    terms: _Terms,
    *,
    shown: Index,
    cell: Index,
    rows: Index,
    found: Patterns,
) -> Problem:
    """Add up what clusters hold.

    Args:
        comparisons: N comparisons.
        terms: the model's.
        shown: (U,) a row of each cell.
        cell: cell of each kind of row.
        rows: a row of each kind.
        found: what clusters hold of each kind.
    """
    example = rows[found.kind]
    weight = found.rows * comparisons.weight[example]
    half = terms.sign[example] * (comparisons.outcome[example] - 0.5)
    shape, where = (len(shown), len(found.multiplicity)), (cell[found.kind], found.pattern)
    columns, coefficients = terms.design(comparisons, shown)
    design = _sparse(columns, coefficients, len(comparisons.names) + len(terms.names))
    halves = csr_array((weight * half, where), shape=shape)
    statistic = design.T.tocsr() @ halves
    if terms.davidson:
        ties = np.bincount(found.pattern, weight * (half == 0), shape[1])
        statistic = vstack([statistic, csr_array(ties[None])], format="csr")
    return Problem(
        names=comparisons.names,
        terms=terms.names + (("tie",) if terms.davidson else ()),
        columns=columns,
        coefficients=coefficients,
        totals=csr_array((weight, where), shape=shape),
        statistic=statistic,
        halves=halves,
        multiplicity=found.multiplicity,
        davidson=terms.davidson,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Terms:
    """Rows turned so that the participant that comes first by name is the first named.

    Attributes:
        names: of the parameters beside abilities and tie.
        sign: (N,) −1 where the row was turned.
        sided: whether the side that a participant was on matters.
        values: (N, C) covariates, turned.
        motion: (N,) number of the motion; None where motions don't matter.
        davidson: whether ties have a chance of their own.
    """

    names: tuple[str, ...]
    sign: NDArray[np.float64]
    side: bool
    values: NDArray[np.float64]
    motion: Index | None
    davidson: bool

    @classmethod
    def of(cls, given: Comparisons, model: Model) -> _Terms:
        sign = np.where(given.first < given.second, 1.0, -1.0)
        chosen = [given.covariates[name] * sign for name in model.covariates]
        by_motion = model.motion_spread is not None
        return cls(
            names=(("side",) if model.side else ())
            + model.covariates
            + (tuple(f"motion {one}" for one in given.motions) if by_motion else ()),
            sign=sign,
            side=model.side,
            values=np.stack(chosen, axis=1) if chosen else np.empty((len(given.outcome), 0)),
            motion=given.motion if by_motion else None,
            davidson=model.ties == "davidson",
        )

    def design(self, given: Comparisons, rows: Index) -> tuple[Index, NDArray[np.float64]]:
        """Give columns and coefficients, (U, Z) each, of the cells that some rows are in."""
        size, count = len(given.names), self.values.shape[1]
        ends = np.sort(np.stack([given.first[rows], given.second[rows]]), axis=0)
        sign, one = self.sign[rows], np.ones(len(rows))
        columns, coefficients = [*ends], [one, -one]
        if self.side:
            columns.append(np.full(len(rows), size))
            coefficients.append(sign)
        for number in range(count):
            columns.append(np.full(len(rows), size + self.side + number))
            coefficients.append(self.values[rows, number])
        if self.motion is not None:
            columns.append(size + self.side + count + self.motion[rows])
            coefficients.append(sign)
        return np.stack(columns, axis=1), np.stack(coefficients, axis=1)


def _cells(given: Comparisons, terms: _Terms) -> tuple[Index, Index]:
    """Tell apart what log-odds depend on: (cell of each row (N,), a row of each cell)."""
    low, high = np.minimum(given.first, given.second), np.maximum(given.first, given.second)
    columns = [low * len(given.names) + high, *terms.values.T]
    if terms.side or terms.motion is not None:
        columns.append(terms.sign)
    if terms.motion is not None:
        columns.append(terms.motion)
    return number_kinds(columns)


def _sparse(columns: Index, coefficients: NDArray[np.float64], size: int) -> Matrix:
    cells, width = columns.shape
    pointer = np.arange(cells + 1) * width
    return csr_array((coefficients.ravel(), columns.ravel(), pointer), shape=(cells, size))


def _check(comparisons: Comparisons, model: Model) -> None:
    for name in model.covariates:
        if name not in comparisons.covariates:
            known = ", ".join(comparisons.covariates) or "none"
            raise InvalidSetting(
                f"covariate {name!r} is not among the comparisons' (given: {known}); "
                "add it with Comparisons.described"
            )
    if model.motion_spread is not None and comparisons.motion is None:
        raise InvalidSetting(
            "the model has a side advantage per motion, but the comparisons name no motions; "
            "add them with Comparisons.described"
        )
