"""Model families: judges favour their own, so some benches leave out whoever is related."""

from __future__ import annotations

from collections.abc import Iterable

from arena.plugins import judge_models, models_of
from arena.records import IMPORTED, Bench, Participant, family_of, kin


def related(participants: Iterable[Participant]) -> frozenset[str]:
    """All words by which the families of some participants may be known, in small letters.

    Every model that speaks for them counts, those of a debater's roles too. Of imported battles,
    participants are taken for models of their names.
    """
    return kin(
        model
        for one in participants
        for model in ((one.name,) if one.debater == IMPORTED else models_of(one))
    )


def families_of(bench: Bench) -> frozenset[str]:
    """The families of all models that may judge on a bench, in small letters."""
    further = () if bench.judge == IMPORTED else judge_models(bench.judge, bench.options)
    named = {bench.family, *map(family_of, (bench.model, *further))}
    return frozenset(one.lower() for one in named if one)
