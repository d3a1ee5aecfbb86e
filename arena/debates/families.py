"""Model families of participants and benches.

A judge tends to favour models of its own family, so some benches do not judge related debaters.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.plugins import judge_models, participant_models
from arena.records import IMPORTED, Bench, Participant, family_of, family_words


def model_families(participants: Iterable[Participant]) -> frozenset[str]:
    """Return the lower-case names of the participants' model families, providers included.

    All models of a participant count, those of single roles of a debater too. A participant of
    imported battles has no configured model: its name is taken as the model's name.
    """
    return family_words(
        model
        for participant in participants
        for model in (
            (participant.name,)
            if participant.debater == IMPORTED
            else participant_models(participant)
        )
    )


def families_of(bench: Bench) -> frozenset[str]:
    """Return the lower-case families of all models that may judge on a bench."""
    role_models = () if bench.judge == IMPORTED else judge_models(bench.judge, bench.options)
    families = {bench.family, *map(family_of, (bench.model, *role_models))}
    return frozenset(family.lower() for family in families if family)
