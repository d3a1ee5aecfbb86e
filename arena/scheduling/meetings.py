"""The meetings (pairs of participants) that a configuration's schedule asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from arena.config.resolved import ResolvedConfig
from arena.config.schedule_section import ScheduleSection
from arena.scheduling.asked import Asked
from arena.scheduling.dealing import Field, Pair
from arena.scheduling.fixed import gauntlet, random_pairs, round_robin


def field_of(resolved: ResolvedConfig) -> Field:
    """Return what a tournament's debates are made from."""
    return Field(
        tournament=resolved.name,
        seed=resolved.config.tournament.seed,
        participants=list(resolved.names),
        motions=resolved.motions,
        languages=resolved.config.tournament.languages,
    )


def swiss_rounds(section: ScheduleSection, participants: int) -> int:
    """Return the rounds of a Swiss field; by default, as many as one needs to win alone, and two.

    >>> swiss_rounds(ScheduleSection(kind="swiss"), 8)
    5
    """
    return section.rounds or math.ceil(math.log2(participants)) + 2


def wave_size(section: ScheduleSection, participants: int) -> int:
    """Return how many matchups an adaptive wave has; by default, one for every two participants."""
    return section.wave or max(2, participants // 2)


def most_matchups(section: ScheduleSection, participants: int) -> int:
    """Return how many matchups an adaptive schedule may have; by default, 30 × participants."""
    return section.matchups or 30 * participants


def planned_matchups(asked: Asked, participants: int) -> int | None:
    """Return at how many matchups play ends, unless a target ends it before; None if unknown."""
    section = asked.schedule
    if section.kind != "adaptive" or section.knockout:
        return None
    return most_matchups(section, participants)


def meetings(resolved: ResolvedConfig) -> Iterator[Pair]:
    """Return the pairs of the configured schedule, in the order of dealing.

    A pair is repeated as often as it is to meet. Of a schedule in waves, these are all pairs that
    may meet, each once.
    """
    section, ids = resolved.config.schedule, resolved.ids
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
    return combinations(sorted(everyone), 2)
