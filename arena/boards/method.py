"""The method of a board: its model, weights, anchor and intervals."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from ratings import PAPER, Comparisons, Model

#: The kinds of intervals: cluster-robust ones of the fit, or percentiles of resampled matchups.
IntervalKind = Literal["sandwich", "bootstrap"]

#: How the two kinds differ.
INTERVALS_DIFFER: Final = (
    "sandwich intervals are computed from how far the matchups deviate from the fit and include "
    "the uncertainty that the prior leaves; bootstrap intervals are the 2.5 % and 97.5 % "
    "percentiles of ratings of resampled matchups, are for these motions alone and for one look, "
    "lie unevenly around a rating, and are too short where there are few matchups (measured in "
    "docs/coverage.md); what else is said of intervals here is said of sandwich intervals"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """The method that a board rates by; the default is that of the stored boards.

    Attributes:
        weighted: whether a comparison counts by its weight; otherwise each counts 1.
        anchor: the participant rated 1000 without error; None for a mean of 1000.
        intervals: the kind that the board shows; ranks and tie groups do not depend on it.
        k: the most that a debate moves a rating, in Elo points, if the ratings are Elo's
            sequential ones; None for a fit of the model.
        anytime: whether all statements hold at every look, whatever decided who met whom; by
            default what is stored of the waves decides (`Comparisons.pairing`).
    """

    model: Model = PAPER
    weighted: bool = True
    anchor: str | None = None
    intervals: IntervalKind = "sandwich"
    k: float | None = None
    anytime: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as content of JSON; as in versions without `anytime` where it is off."""
        content = asdict(self)
        if not self.anytime:
            del content["anytime"]
        return content

    @property
    def words(self) -> tuple[str, ...]:
        """What differs from the default and is not shown elsewhere on the board."""
        fitted = self.k is None
        parts = {
            f"sequential Elo, K = {self.k or 0:g}": not fitted,
            "unweighted": fitted and not self.weighted,
            "no prior": fitted and self.model.penalty is None,
            f"{self.anchor} = 1000": self.anchor is not None,
            "bootstrap intervals": fitted and self.intervals == "bootstrap",
        }
        return tuple(words for words, applies in parts.items() if applies)

    def weigh(self, comparisons: Comparisons) -> Comparisons:
        """Return the comparisons with the weights that count, and the pairing that is assumed."""
        if self.anytime:
            comparisons = replace(comparisons, pairing="guided")
        if self.weighted:
            return comparisons
        lost = comparisons.forfeits
        return replace(
            comparisons,
            weight=np.ones_like(comparisons.weight),
            forfeits=lost and replace(lost, weight=np.ones_like(lost.weight)),
        )


STORED: Final = Method()
