"""Comparisons between participants: what every rating model starts from."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.canonical import content_hash, contents
from ratings.errors import InvalidComparisons
from ratings.outcomes import OUTCOMES

_ROW = np.dtype([("first", "<i8"), ("second", "<i8"), ("outcome", "<f8"), ("weight", "<f8")])
_COLUMNS = ("first", "second", "outcome", "weight", "cluster")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """N comparisons between K participants, checked and read-only.

    Attributes:
        names: K names, sorted and unique; some may have no comparison.
        first: (N,) index into `names` of the first named (in debates: Pro).
        second: (N,) index into `names` of the second named.
        outcome: (N,) 1.0 the first named wins, 0.5 tie, 0.0 the second named wins.
        weight: (N,) positive and finite.
        cluster: (N,) label of the cluster (in debates: the matchup) that a comparison belongs to;
            comparisons of one cluster are resampled together.

    Raises:
        InvalidComparisons: on construction, when any of this does not hold.
    """

    names: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    weight: NDArray[np.float64]
    cluster: NDArray[np.intp]

    def __post_init__(self) -> None:
        """Convert, freeze and check the columns."""
        object.__setattr__(self, "names", tuple(self.names))
        for column in _COLUMNS:
            kind = np.float64 if column in {"outcome", "weight"} else np.intp
            object.__setattr__(self, column, _frozen(column, getattr(self, column), kind))
        _check_names(self.names)
        _check_lengths([(column, len(getattr(self, column))) for column in _COLUMNS])
        _check_participants(self)
        _check_values(self)

    @classmethod
    def of(
        cls,
        names_first: Iterable[str],
        names_second: Iterable[str],
        outcome: ArrayLike,
        weight: ArrayLike | None = None,
        cluster: Iterable[Hashable] | None = None,
        names: Iterable[str] | None = None,
    ) -> Self:
        """Build comparisons from names.

        >>> Comparisons.of(["b", "a"], ["a", "c"], [1.0, 0.5]).names
        ('a', 'b', 'c')

        Args:
            names_first: N names.
            names_second: N names.
            outcome: (N,) for the first named: 1.0, 0.5 or 0.0.
            weight: (N,); 1 for each where left out.
            cluster: N labels of any hashable kind; each comparison its own where left out.
            names: all participants, in any order; those that occur where left out.

        Raises:
            InvalidComparisons: a value is not acceptable, or a participant is not in `names`.
        """
        left, right = list(names_first), list(names_second)
        known = sorted({*left, *right}) if names is None else sorted(names)
        index = {name: position for position, name in enumerate(known)}
        labels = range(len(left)) if cluster is None else _numbered(cluster)
        return cls(
            names=tuple(known),
            first=_positions(left, index),
            second=_positions(right, index),
            outcome=np.asarray(outcome),
            weight=np.ones(len(left)) if weight is None else np.asarray(weight),
            cluster=np.array(labels, dtype=np.intp),
        )

    def __len__(self) -> int:
        """Count the comparisons, N."""
        return len(self.outcome)

    @property
    def data_hash(self) -> str:
        """16 hex digits of the content, sides included; row order and cluster labels don't matter.

        Computed anew at each call, in O(N log N).
        """
        rows = np.empty(len(self), dtype=_ROW)
        for column in _ROW.names or ():
            rows[column] = getattr(self, column)
        return content_hash(self.names, contents(self.cluster, rows))


def _numbered(labels: Iterable[Hashable]) -> list[int]:
    seen: dict[Hashable, int] = {}
    return [seen.setdefault(label, len(seen)) for label in labels]


def _positions(given: Sequence[str], index: dict[str, int]) -> NDArray[np.intp]:
    for row, name in enumerate(given):
        if name not in index:
            raise InvalidComparisons(f"row {row}: {name!r} is not a participant; known: {[*index]}")
    return np.array([index[name] for name in given], dtype=np.intp)


def _frozen(column: str, given: Any, kind: type[np.generic]) -> NDArray[Any]:  # noqa: ANN401
    array = np.array(given)
    accepted = "iu" if kind is np.intp else "iufb"
    if array.ndim != 1 or (array.size and array.dtype.kind not in accepted):
        what = "whole numbers" if kind is np.intp else "numbers"
        found = f"{array.ndim} dimensions of {array.dtype}"
        raise InvalidComparisons(f"{column}: given {found}; accepted: one dimension of {what}")
    array = array.astype(kind)
    array.setflags(write=False)
    return array


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise InvalidComparisons("no participants; name at least one")
    for one, next_one in zip(names, names[1:], strict=False):
        if one == next_one:
            raise InvalidComparisons(f"names: {one!r} is given twice; accepted: unique names")
        if one > next_one:
            raise InvalidComparisons(f"names: {next_one!r} follows {one!r}; accepted: sorted names")


def _check_lengths(lengths: list[tuple[str, int]]) -> None:
    if len({length for _, length in lengths}) > 1:
        given = ", ".join(f"{column} {length}" for column, length in lengths)
        raise InvalidComparisons(f"unequal lengths: {given}; accepted: one of each per comparison")


def _check_participants(given: Comparisons) -> None:
    count = len(given.names)
    for column in ("first", "second"):
        index = getattr(given, column)
        _refuse(index, (index < 0) | (index >= count), column, f"indices 0 to {count - 1}")
    same = np.flatnonzero(given.first == given.second)
    if same.size:
        name = given.names[given.first[same[0]]]
        raise InvalidComparisons(
            f"row {same[0]}: {name!r} is compared with itself; accepted: two different participants"
        )


def _check_values(given: Comparisons) -> None:
    unknown = ~np.isin(given.outcome, OUTCOMES)
    meaning = "1.0 (first named wins), 0.5 (tie), 0.0 (second named wins)"
    _refuse(given.outcome, unknown, "outcome", meaning)
    unusable = ~(np.isfinite(given.weight) & (given.weight > 0))
    _refuse(given.weight, unusable, "weight", "positive, finite numbers")


def _refuse(values: NDArray[Any], bad: NDArray[np.bool_], column: str, accepted: str) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        raise InvalidComparisons(
            f"row {rows[0]}: {column} is {values[rows[0]]}; accepted: {accepted}"
        )
