"""A board without some of its comparisons, or with some reversed: exactly, and to first order.

Comparisons that a model cannot tell apart are one kind, of which there are so many; a part of a
board is a number of each kind. The data enter the likelihood through sums that are linear in these
numbers (`ratings.model.problem`), so a refit reads no comparison again. To first order leaving
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
from ratings.model.family import curve
from ratings.model.fitting import PointFit, fit_point, fit_problem
from ratings.model.newton import Floats, solve
from ratings.model.problem import Matrix, Problem, separate_kinds
from ratings.model.terms import Model
from ratings.patterns import Index

#: What happens to a comparison: it is taken away, or the other participant wins it.
Change = Literal["left out", "reversed"]

_FLOATS: Final = 4_000_000  # of the Hessians, or of the cells, of a batch: 32 MB


class Parts:
    """The comparisons of a board by kind, and the board without some of them.

    The prior stays as wide as it is on the whole board, so that what changes is what the
    comparisons say.

    Attributes:
        point: the fit of the whole, over P parameters.
        kind: (N,) kind of each comparison.
        example: (U,) position of a comparison of each kind.
        count: (U,) comparisons of each kind.

    Raises:
        InvalidSetting: the penalty is not a prior in Elo points, without which a part of a board
            may have no maximum.
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
        given, self.kind, self.example = separate_kinds(comparisons, model)
        self.point: PointFit = fit_problem(given, replace(model, penalty=width))
        self.count: Index = given.multiplicity
        self._odds = _of_winners(given)

    def changeable(self, change: Change) -> Index:
        """Give the kinds that a change makes a difference to: a tie reversed is the same tie."""
        if change == "left out":
            return np.arange(len(self.count))
        return np.flatnonzero(abs(self._odds).sum(axis=0))

    def pull(self, change: Change, along: Floats, at: PointFit | None = None) -> Floats:
        """Estimate by how much changing one comparison of each kind moves functions of parameters.

        Args:
            change: what happens to it.
            along: (P, D) the functions; those of abilities are of differences of them.
            at: the fit of a part, to start from there; the whole where left out.

        Returns:
            (U, D), in log-odds.
        """
        start = at or self.point
        response = np.linalg.solve(start.information(), along)
        if change == "reversed":
            return np.asarray(-2 * (self._odds.T @ response))
        own = cluster_scores(start, curve(*start.objective.log_odds(start.parameters[:, None])))
        return np.asarray(-(own.T @ response))

    def after(self, change: Change, many: Index) -> Floats:
        """Fit the boards on which so many comparisons of each kind are changed, (U, R): (P, R).

        Raises:
            NotConverged: the solver did not reach a maximum.
        """
        given = self.point.objective.problem
        size = max(1, _FLOATS // max(given.size**2, len(self.count)))
        found = np.empty((given.size, many.shape[1]))
        for start in range(0, many.shape[1], size):
            part = slice(start, start + size)
            sums = self._sums(change, many[:, part])
            found[:, part] = solve(
                self.point.objective, *sums, start=self.point.parameters
            ).parameters
        return found

    def part(self, change: Change, many: Index) -> PointFit:
        """Fit one such board, (U,) comparisons of each kind changed."""
        totals, _ = self._sums(change, many[:, None])
        return replace(
            self.point,
            objective=self.point.objective.with_totals(totals[:, 0]),
            parameters=self.after(change, many[:, None])[:, 0],
        )

    def _sums(self, change: Change, many: Index) -> tuple[Floats, Floats]:
        """Give weights of cells (U, R) and the statistic (P, R) of changed boards."""
        given = self.point.objective.problem
        if change == "left out":
            left = self.count[:, None] - many
            return np.asarray(given.totals @ left), np.asarray(given.statistic @ left)
        totals = np.repeat((given.totals @ self.count)[:, None], many.shape[1], axis=1)
        whole = np.asarray(given.statistic @ self.count)
        return totals, np.asarray(whole[:, None] - 2 * (self._odds @ many))


def _of_winners(given: Problem) -> Matrix:
    """Give the part of the statistic that changes sign with the winner, (P, U): not the ties'."""
    if not given.davidson:
        return given.statistic
    keep = np.ones(given.size)
    keep[-1] = 0.0
    return csr_array(diags_array(keep) @ given.statistic)
