"""The plan of a probe: benches, defects and debates, and every ballot that these take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.config.resolve import ResolvedConfig
from arena.errors import ConfigError
from arena.records import Bench
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.text import counted
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging, judging_caveat
from judges.studies.probes.copies import (
    Sample,
    draw_sample,
    read_original_ballots,
    request_copies,
    request_originals,
)
from judges.studies.probes.defects import DEFECTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The benches, defects and debates of a probe, and its ballots.

    Attributes:
        originals: the tournament's own ballots on the original debates, by debate id, bench and
            run.
        requests: for all other ballots, taken already or not.
    """

    sample: Sample
    benches: tuple[Bench, ...]
    defects: tuple[str, ...]
    originals: Mapping[tuple[str, str, int], Taken]
    requests: tuple[BallotRequest, ...]

    @property
    def simulated(self) -> bool:
        """Whether a simulated model debates or judges in it."""
        return self.sample.resolved.simulated or is_simulated_judging(self.requests)

    @property
    def caveat(self) -> str:
        """What has to be said of the models in it; '' for nothing."""
        return self.sample.resolved.caveat or judging_caveat(self.requests)


def plan_probe(
    store: Store,
    resolved: ResolvedConfig,
    benches: tuple[Bench, ...],
    defects: Sequence[str],
    debates: int,
) -> Probe:
    """Plan every ballot that a probe needs.

    Args:
        store: holds the tournament.
        resolved: its configuration.
        benches: those that are probed.
        defects: names of those that are planted.
        debates: how many debates are copied.

    Raises:
        ConfigError: there is no finished debate.
    """
    sample = draw_sample(store, resolved, debates)
    if not sample.debates:
        raise ConfigError(
            f"tournament {resolved.name!r} has no finished debate yet. Continue with: "
            f"{command_line('resume', resolved.name, db=store.path)}"
        )
    originals = read_original_ballots(store, sample, benches)
    requests: list[BallotRequest] = []
    for bench in benches:
        requests += [
            request
            for request in request_originals(sample, bench)
            if (request.item, bench.name, request.run) not in originals
        ]
        for name in defects:
            requests += request_copies(sample, bench, DEFECTS[name])
    return Probe(
        sample=sample,
        benches=benches,
        defects=tuple(name for name in DEFECTS if name in defects),
        originals=originals,
        requests=tuple(requests),
    )


def plan_ballots(store: Store, probe: Probe) -> BallotPlan:
    """Return the ballots of a probe, with the lines that describe them."""
    sample = probe.sample
    mark = f" ({probe.caveat})" if probe.caveat else ""
    judges = ", ".join(f"{bench.name} ({bench.judge})" for bench in probe.benches)
    copies = {
        name: sum(request.defect == name for request in probe.requests) // len(probe.benches)
        for name in probe.defects
    }
    return BallotPlan(
        resolved=sample.resolved,
        requests=probe.requests,
        head=(
            f"Probe of tournament {sample.resolved.name!r}{mark} in {store.path}",
            f"  {len(sample.debates)} of {counted(sample.finished, 'finished debate')}; "
            f"judges: {judges}",
            "  copies: " + ", ".join(f"{name} {count}" for name, count in copies.items()),
        ),
        used=len(probe.originals),
    )
