"""Comparisons between participants: what every rating model starts from."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.errors import InvalidComparisons
from ratings.outcomes import OUTCOMES
from ratings.patterns import compact, kinds, patterns, runs

_COLUMNS = ("first", "second", "outcome", "weight", "cluster", "times")


def _once() -> NDArray[np.intp]:
    return np.array(1, dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """Comparisons between K participants in N rows, checked and read-only.

    A row is one comparison, unless `times` says that there are more clusters of the same content:
    everything computed from such counted rows is what it would be from the comparisons one by one.

    Attributes:
        names: K names, sorted and unique; some may have no comparison.
        first: (N,) index into `names` of the first named (in debates: Pro).
        second: (N,) index into `names` of the second named.
        outcome: (N,) 1.0 the first named wins, 0.5 tie, 0.0 the second named wins.
        weight: (N,) of one comparison, positive and finite.
        cluster: (N,) label of the cluster (in debates: the matchup) that a comparison belongs to;
            comparisons of one cluster are resampled together.
        times: (N,) how many clusters there are like the row's, the same for all rows of a cluster;
            1 each where left out.
        motion: (N,) index into `motions`, where motions are known.
        motions: labels of the motions, sorted and unique.
        covariates: (N,) finite values each, for the first named minus the second named.

    Raises:
        InvalidComparisons: on construction, when any of this does not hold.
    """

    names: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    weight: NDArray[np.float64]
    cluster: NDArray[np.intp]
    times: NDArray[np.intp] = field(default_factory=_once)
    motion: NDArray[np.intp] | None = None
    motions: tuple[str, ...] = ()
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Convert, freeze and check the columns."""
        object.__setattr__(self, "names", tuple(self.names))
        if np.ndim(self.times) == 0:
            object.__setattr__(self, "times", np.full(len(self.outcome), self.times))
        for column in _COLUMNS:
            kind = np.float64 if column in {"outcome", "weight"} else np.intp
            object.__setattr__(self, column, _frozen(column, getattr(self, column), kind))
        _check_names(self.names)
        _check_lengths([(column, len(getattr(self, column))) for column in _COLUMNS])
        _check_participants(self)
        _check_values(self)
        _freeze_descriptions(self)

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
        return cls(
            names=tuple(known),
            first=_positions(left, index),
            second=_positions(right, index),
            outcome=np.asarray(outcome),
            weight=np.ones(len(left)) if weight is None else np.asarray(weight),
            cluster=np.arange(len(left)) if cluster is None else _numbered(cluster),
        )

    def counted(self, times: ArrayLike) -> Self:
        """Say how many clusters there are like each row's, (N,), as a `GROUP BY` gives them.

        >>> len(Comparisons.of(["a", "a"], ["b", "b"], [1.0, 0.0]).counted([700, 300]))
        1000

        Raises:
            InvalidComparisons: they are not whole numbers from 1, the same within a cluster.
        """
        return replace(self, times=np.asarray(times))

    def described(
        self,
        *,
        motion: Iterable[str] | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
    ) -> Self:
        """Add what models with more terms need; what is left out stays as it is.

        Args:
            motion: N labels, one per row.
            covariates: N finite numbers each, the first named's value minus the second named's
                (a difference of lengths, `own_family`); a model names those that it uses.

        Raises:
            InvalidComparisons: a length or a value is not acceptable.
        """
        changes: dict[str, Any] = {}
        if motion is not None:
            labels = list(motion)
            changes["motions"] = tuple(sorted(set(labels)))
            number = {label: position for position, label in enumerate(changes["motions"])}
            changes["motion"] = np.array([number[label] for label in labels], dtype=np.intp)
        if covariates is not None:
            changes["covariates"] = {**self.covariates, **covariates}
        return replace(self, **changes)

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Keep some rows, (N,) booleans or positions; all participants and motions stay named."""
        return replace(
            self,
            **{column: getattr(self, column)[rows] for column in _COLUMNS},
            motion=None if self.motion is None else self.motion[rows],
            covariates={name: one[rows] for name, one in self.covariates.items()},
        )

    def one_by_one(self) -> Self:
        """Give every comparison a row of its own, and every cluster a label."""
        if (self.times == 1).all():
            return self
        rows, copy = runs(self.times)
        clusters = self.cluster[rows] * int(self.times.max()) + copy
        return replace(self.only(rows), cluster=clusters, times=np.ones_like(rows))

    def __len__(self) -> int:
        """Count the comparisons: N, or more where rows are counted."""
        return int(self.times.sum())

    @property
    def clusters(self) -> int:
        """Count the clusters."""
        _, rows = np.unique(self.cluster, return_index=True)
        return int(self.times[rows].sum())

    @property
    def data_hash(self) -> str:
        """16 hex digits of the content, sides included; row order and cluster labels don't matter.

        Nor does it matter whether rows are counted. Computed anew at each call.
        """
        described = [] if self.motion is None else [self.motion]
        columns = [self.first, self.second, self.outcome, self.weight, *described]
        kind, rows = kinds([*columns, *self.covariates.values()])
        found = patterns(kind, self.cluster, self.times)
        digest = sha256(json.dumps([self.names, self.motions, *self.covariates]).encode())
        for column in (*columns, *self.covariates.values()):
            digest.update(column[rows].tobytes())
        for part in (found.multiplicity, found.pattern, found.kind, found.rows):
            digest.update(part.tobytes())
        return digest.hexdigest()[:16]


def _numbered(labels: Iterable[Hashable]) -> NDArray[np.intp]:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.intp)


def _positions(given: Sequence[str], index: dict[str, int]) -> NDArray[np.intp]:
    try:
        return np.fromiter(map(index.__getitem__, given), dtype=np.intp, count=len(given))
    except KeyError:
        row = next(row for row, name in enumerate(given) if name not in index)
        raise InvalidComparisons(
            f"row {row}: {given[row]!r} is not a participant; known: {[*index]}"
        ) from None


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


def _freeze_descriptions(given: Comparisons) -> None:
    lengths = [("outcome", len(given.outcome))]
    if given.motion is not None:
        object.__setattr__(given, "motion", _frozen("motion", given.motion, np.intp))
        lengths.append(("motion", len(given.motion)))
    columns = {name: _frozen(name, one, np.float64) for name, one in given.covariates.items()}
    object.__setattr__(given, "covariates", MappingProxyType(columns))
    _check_lengths([*lengths, *((name, len(one)) for name, one in columns.items())])
    for name, one in columns.items():
        _refuse(one, ~np.isfinite(one), f"covariate {name}", "finite numbers")


def _check_values(given: Comparisons) -> None:
    unknown = ~np.isin(given.outcome, OUTCOMES)
    meaning = "1.0 (first named wins), 0.5 (tie), 0.0 (second named wins)"
    _refuse(given.outcome, unknown, "outcome", meaning)
    unusable = ~(np.isfinite(given.weight) & (given.weight > 0))
    _refuse(given.weight, unusable, "weight", "positive, finite numbers")
    _refuse(given.times, given.times < 1, "times", "1 or more")
    if len(given.times) and given.times.min() < given.times.max():
        _, cluster = compact(given.cluster)
        own = np.empty(int(cluster.max()) + 1, dtype=np.intp)
        own[cluster] = given.times
        same = "the same number for all rows of a cluster"
        _refuse(given.times, own[cluster] != given.times, "times", same)


def _refuse(values: NDArray[Any], bad: NDArray[np.bool_], column: str, accepted: str) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        raise InvalidComparisons(
            f"row {rows[0]}: {column} is {values[rows[0]]}; accepted: {accepted}"
        )
