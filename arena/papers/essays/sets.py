"""Sets of essays (or answers) to compare: several by one participant on one proposition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from arena.boards.selecting import participant_names
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.languages import ANSWER
from arena.papers.judged_speeches import JudgedSpeech, read_judged_speeches
from arena.store.database import Store

#: Essays of a participant on a proposition, as in Hu et al. 2024 (arXiv 2406.19643).
USUAL = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class EssaySet:
    """The texts of one participant on one proposition, in the order of the pairings."""

    participant: str
    debater: str
    motion_id: str
    language: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedEssays:
    """The sets of essays to compare.

    Attributes:
        number: essays in each set; 0 if no participant has two on a proposition.
        sets: by participant and proposition, each of `number` essays.
    """

    number: int
    sets: tuple[EssaySet, ...]
    left_out: int


def read_essays(
    store: Store, resolved: ResolvedConfig, participants: Collection[str]
) -> list[EssaySet]:
    """Read the essays of finished debates, by participant (as configured) and proposition.

    Raises:
        ConfigError: the tournament is not a contest of essays or answers.
    """
    contest = "" if resolved.imported else resolved.config.tournament.contest
    if contest not in ("essay", "question"):
        raise ConfigError(
            f"tournament {resolved.name!r} has no essays. Diversity compares several texts of one "
            'participant on the same proposition, in a tournament with contest = "essay" (or '
            '"question"); play one with: arena run essays'
        )
    by_set: dict[tuple[str, str, str], tuple[str, list[str]]] = {}
    for each in sorted(read_judged_speeches(store, resolved.name), key=order_of_pairing):
        if each.speech.stage == ANSWER:
            key = (each.participant, each.debate.motion_id, each.debate.language)
            by_set.setdefault(key, (each.debater, []))[1].append(each.speech.text)
    order = [name for name in participant_names(resolved) if name in participants]
    sets = [
        EssaySet(
            participant=name, debater=debater, motion_id=motion, language=code, texts=tuple(texts)
        )
        for (name, motion, code), (debater, texts) in by_set.items()
        if name in order
    ]
    return sorted(
        sets,
        key=lambda essays: (order.index(essays.participant), essays.motion_id, essays.language),
    )


def order_of_pairing(each: JudgedSpeech) -> tuple[str, str, int, int, str]:
    """Return what sorts essays in the order in which their pairs were planned, motion by motion."""
    debate = each.debate
    return debate.motion_id, debate.language, debate.repeat, debate.leg, debate.debate_id


def choose_sets(sets: Sequence[EssaySet], number: int | None) -> ComparedEssays:
    """Cut every set to its first `number` essays, and leave out sets that have fewer.

    All measures of diversity depend on the number of texts, so all sets must have one size.

    Args:
        number: of essays; by default 7, or fewer if some participant has fewer on every
            proposition.

    Raises:
        ConfigError: no set has so many essays.
    """
    most: dict[str, int] = {}
    for essays in sets:
        most[essays.participant] = max(most.get(essays.participant, 0), len(essays.texts))
    size = number or min([USUAL, *most.values()]) if most else 0
    kept = [essays for essays in sets if len(essays.texts) >= size >= 2]
    if number and sets and not kept:
        raise ConfigError(
            f"--essays {number}: no participant has that many on one proposition; the largest "
            f"number is {max(most.values())}. Choose a smaller number, or raise "
            "schedule.matchups_per_pair and run the tournament again."
        )
    return ComparedEssays(
        number=size if kept else 0,
        sets=tuple(replace(essays, texts=essays.texts[:size]) for essays in kept),
        left_out=len(sets) - len(kept),
    )
