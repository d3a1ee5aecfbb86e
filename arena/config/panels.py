"""Check that every bench may judge the participants that meet."""

from __future__ import annotations

from collections.abc import Iterable

from arena.config.resolve import ResolvedConfig
from arena.debates.families import model_families
from arena.errors import ConfigError
from arena.plugins import inspect_judge


def check_panels(resolved: ResolvedConfig, meetings: Iterable[tuple[str, str]]) -> None:
    """Check that every bench may judge the participants of each meeting.

    Some judges leave out models of the participants' own families (see `Judge.objection`).

    Args:
        resolved: names the participants and the benches.
        meetings: the ids of two participants each; pairs may be repeated.

    Raises:
        ConfigError: a bench has no judge left for two participants who meet.
    """
    places = {
        participant.participant_id: place for place, participant in enumerate(resolved.participants)
    }
    pairs = {tuple(sorted((places[first], places[second]))) for first, second in set(meetings)}
    for bench in resolved.benches:
        judge = inspect_judge(bench.judge, bench.options)
        for pair in sorted(pairs):
            both = [resolved.participants[place] for place in pair]
            problem = judge.objection(model_families(both), model=bench.model)
            if problem:
                names = " and ".join(repr(participant.name) for participant in both)
                raise ConfigError(f"bench {bench.name!r} cannot judge {names}: {problem}")
