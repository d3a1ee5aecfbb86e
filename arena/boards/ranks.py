"""Sentences about ranks that the comparisons leave open, and how well the ranks of boards agree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ratings import FirstPlace

#: The number of names or groups that a sentence lists.
_LISTED = 5
#: Characters of the names that a sentence lists, if there are more than two.
_LISTED_CHARACTERS = 80
#: Groups of more names than this, all together, are told by their ranks.
_MOST_NAMED = 10
#: Groups that nothing links.
_APART = 4
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(rank: int) -> str:
    """Format a rank as an ordinal number.

    >>> [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 21, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '113th']
    """
    teens = rank % 100 in (11, 12, 13)
    return f"{rank}{'th' if teens else _ENDINGS.get(rank % 10, 'th')}"


def format_rank_range(low: int | None, high: int | None) -> str:
    """Format a range of ranks; '' for who is not rated.

    >>> format_rank_range(1, 1), format_rank_range(1, 2), format_rank_range(1, 4)
    ('1st', '1st or 2nd', '1st to 4th')
    """
    if low is None or high is None:
        return ""
    if low == high:
        return ordinal(low)
    return f"{ordinal(low)} {'or' if high == low + 1 else 'to'} {ordinal(high)}"


def format_open_first_place(ranks: Mapping[str, tuple[int | None, int | None]]) -> str:
    """Format who could be first, as a sentence; '' if first place is settled.

    >>> format_open_first_place({"a": (1, 2), "b": (1, 3), "c": (2, 3)})
    'First place is open: a could be 1st or 2nd, b 1st to 3rd.'

    Of more than five, the first five are named.

    Args:
        ranks: the best and the worst rank that are not ruled out, by name.
    """
    contenders = [
        (name, format_rank_range(low, high)) for name, (low, high) in ranks.items() if low == 1
    ]
    if len(contenders) < 2:
        return ""
    if len(contenders) > _LISTED:
        names = format_names([name for name, _ in contenders])
        return f"First place is open: {len(contenders)} of {len(ranks)} could be 1st: {names}."
    (first, first_range), *others = contenders
    listed = ", ".join(
        [f"{first} could be {first_range}", *(f"{name} {text}" for name, text in others)]
    )
    return f"First place is open: {listed}."


def format_tie_groups(groups: Sequence[Sequence[str]]) -> str:
    """Format the groups that the ratings cannot tell apart, as a sentence; '' if there are none.

    >>> format_tie_groups([["a", "b"], ["c"]])
    'Not separated from the first of their group: a, b | c.'
    >>> format_tie_groups([list("abcdefg"), ["h"], list("ijkl")])
    'Not separated from the first of their group: 1st to 7th (7, from a) | 9th to 12th (4, from i).'

    Of more than ten names, or of long ones, their ranks stand for the groups of several.

    Args:
        groups: from the top; the others of a group are not separated from its first.
    """
    if all(len(group) == 1 for group in groups):
        return ""
    names = [name for group in groups for name in group]
    if len(names) <= _MOST_NAMED and sum(map(len, names)) <= 3 * _LISTED_CHARACTERS:
        parts = [", ".join(group) for group in groups]
    else:
        ends = list(accumulate(map(len, groups)))
        parts = [
            f"{ordinal(end - len(group) + 1)} to {ordinal(end)} ({len(group)}, from {group[0]})"
            for group, end in zip(groups, ends, strict=True)
            if len(group) > 1
        ]
    listed = " | ".join(parts[:_MOST_NAMED])
    more = _format_more(len(parts), _MOST_NAMED)
    return f"Not separated from the first of their group: {listed}{more}."


def format_first_place(first: FirstPlace | None, undefeated: Collection[str] = ()) -> str:
    """Format the interval of whoever is first, as a sentence; '' if first place is settled.

    >>> from ratings import FirstPlace
    >>> format_first_place(FirstPlace(name="a", lower=960.4, upper=1130.2, contenders=3))
    'The highest of several estimates is too high on average. Allowing for that, a: 960 to 1130.'

    Args:
        undefeated: names of those who won every comparison: results don't bound them from above.
    """
    if first is None or first.contenders == 1:
        return ""
    by_prior = "; it won every comparison, so the upper end is the prior's and may be too low"
    return (
        "The highest of several estimates is too high on average. Allowing for that, "
        f"{first.name}: {first.lower:.0f} to {first.upper:.0f}"
        f"{by_prior if first.name in undefeated else ''}."
    )


def format_leader(
    first: str,
    rivals: Sequence[str],
    *,
    level: Sequence[str] = (),
    apart: Sequence[Sequence[str]] = (),
    about: str = "",
) -> str:
    """Format who is first and how sure that is, as a clause.

    >>> format_leader("a", ["b"]), format_leader("a", [], about=" (Elo 1100)")
    ('a leads, but is not separated from b', 'a is first beyond doubt (Elo 1100)')
    >>> format_leader("a", ["b", "c"], apart=[["a", "b"], ["c", "d"]])
    'nobody leads, for no debates link the groups a, b | c, d'

    Args:
        rivals: who is not settled to be below the first, from the top.
        level: those of them whose rating is printed as that of the first.
        apart: the groups that nothing links (`Connectivity.islands`).
        about: what follows the names.
    """
    if apart:
        groups = " | ".join(format_names(group) for group in apart[:_APART])
        more = _format_more(len(apart), _APART)
        return f"nobody leads, for no debates link the groups {groups}{more}"
    if not rivals:
        return f"{first} is first beyond doubt{about}"
    if level:
        return f"{format_names([first, *level])} are level at the top{about}"
    return f"{first} leads{about}, but is not separated from {format_names(rivals)}"


def format_names(names: Sequence[str], *, most: int = _LISTED) -> str:
    """Format a list of names: the first ones, fewer if they are long, and how many others follow.

    >>> format_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    ends = accumulate(map(len, names))
    fit = sum(end <= _LISTED_CHARACTERS for end in ends) if len(names) > 2 else 2
    most = min(most, max(fit, 1))
    return ", ".join(names[:most]) + _format_more(len(names), most)


def _format_more(total: int, most: int = _LISTED) -> str:
    return f" and {total - most} more" if total > most else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """The rank correlations of two benches' ratings.

    Attributes:
        kendall: tau-b (Kendall 1945, doi 10.2307/2332303), -1 to 1.
        spearman: rho (Spearman 1904, doi 10.2307/1412159), -1 to 1.
        participants: the number of participants that both have rated.
    """

    first: str
    second: str
    kendall: float
    spearman: float
    participants: int


def correlations(ratings: Mapping[str, Mapping[str, float]]) -> list[Correlation]:
    """Correlate the ratings of every two benches.

    A pair of benches is left out if they have fewer than two participants in common, or if one of
    them rates all of these equally and so has no order.

    Kendall's is tau-b (Kendall 1945, doi:10.1093/biomet/33.3.239), Spearman's of mean ranks. Those
    of `scipy.stats` are the same, and take 46 MB of memory and a second to import.

    Args:
        ratings: by bench and participant, in Elo points.
    """
    computed = []
    for first, second in combinations(ratings, 2):
        common = sorted(ratings[first].keys() & ratings[second].keys())
        x, y = (_signs([ratings[bench][name] for name in common]) for bench in (first, second))
        pairs = np.count_nonzero(x) * np.count_nonzero(y)
        if not pairs:
            continue
        computed.append(
            Correlation(
                first=first,
                second=second,
                kendall=float((x * y).sum() / np.sqrt(pairs)),
                spearman=float(np.corrcoef(x.sum(axis=1), y.sum(axis=1))[0, 1]),
                participants=len(common),
            )
        )
    return computed


def _signs(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return who is above whom: 1, 0 or -1, of shape (n, n); its sums by row order like ranks."""
    return np.sign(np.subtract.outer(values, values))


def format_correlation(correlation: Correlation) -> str:
    """Format a rank correlation as a sentence."""
    return (
        f"Rank correlation of {correlation.first} and {correlation.second}: Kendall "
        f"{correlation.kendall:.2f}, Spearman {correlation.spearman:.2f} "
        f"({correlation.participants} participants)."
    )
