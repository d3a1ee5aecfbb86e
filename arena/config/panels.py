"""Whether every bench has somebody who may judge the participants that meet."""

from __future__ import annotations

from collections.abc import Iterable

from arena.config.resolve import ResolvedConfig
from arena.debates.families import related
from arena.errors import ConfigError
from arena.plugins import make_judge


def check_panels(resolved: ResolvedConfig, meetings: Iterable[tuple[str, str]]) -> None:
    """See that every bench can judge everybody who meets.

    Args:
        resolved: with the participants and the benches.
        meetings: ids of two participants each; a pair may come again.

    Raises:
        ConfigError: a bench has nobody left who may judge two of the participants.
    """
    places = {one.participant_id: place for place, one in enumerate(resolved.participants)}
    pairs = {tuple(sorted((places[one], places[other]))) for one, other in set(meetings)}
    for bench in resolved.benches:
        judge = make_judge(bench.judge, bench.options)
        for pair in sorted(pairs):
            both = [resolved.participants[place] for place in pair]
            problem = judge.objection(related(both), model=bench.model)
            if problem:
                names = " and ".join(repr(one.name) for one in both)
                raise ConfigError(f"bench {bench.name!r} cannot judge {names}: {problem}")
