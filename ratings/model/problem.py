"""Comparisons collapsed to the sums that a model's likelihood depends on.

Rows with the same log-odds under a model form one cell, with a weight. The data enter the
likelihood

    ℓ(φ) = bᵀφ − Σ_u n_u A(η_u, ω),    η = Xφ

only as the cells' weights n and the sufficient statistic b. Both are linear in how often each
cluster counts, so a bootstrap round needs only its counts. Amounts are added in an order that
depends on the content alone, so that sums do not depend, to the last bit, on the order of rows or
sides.
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
    """Comparisons as a model needs them: U cells, Q patterns of clusters, P parameters.

    A pattern is the content that clusters have in common (`ratings.patterns`).

    Attributes:
        names: K participants; their abilities are the first K parameters.
        terms: names of the other parameters, in order: "side", covariates, "motion …", and last
            "tie" (ω = ln ν, which is not a column of the design).
        columns: (U, Z) parameters that a cell's log-odds depend on; the first two are abilities.
        coefficients: (U, Z) their factors; 1 and −1 for the abilities.
        totals: (U, Q) weight that one cluster of a pattern adds to a cell.
        statistic: (P, Q) amount that one cluster of a pattern adds to b.
        halves: (U, Q) weight times (outcome − ½), for the participant in the cell's first column.
        multiplicity: (Q,) number of clusters of each pattern.
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
        """The number of parameters, P."""
        return len(self.names) + len(self.terms)

    def design(self) -> Matrix:
        """Return X, (U, P), without the tie's column."""
        return _sparse_design(self.columns, self.coefficients, self.size - self.davidson)

    def wins(self) -> NDArray[np.float64]:
        """Return weighted wins, ties half, (K, K), of the row against the column."""
        size = len(self.names)
        low, high = self.columns[:, 0], self.columns[:, 1]
        total, half = self.totals @ self.multiplicity, self.halves @ self.multiplicity
        wins = np.zeros((size, size))
        np.add.at(wins, (low, high), total / 2 + half)
        np.add.at(wins, (high, low), total / 2 - half)
        return wins


def collapse(comparisons: Comparisons, model: Model) -> Problem:
    """Collapse comparisons to the sums that a model needs."""
    terms = _Terms.of(comparisons, model)
    cell, cell_rows = _number_cells(comparisons, terms)
    kind, rows = _number_row_kinds(comparisons, terms, cell)
    clusters = find_patterns(kind, comparisons.cluster, comparisons.times)
    return _add_up(
        comparisons, terms, cell_rows=cell_rows, cell=cell[rows], rows=rows, clusters=clusters
    )


def separate_kinds(comparisons: Comparisons, model: Model) -> tuple[Problem, Index, Index]:
    """Collapse comparisons with a cell and a pattern for each kind, whatever the clusters.

    So a part of the comparisons is described by a count of each pattern.

    Returns:
        The problem; the pattern of each row, (N,); the position of a row of each pattern, (Q,).
    """
    terms = _Terms.of(comparisons, model)
    kind, rows = _number_row_kinds(comparisons, terms, _number_cells(comparisons, terms)[0])
    number = np.arange(len(rows))
    single_rows = Patterns(
        multiplicity=np.bincount(kind, comparisons.times, len(rows)).astype(np.intp),
        pattern=number,
        kind=number,
        rows=np.ones_like(number),
    )
    problem = _add_up(
        comparisons, terms, cell_rows=rows, cell=number, rows=rows, clusters=single_rows
    )
    return problem, kind, rows


def _number_row_kinds(comparisons: Comparisons, terms: _Terms, cell: Index) -> tuple[Index, Index]:
    """Number rows by cell, outcome and weight: (kind of each row (N,), a row of each kind)."""
    return number_kinds([cell, terms.sign * (comparisons.outcome - 0.5), comparisons.weight])


def _add_up(
    comparisons: Comparisons,
    terms: _Terms,
    *,
    cell_rows: Index,
    cell: Index,
    rows: Index,
    clusters: Patterns,
) -> Problem:
    """Add up the rows of clusters.

    Args:
        comparisons: in N rows.
        cell_rows: (U,) a row of each cell.
        cell: cell of each kind of row.
        rows: a row of each kind.
        clusters: the kinds of rows in each pattern of clusters.
    """
    example = rows[clusters.kind]
    weight = clusters.rows * comparisons.weight[example]
    half = terms.sign[example] * (comparisons.outcome[example] - 0.5)
    shape = (len(cell_rows), len(clusters.multiplicity))
    where = (cell[clusters.kind], clusters.pattern)
    columns, coefficients = terms.design(comparisons, cell_rows)
    design = _sparse_design(columns, coefficients, len(comparisons.names) + len(terms.names))
    halves = csr_array((weight * half, where), shape=shape)
    statistic = design.T.tocsr() @ halves
    if terms.davidson:
        ties = np.bincount(clusters.pattern, weight * (half == 0), shape[1])
        statistic = vstack([statistic, csr_array(ties[None])], format="csr")
    return Problem(
        names=comparisons.names,
        terms=terms.names + (("tie",) if terms.davidson else ()),
        columns=columns,
        coefficients=coefficients,
        totals=csr_array((weight, where), shape=shape),
        statistic=statistic,
        halves=halves,
        multiplicity=clusters.multiplicity,
        davidson=terms.davidson,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Terms:
    """The terms of a model for each row, with the participant earlier by name as the first named.

    Attributes:
        names: of the parameters other than abilities and tie.
        sign: (N,) −1 for rows whose sides were exchanged, else 1.
        side: whether the model has a term for the side.
        values: (N, C) covariates, with exchanged sides.
        motion: (N,) number of the motion; None without a term for motions.
        davidson: whether the model has Davidson's ties.
    """

    names: tuple[str, ...]
    sign: NDArray[np.float64]
    side: bool
    values: NDArray[np.float64]
    motion: Index | None
    davidson: bool

    @classmethod
    def of(cls, comparisons: Comparisons, model: Model) -> _Terms:
        _check_terms(comparisons, model)
        sign = np.where(comparisons.first < comparisons.second, 1.0, -1.0)
        values = [comparisons.covariates[name] * sign for name in model.covariates]
        no_values = np.empty((len(comparisons.outcome), 0))
        by_motion = model.motion_spread is not None
        return cls(
            names=(("side",) if model.side else ())
            + model.covariates
            + (tuple(f"motion {motion}" for motion in comparisons.motions) if by_motion else ()),
            sign=sign,
            side=model.side,
            values=np.stack(values, axis=1) if values else no_values,
            motion=comparisons.motion if by_motion else None,
            davidson=model.ties == "davidson",
        )

    def design(self, comparisons: Comparisons, rows: Index) -> tuple[Index, NDArray[np.float64]]:
        """Return columns and coefficients, (U, Z) each, of the cells of U rows."""
        size, count = len(comparisons.names), self.values.shape[1]
        sign, ones = self.sign[rows], np.ones(len(rows))
        columns = [comparisons.low[rows], comparisons.high[rows]]
        coefficients = [ones, -ones]
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


def _number_cells(comparisons: Comparisons, terms: _Terms) -> tuple[Index, Index]:
    """Number rows by all that log-odds depend on: (cell of each row (N,), a row of each cell)."""
    pair = comparisons.low * len(comparisons.names) + comparisons.high
    columns = [pair, *terms.values.T]
    if terms.side or terms.motion is not None:
        columns.append(terms.sign)
    if terms.motion is not None:
        columns.append(terms.motion)
    return number_kinds(columns)


def _sparse_design(columns: Index, coefficients: NDArray[np.float64], size: int) -> Matrix:
    cells, width = columns.shape
    pointer = np.arange(cells + 1) * width
    return csr_array((coefficients.ravel(), columns.ravel(), pointer), shape=(cells, size))


def _check_terms(comparisons: Comparisons, model: Model) -> None:
    if model.ties == "davidson" and comparisons.shares:
        raise InvalidSetting(
            "the model has a term for ties, but outcomes are shares of ballots, which are hardly "
            "ever tied; leave out the term"
        )
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
