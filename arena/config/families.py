"""Model families: judges favour their own, so some benches leave out whoever is related."""

from __future__ import annotations

from collections.abc import Iterable

from arena.config.resolve import Entry
from arena.errors import ConfigError
from arena.plugins import judge_class, judge_models, models_of
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


def check_panels(entry: Entry, meetings: Iterable[tuple[str, str]]) -> None:
    """See that every bench can judge everybody who meets.

    Args:
        entry: with the participants and the benches.
        meetings: ids of two participants each; a pair may come again.

    Raises:
        ConfigError: a bench has nobody left who may judge two of the participants.
    """
    places = {one.participant_id: place for place, one in enumerate(entry.participants)}
    pairs = {tuple(sorted((places[one], places[other]))) for one, other in set(meetings)}
    for bench in entry.benches:
        method = judge_class(bench.judge)
        judge = method(method.Options.model_validate(dict(bench.options)))
        for pair in sorted(pairs):
            both = [entry.participants[place] for place in pair]
            problem = judge.objection(related(both), model=bench.model)
            if problem:
                names = " and ".join(repr(one.name) for one in both)
                raise ConfigError(f"bench {bench.name!r} cannot judge {names}: {problem}")
