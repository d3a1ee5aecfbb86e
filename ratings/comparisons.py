"""Comparisons between participants, the data of every rating model."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratings.errors import InvalidComparisons
from ratings.outcomes import OUTCOMES, TIE
from ratings.patterns import expand_runs, find_patterns, number_keys, number_kinds

#: How pairs, and the end of play, came about: "fixed" beforehand, or by lot; "planned": results
#: guide a share of the pairs that follows from how reliable they are, but the number of matchups
#: was fixed beforehand; "mixed": they may also end the play; "guided": results alone decide who
#: meets whom (Swiss rounds, a knockout), or nobody knows what did.
Pairing = Literal["fixed", "planned", "mixed", "guided"]
_COLUMNS = ("first", "second", "outcome", "weight", "cluster", "times")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProgress:
    """How far a number of matchups that was fixed beforehand is played.

    Attributes:
        share: of these matchups that are played: above 0, 1 at the end of the plan.
        changes: how many other numbers had been planned, with results there, before this one was
            for the first time.
        newcomers: participants whose matchups were added after those of the others, by name, with
            how far the plan of their own matchups is played.

    Raises:
        InvalidComparisons: on construction, if one is out of its range.
    """

    share: float = 1.0
    changes: int = 0
    newcomers: Mapping[str, PlanProgress] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Validate."""
        if not 0 < self.share <= 1:
            raise InvalidComparisons(f"share is {self.share}; accepted: above 0, 1 at most")
        if self.changes < 0:
            raise InvalidComparisons(f"changes is {self.changes}; accepted: 0 or more")

    def after(self, played: int, further: float) -> PlanProgress:
        """Return the plan once further matchups are played; beyond its end it is a changed one.

        >>> PlanProgress(share=0.5).after(30, 15).share, PlanProgress().after(60, 1).changes
        (0.75, 1)

        Args:
            played: matchups so far.
            further: how many more, 0 or more.
        """
        share = self.share * (1 + further / played)
        if share <= 1 + 1e-9:
            return replace(self, share=min(share, 1.0))
        return replace(self, share=1.0, changes=self.changes + 1)


PLAYED = PlanProgress()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """Comparisons between K participants in N rows, validated and read-only.

    A row is one comparison. A table can be shorter: `times` says how many clusters have the same
    content as the row's, and every result is the same as from one row for each comparison.

    Attributes:
        names: K names, sorted and unique; a participant may have no comparison.
        first: (N,) index into `names` of the first named (in debates: Pro).
        second: (N,) index into `names` of the second named.
        outcome: (N,) 1.0 if the first named wins, 0.5 for a tie, 0.0 if the second named wins.
        weight: (N,) weight of one comparison, positive and finite.
        cluster: (N,) label of the cluster (in debates: the matchup) that the row belongs to;
            comparisons of one cluster are not independent and are resampled together.
        times: (N,) number of clusters with this content, the same for all rows of a cluster;
            1 by default.
        motion: (N,) index into `motions`, or None.
        motions: labels of the motions, sorted and unique.
        over_motions: whether statements shall hold for motions in general, of which these are a
            sample (`confidence`), instead of these motions alone.
        covariates: (N,) finite values by name, the first named's minus the second named's.
        shares: whether outcomes are shares of ballots (`count_ballots`): any value from 0 to 1.
        pairing: how pairs, and the end of play, came about; `confidence` makes statements that
            hold for it. It is no part of the content that `data_hash` identifies.
        plan: how far the plan is played where the pairing is "planned", and of newcomers where it
            is "fixed", too. It is no part of that content either.
        forfeits: comparisons that came to no verdict because one of the two failed, as losses of
            that one; None where nobody failed. Ratings do not count them, and what `confidence`
            states holds whether they count or not. Their clusters are numbered as those here.

    Raises:
        InvalidComparisons: on construction, if any of this does not hold.
    """

    names: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    outcome: NDArray[np.float64]
    weight: NDArray[np.float64]
    cluster: NDArray[np.intp]
    times: NDArray[np.intp] = field(default_factory=lambda: np.array(1, dtype=np.intp))
    motion: NDArray[np.intp] | None = None
    motions: tuple[str, ...] = ()
    over_motions: bool = False
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    shares: bool = False
    pairing: Pairing = "fixed"
    plan: PlanProgress = PLAYED
    forfeits: Comparisons | None = None

    def __post_init__(self) -> None:
        """Convert, validate and freeze the columns."""
        object.__setattr__(self, "names", tuple(self.names))
        if np.ndim(self.times) == 0:
            object.__setattr__(self, "times", np.full(len(self.outcome), self.times))
        for column in _COLUMNS:
            dtype = np.float64 if column in {"outcome", "weight"} else np.intp
            object.__setattr__(self, column, _read_only(column, getattr(self, column), dtype))
        if self.pairing not in get_args(Pairing):
            accepted = ", ".join(get_args(Pairing))
            raise InvalidComparisons(f"pairing is {self.pairing!r}; accepted: {accepted}")
        _check_names(self.names)
        _check_lengths([(column, len(getattr(self, column))) for column in _COLUMNS])
        _check_participants(self)
        _check_values(self)
        _freeze_motion_and_covariates(self)

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
            outcome: (N,) outcomes for the first named: 1.0, 0.5 or 0.0.
            weight: (N,) positive weights; 1 by default.
            cluster: N hashable labels; by default each comparison is a cluster of its own.
            names: all participants, in any order; by default those that occur.

        Raises:
            InvalidComparisons: a value is not acceptable, or a participant is not in `names`.
        """
        left, right = list(names_first), list(names_second)
        known = sorted({*left, *right}) if names is None else sorted(names)
        index = {name: position for position, name in enumerate(known)}
        return cls(
            names=tuple(known),
            first=_find_positions(left, index),
            second=_find_positions(right, index),
            outcome=np.asarray(outcome),
            weight=np.ones(len(left)) if weight is None else np.asarray(weight),
            cluster=np.arange(len(left)) if cluster is None else _number_labels(cluster),
        )

    def counted(self, times: ArrayLike) -> Self:
        """Return the same rows with counts of equal clusters, (N,), as a `GROUP BY` gives them.

        >>> len(Comparisons.of(["a", "a"], ["b", "b"], [1.0, 0.0]).counted([700, 300]))
        1000

        Raises:
            InvalidComparisons: a count is not a whole number from 1, or counts differ within a
                cluster.
        """
        return replace(self, times=np.asarray(times))

    def described(
        self,
        *,
        motion: Iterable[str] | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
        over_motions: bool | None = None,
    ) -> Self:
        """Return the same rows with motions or covariates.

        >>> board = Comparisons.of(["a", "a"], ["b", "b"], [1.0, 0.0])
        >>> board.described(motion=["tax", "ban"]).motions
        ('ban', 'tax')

        Args:
            motion: N labels, one per row; by default motions stay as they are.
            covariates: N finite numbers by name, the first named's value minus the second
                named's (a difference of lengths, or `own_family`), added to those that there
                are; `Model.covariates` names those that a model uses.
            over_motions: whether motions stand for motions in general; by default as before.

        Raises:
            InvalidComparisons: a length or a value is not acceptable.
        """
        changes: dict[str, Any] = {}
        if motion is not None:
            labels = list(motion)
            changes["motions"] = tuple(sorted(set(labels)))
            number = {label: position for position, label in enumerate(changes["motions"])}
            changes["motion"] = np.array([number[label] for label in labels], dtype=np.intp)
        if over_motions is not None:
            changes["over_motions"] = over_motions
        if covariates is not None:
            changes["covariates"] = {**self.covariates, **covariates}
        return replace(self, **changes)

    def only(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Return some rows, by (N,) booleans or by positions; all names and motions are kept.

        Forfeits are not: they belong to all rows.
        """
        return replace(
            self,
            **{column: getattr(self, column)[rows] for column in _COLUMNS},
            motion=None if self.motion is None else self.motion[rows],
            covariates={name: values[rows] for name, values in self.covariates.items()},
            forfeits=None,
        )

    def with_losses(self) -> Self:
        """Return these comparisons and the forfeits, as losses; covariates favour neither side."""
        lost = self.forfeits
        if lost is None:
            return self
        columns = {name: np.append(getattr(self, name), getattr(lost, name)) for name in _COLUMNS}
        none = np.zeros(len(lost.outcome))
        joined: dict[str, Any] = columns | {
            "covariates": {name: np.append(own, none) for name, own in self.covariates.items()}
        }
        plain = replace(self, **joined, motion=None, motions=(), forfeits=None)
        if self.motion is None or lost.motion is None:
            return plain
        labels = np.append(np.array(self.motions)[self.motion], np.array(lost.motions)[lost.motion])
        return plain.described(motion=labels.tolist())

    def without(self, names: Collection[str]) -> Self:
        """Return the comparisons of the other participants with each other.

        >>> Comparisons.of(["a", "b", "c"], ["b", "c", "a"], [1, 1, 0]).without({"a"}).names
        ('b', 'c')
        """
        kept = ~np.isin(self.names, list(names))
        rows = self.only(kept[self.first] & kept[self.second])
        place = np.cumsum(kept) - 1
        return replace(
            rows,
            names=tuple(name for name in self.names if name not in names),
            first=place[rows.first],
            second=place[rows.second],
        )

    def one_by_one(self) -> Self:
        """Return the same comparisons with a row for each and a label for each cluster."""
        if (self.times == 1).all():
            return self
        rows, copy = expand_runs(self.times)
        clusters = self.cluster[rows] * int(self.times.max()) + copy
        return replace(self.only(rows), cluster=clusters, times=np.ones_like(rows))

    def __len__(self) -> int:
        """Return the number of comparisons: N, or more where `times` is above 1."""
        return int(self.times.sum())

    @property
    def low(self) -> NDArray[np.intp]:
        """The earlier by name of the two of each row, (N,)."""
        return np.minimum(self.first, self.second)

    @property
    def high(self) -> NDArray[np.intp]:
        """The later by name of the two of each row, (N,)."""
        return np.maximum(self.first, self.second)

    @property
    def decided(self) -> NDArray[np.float64]:
        """Who won each comparison, (N,): 1.0, 0.5 or 0.0, by whether a share is above one half."""
        return np.asarray((np.sign(self.outcome - TIE) + 1) / 2)

    @property
    def clusters(self) -> int:
        """The number of clusters."""
        _, rows = np.unique(self.cluster, return_index=True)
        return int(self.times[rows].sum())

    @property
    def data_hash(self) -> str:
        """16 hexadecimal digits of a SHA-256 of the content, sides included.

        The order of rows, the labels of clusters, and whether equal clusters are counted in
        `times` do not matter. It is computed at each access.
        """
        motion = [] if self.motion is None else [self.motion]
        columns = [self.first, self.second, self.outcome, self.weight, *motion]
        kind, rows = number_kinds([*columns, *self.covariates.values()])
        content = find_patterns(kind, self.cluster, self.times)
        digest = sha256(json.dumps([self.names, self.motions, *self.covariates]).encode())
        for column in (*columns, *self.covariates.values()):
            digest.update(column[rows].tobytes())
        for part in (content.multiplicity, content.pattern, content.kind, content.rows):
            digest.update(part.tobytes())
        if self.forfeits is not None:
            digest.update(self.forfeits.data_hash.encode())
        return digest.hexdigest()[:16]


def _number_labels(labels: Iterable[Hashable]) -> NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.intp)


def _find_positions(names: Sequence[str], index: dict[str, int]) -> NDArray[np.intp]:
    try:
        return np.fromiter(map(index.__getitem__, names), dtype=np.intp, count=len(names))
    except KeyError:
        row = next(row for row, name in enumerate(names) if name not in index)
        raise InvalidComparisons(
            f"row {row}: {names[row]!r} is not a participant; known: {[*index]}"
        ) from None


def _read_only(column: str, values: Any, dtype: type[np.generic]) -> NDArray[Any]:  # noqa: ANN401
    array = np.array(values)
    accepted = "iu" if dtype is np.intp else "iufb"
    if array.ndim != 1 or (array.size and array.dtype.kind not in accepted):
        numbers = "whole numbers" if dtype is np.intp else "numbers"
        shape = f"{array.ndim} dimensions of {array.dtype}"
        raise InvalidComparisons(f"{column}: given {shape}; accepted: one dimension of {numbers}")
    array = array.astype(dtype)
    array.setflags(write=False)
    return array


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise InvalidComparisons("no participants; name at least one")
    for name, after in zip(names, names[1:], strict=False):
        if name == after:
            raise InvalidComparisons(f"names: {name!r} is given twice; accepted: unique names")
        if name > after:
            raise InvalidComparisons(f"names: {after!r} follows {name!r}; accepted: sorted names")


def _check_lengths(lengths: list[tuple[str, int]]) -> None:
    if len({length for _, length in lengths}) > 1:
        listed = ", ".join(f"{column} {length}" for column, length in lengths)
        raise InvalidComparisons(f"unequal lengths: {listed}; accepted: one of each per comparison")


def _check_participants(comparisons: Comparisons) -> None:
    count = len(comparisons.names)
    for column in ("first", "second"):
        index = getattr(comparisons, column)
        _refuse(index, (index < 0) | (index >= count), column, f"indices 0 to {count - 1}")
    same = np.flatnonzero(comparisons.first == comparisons.second)
    if same.size:
        name = comparisons.names[comparisons.first[same[0]]]
        raise InvalidComparisons(
            f"row {same[0]}: {name!r} is compared with itself; accepted: two different participants"
        )


def _freeze_motion_and_covariates(comparisons: Comparisons) -> None:
    lengths = [("outcome", len(comparisons.outcome))]
    if comparisons.motion is not None:
        motion = _read_only("motion", comparisons.motion, np.intp)
        object.__setattr__(comparisons, "motion", motion)
        lengths.append(("motion", len(motion)))
    columns = {
        name: _read_only(name, values, np.float64)
        for name, values in comparisons.covariates.items()
    }
    object.__setattr__(comparisons, "covariates", MappingProxyType(columns))
    _check_lengths([*lengths, *((name, len(values)) for name, values in columns.items())])
    for name, values in columns.items():
        _refuse(values, ~np.isfinite(values), f"covariate {name}", "finite numbers")


def _check_values(comparisons: Comparisons) -> None:
    outcome, weight, times = comparisons.outcome, comparisons.weight, comparisons.times
    meaning = "1.0 (first named wins), 0.5 (tie), 0.0 (second named wins)"
    accepted = (outcome >= 0) & (outcome <= 1) if comparisons.shares else np.isin(outcome, OUTCOMES)
    _refuse(outcome, ~accepted, "outcome", "0 to 1" if comparisons.shares else meaning)
    unusable = ~(np.isfinite(weight) & (weight > 0))
    _refuse(weight, unusable, "weight", "positive, finite numbers")
    _refuse(times, times < 1, "times", "1 or more")
    if len(times) and times.min() < times.max():
        _, cluster = number_keys(comparisons.cluster)
        times_of = np.empty(int(cluster.max()) + 1, dtype=np.intp)
        times_of[cluster] = times
        same = "the same number for all rows of a cluster"
        _refuse(times, times_of[cluster] != times, "times", same)


def _refuse(values: NDArray[Any], bad: NDArray[np.bool_], column: str, accepted: str) -> None:
    """Raise InvalidComparisons at the first bad row, if there is one."""
    rows = np.flatnonzero(bad)
    if rows.size:
        raise InvalidComparisons(
            f"row {rows[0]}: {column} is {values[rows[0]]}; accepted: {accepted}"
        )
