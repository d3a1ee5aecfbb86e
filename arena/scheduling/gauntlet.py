"""Gauntlet: newcomers meet the others, who don't meet among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.scheduling.dealing import Pair, pair_of


def gauntlet(
    participants: Sequence[str],
    *,
    newcomers: Sequence[str],
    opponents: Sequence[str] = (),
    matchups_per_pair: int,
) -> Iterator[Pair]:
    """Every newcomer against every opponent, round after round.

    Args:
        participants: ids of all who take part.
        newcomers: those who are to be placed.
        opponents: whom they meet; where none is named, all who are no newcomers.
        matchups_per_pair: rounds.

    >>> list(gauntlet(["c", "a", "b"], newcomers=["b"], matchups_per_pair=1))
    [('a', 'b'), ('b', 'c')]
    """
    met = opponents or [one for one in participants if one not in newcomers]
    pairs = sorted({pair_of(new, old) for new in newcomers for old in met if new != old})
    for _ in range(matchups_per_pair):
        yield from pairs
