"""The meetings (pairs of participants) that a configuration's schedule asks for."""

from __future__ import annotations

from collections.abc import Iterator

from arena.config.resolve import ResolvedConfig
from arena.scheduling.dealing import Pair
from arena.scheduling.gauntlet import gauntlet
from arena.scheduling.random_pairs import random_pairs
from arena.scheduling.round_robin import round_robin


def meetings(resolved: ResolvedConfig) -> Iterator[Pair]:
    """Return the pairs of the configured schedule, in the order of dealing.

    A pair is repeated as often as it is to meet.
    """
    section = resolved.config.schedule
    ids = {participant.name: participant.participant_id for participant in resolved.participants}
    everyone, rounds = list(ids.values()), section.matchups_per_pair or 1
    match section.kind:
        case "round_robin":
            return round_robin(everyone, matchups_per_pair=rounds)
        case "gauntlet":
            return gauntlet(
                everyone,
                newcomers=[ids[name] for name in section.newcomers or ()],
                opponents=[ids[name] for name in section.opponents or ()],
                matchups_per_pair=rounds,
            )
        case "random":
            seed = resolved.config.tournament.seed
            return random_pairs(everyone, seed=seed, matchups=section.matchups or 0)
