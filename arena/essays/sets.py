"""The essays (or answers) that are compared: several of one participant on one proposition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.store.database import Store

#: Essays of a participant on a proposition, as in Hu et al. 2024 (arXiv 2406.19643).
USUAL = 7

_ESSAYS = """
    SELECT p.name AS participant, p.debater, d.motion_id, d.language, s.text
    FROM debates d
    JOIN speeches s USING (debate_id)
    JOIN participants p ON p.tournament = d.tournament
        AND p.participant_id = if(s.side = 'pro', d.pro, d.con)
    WHERE d.tournament = $tournament AND d.status = 'finished' AND s.stage = 'answer'
    ORDER BY d.motion_id, d.language, d.repeat, d.leg, d.debate_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Essays:
    """What one participant wrote on one proposition, in the order of the pairings."""

    participant: str
    debater: str
    motion_id: str
    language: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is compared.

    Attributes:
        number: of essays in each set; 0 where nobody has two.
        sets: by participant and proposition, each of `number` essays.
        left_out: sets that have fewer.
    """

    number: int
    sets: tuple[Essays, ...]
    left_out: int


def read_essays(
    store: Store, resolved: ResolvedConfig, participants: Collection[str]
) -> list[Essays]:
    """All essays of finished debates, by participant (as the file has them) and proposition.

    Raises:
        ConfigError: the tournament's contest has none.
    """
    contest = "" if resolved.imported else resolved.config.tournament.contest
    if contest not in ("essay", "question"):
        raise ConfigError(
            f"tournament {resolved.name!r} has no essays: diversity is of what one participant "
            "writes "
            'more than once on the same, in a tournament with contest = "essay" (or "question"), '
            "for example: arena run essays"
        )
    found: dict[tuple[str, str, str], tuple[str, list[str]]] = {}
    for row in store.rows(_ESSAYS, {"tournament": resolved.name}):
        key = (row["participant"], row["motion_id"], row["language"])
        found.setdefault(key, (row["debater"], []))[1].append(row["text"])
    order = [one.name for one in resolved.participants if one.name in participants]
    sets = [
        Essays(
            participant=name, debater=debater, motion_id=motion, language=code, texts=tuple(texts)
        )
        for (name, motion, code), (debater, texts) in found.items()
        if name in order
    ]
    return sorted(sets, key=lambda one: (order.index(one.participant), one.motion_id, one.language))


def choose(found: Sequence[Essays], number: int | None) -> Chosen:
    """The first `number` essays of each set that has so many.

    All three figures depend on how many texts there are, so everybody's sets are of one size.

    Args:
        found: all sets.
        number: of essays; by default 7, or what everybody has on some proposition.

    Raises:
        ConfigError: nobody has so many.
    """
    most: dict[str, int] = {}
    for one in found:
        most[one.participant] = max(most.get(one.participant, 0), len(one.texts))
    size = number or min([USUAL, *most.values()]) if most else 0
    kept = [one for one in found if len(one.texts) >= size >= 2]
    if number and found and not kept:
        raise ConfigError(
            f"--essays {number}: nobody has so many on one proposition; the most is "
            f"{max(most.values())}. Choose fewer, or let the tournament write more: raise "
            "schedule.matchups_per_pair and run it again."
        )
    sets = tuple(replace(one, texts=one.texts[:size]) for one in kept)
    return Chosen(number=size if sets else 0, sets=sets, left_out=len(found) - len(sets))
