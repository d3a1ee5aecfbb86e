"""The gauntlet schedule: newcomers meet the other participants, who do not meet each other."""

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
    """Pair every newcomer with every opponent, once per round.

    Args:
        participants: the ids of all participants.
        newcomers: the ids of those who are to be rated.
        opponents: the ids of those whom they meet; by default, all who are no newcomers.
        matchups_per_pair: the number of rounds.

    >>> list(gauntlet(["c", "a", "b"], newcomers=["b"], matchups_per_pair=1))
    [('a', 'b'), ('b', 'c')]
    """
    opponents = opponents or [name for name in participants if name not in newcomers]
    pairs = sorted(
        {
            pair_of(newcomer, opponent)
            for newcomer in newcomers
            for opponent in opponents
            if newcomer != opponent
        }
    )
    for _ in range(matchups_per_pair):
        yield from pairs
