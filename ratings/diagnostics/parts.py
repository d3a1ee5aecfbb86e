"""Refits of a board with some comparisons left out or reversed, exact and to first order.

Comparisons that are the same to a model form a kind, and a part of a board is described by the
number of each kind. The data enter the likelihood through sums that are linear in these numbers
(`ratings.model.problem`), so a refit does not read the comparisons again. To first order, leaving
out a comparison with score s moves the parameters by −H⁻¹ s (Hampel 1974, doi 10.2307/2285666;
Broderick, Giordano & Meager 2020, arXiv 2011.14999).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

import numpy as np
from scipy.sparse import csr_array, diags_array

from ratings.comparisons import Comparisons
from ratings.errors import InvalidSetting
from ratings.intervals.sandwich import cluster_scores
from ratings.model.fitting import PointFit, fit_point, fit_problem
from ratings.model.newton import Floats, solve
from ratings.model.problem import Matrix, Problem, separate_kinds
from ratings.model.terms import Model
from ratings.patterns import Index

#: A change of a comparison: it is removed, or the other participant wins it.
Change = Literal["left out", "reversed"]

_FLOATS: Final = 4_000_000  # of the Hessians, or of the cells, of a batch: 32 MB


class Parts:
    """The comparisons of a board by kind, for refits to parts of them.

    The prior keeps the width that it has on the whole board, so that only the data change.

    Args:
        comparisons: in N rows, of U kinds.

    Attributes:
        point: the fit to the whole board, of P parameters.
        kind: (N,) kind of each row.
        example: (U,) position of a row of each kind.
        count: (U,) number of comparisons of each kind.

    Raises:
        InvalidSetting: there is no penalty, so that a part of a board may have no finite maximum.
    """

    def __init__(self, comparisons: Comparisons, model: Model) -> None:
        if model.penalty is None:
            raise InvalidSetting(
                f"penalty is {model.penalty!r}; accepted for parts of a board: 'adaptive', or a "
                "standard deviation in Elo points"
            )
        width = (
            fit_point(comparisons, model).penalty if model.penalty == "adaptive" else model.penalty
        )
        problem, self.kind, self.example = separate_kinds(comparisons, model)
        self.point: PointFit = fit_problem(problem, replace(model, penalty=width))
        self.count: Index = problem.multiplicity
        self._odds = _winner_statistic(problem)

    def changeable(self, change: Change) -> Index:
        """Return the kinds that a change affects; a reversed tie is the same tie."""
        if change == "left out":
            return np.arange(len(self.count))
        return np.flatnonzero(abs(self._odds).sum(axis=0))

    def estimate_shift(self, change: Change, along: Floats, at: PointFit | None = None) -> Floats:
        """Estimate to first order how one changed comparison of each kind shifts the parameters.

        Args:
            change: how it is changed.
            along: (P, D) linear functions of the parameters, of differences of abilities.
            at: the fit to a part of the board to start from; by default the whole board's.

        Returns:
            (U, D) shifts of the functions, log-odds.
        """
        start = at or self.point
        response = np.linalg.solve(start.information(), along)
        if change == "reversed":
            return np.asarray(-2 * (self._odds.T @ response))
        return np.asarray(-(cluster_scores(start).T @ response))

    def refit(self, change: Change, changed: Index) -> Floats:
        """Fit R boards with changed comparisons.

        Args:
            change: how comparisons are changed.
            changed: (U, R) number of changed comparisons of each kind.

        Returns:
            (P, R) parameters.
        """
        problem = self.point.objective.problem
        size = max(1, _FLOATS // max(problem.size**2, len(self.count)))
        parameters = np.empty((problem.size, changed.shape[1]))
        for start in range(0, changed.shape[1], size):
            part = slice(start, start + size)
            sums = self._sums(change, changed[:, part])
            parameters[:, part] = solve(
                self.point.objective, *sums, start=self.point.parameters
            ).parameters
        return parameters

    def refit_one(self, change: Change, changed: Index) -> PointFit:
        """Fit one board with changed comparisons, (U,) of each kind."""
        totals, _ = self._sums(change, changed[:, None])
        return replace(
            self.point,
            objective=self.point.objective.with_totals(totals[:, 0]),
            parameters=self.refit(change, changed[:, None])[:, 0],
        )

    def _sums(self, change: Change, changed: Index) -> tuple[Floats, Floats]:
        """Return the weights of cells, (U, R), and the statistics, (P, R), of changed boards."""
        problem = self.point.objective.problem
        if change == "left out":
            left = self.count[:, None] - changed
            return np.asarray(problem.totals @ left), np.asarray(problem.statistic @ left)
        totals = np.repeat((problem.totals @ self.count)[:, None], changed.shape[1], axis=1)
        whole = np.asarray(problem.statistic @ self.count)
        return totals, np.asarray(whole[:, None] - 2 * (self._odds @ changed))


def _winner_statistic(problem: Problem) -> Matrix:
    """Return the statistic, (P, U), without the ties' row: what changes sign with the winner."""
    if not problem.davidson:
        return problem.statistic
    keep = np.ones(problem.size)
    keep[-1] = 0.0
    return csr_array(diags_array(keep) @ problem.statistic)
