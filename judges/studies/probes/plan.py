"""The plan of a probe: whom it probes, with what, and every ballot that this takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.records import Bench
from arena.store.database import Store
from arena.text import counted
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging
from judges.studies.probes.copies import Sample, altered, sample, stored_readings, unaltered
from judges.studies.probes.defects import DEFECTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is probed: judges, defects and debates, and every ballot that this takes.

    Attributes:
        readings: ballots of the tournament itself on the debates as they were.
        trials: what has to be taken beside them, taken already or not.
    """

    found: Sample
    benches: tuple[Bench, ...]
    defects: tuple[str, ...]
    readings: Mapping[tuple[str, str, int], Taken]
    trials: tuple[BallotRequest, ...]


def plan_probe(
    store: Store,
    resolved: ResolvedConfig,
    benches: tuple[Bench, ...],
    defects: Sequence[str],
    debates: int,
) -> Probe:
    """Every ballot that a probe needs.

    Raises:
        ConfigError: there is no finished debate.
    """
    found = sample(store, resolved, debates)
    if not found.debates:
        raise ConfigError(
            f"tournament {resolved.name!r} has no finished debate yet. "
            f"Go on with: arena resume {resolved.name}"
        )
    known = stored_readings(store, found, benches)
    trials = [
        trial
        for bench in benches
        for trial in (
            *(
                one
                for one in unaltered(found, bench)
                if (one.item, bench.name, one.run) not in known
            ),
            *(one for name in defects for one in altered(found, bench, DEFECTS[name])),
        )
    ]
    return Probe(
        found=found,
        benches=benches,
        defects=tuple(name for name in DEFECTS if name in defects),
        readings=known,
        trials=tuple(trials),
    )


def sitting(store: Store, planned: Probe) -> BallotPlan:
    """The ballots of a probe, with what its plan says of them."""
    found = planned.found
    mark = " (simulated models)" if simulated(planned) else ""
    judges = ", ".join(f"{one.name} ({one.judge})" for one in planned.benches)
    copies = {
        name: sum(one.defect == name for one in planned.trials) // len(planned.benches)
        for name in planned.defects
    }
    return BallotPlan(
        resolved=found.resolved,
        requests=planned.trials,
        head=(
            f"Probe of tournament {found.resolved.name!r}{mark} in {store.path}",
            f"  {len(found.debates)} of {counted(found.finished, 'finished debate')}; "
            f"judges: {judges}",
            "  copies: " + ", ".join(f"{name} {count}" for name, count in copies.items()),
        ),
        used=len(planned.readings),
    )


def simulated(planned: Probe) -> bool:
    """Whether a simulated model debates or judges in it."""
    return planned.found.resolved.simulated or is_simulated_judging(planned.trials)
