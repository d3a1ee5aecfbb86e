"""The plan of a probe: benches, defects and debates, and every ballot that these take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.config.resolve import ResolvedConfig
from arena.debates.play import Assignment
from arena.errors import ConfigError
from arena.languages import SIDES, Side, language
from arena.records import Bench, Debate, Speech, digest
from arena.search.tool import NoSearch
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches
from arena.text import counted
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging, judging_caveat
from judges.studies.probes.defects import DEFECTS, NONE, Defect, plant

#: Runs of a bench on the original debate; the copies are judged by the run after these.
ORIGINAL_RUNS = (0, 1)
COPY_RUN = 2

_FINISHED = "SELECT debate_id FROM debates WHERE tournament = $name AND status = 'finished'"
_STORED = """
    SELECT b.debate_id, b.bench, b.run, s.outcome, s.pro_mark, s.con_mark
    FROM ballots b JOIN ballot_scores s USING (ballot_id)
    WHERE b.debate_id IN (SELECT unnest(CAST($ids AS TEXT[])))
      AND b.status = 'valid' AND s.dimension = 'overall' AND b.run < 2
      AND s.pro_mark IS NOT NULL AND s.con_mark IS NOT NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The debates that are copied.

    Attributes:
        finished: number of finished debates of the tournament.
        speeches: of the sampled debates, by debate id.
    """

    resolved: ResolvedConfig
    finished: int
    debates: tuple[Debate, ...]
    speeches: Mapping[str, tuple[Speech, ...]]


def draw_sample(store: Store, resolved: ResolvedConfig, number: int) -> Sample:
    """Draw finished debates by the tournament's seed; a larger sample contains a smaller one.

    Args:
        store: holds the tournament.
        resolved: its configuration.
        number: how many debates are drawn; all of them where there are fewer.
    """
    finished = set(store.read(_FINISHED, {"name": resolved.name})["debate_id"])
    known = {participant.participant_id for participant in resolved.participants}
    debates = [
        debate
        for debate in read_debates(store, resolved.name)
        if debate.debate_id in finished and {debate.pro, debate.con} <= known
    ]
    order = np.random.default_rng(resolved.config.tournament.seed).permutation(len(debates))
    drawn = tuple(debates[place] for place in order[:number])
    return Sample(
        resolved=resolved,
        finished=len(debates),
        debates=drawn,
        speeches=read_speeches(store, [debate.debate_id for debate in drawn]),
    )


def read_original_ballots(
    store: Store, sample: Sample, benches: Sequence[Bench]
) -> dict[tuple[str, str, int], Taken]:
    """Read the tournament's own ballots on the sampled debates, which need not be taken again.

    Returns:
        Valid ballots by debate id, bench and run.
    """
    names = {bench.name for bench in benches}
    rows = store.rows(_STORED, {"ids": [debate.debate_id for debate in sample.debates]})
    return {
        (row["debate_id"], row["bench"], row["run"]): Taken(
            status="valid",
            outcome=row["outcome"],
            pro_mark=row["pro_mark"],
            con_mark=row["con_mark"],
        )
        for row in rows
        if row["bench"] in names
    }


def request_originals(sample: Sample, bench: Bench) -> Iterator[BallotRequest]:
    """Yield the requests for two ballots on each original debate."""
    for debate in sample.debates:
        speeches = sample.speeches[debate.debate_id]
        for run in ORIGINAL_RUNS:
            yield _request(sample, bench, debate, speeches=speeches, run=run)


def request_copies(sample: Sample, bench: Bench, defect: Defect) -> Iterator[BallotRequest]:
    """Yield the request for a ballot on each copy; debates without a place for it have none."""
    for debate in sample.debates:
        speeches = sample.speeches[debate.debate_id]
        for side in _order_sides(debate, defect):
            copy = plant(defect, speeches, side, language(debate.language))
            if copy is not None:
                place = (defect.name, side)
                yield _request(sample, bench, debate, speeches=copy, run=COPY_RUN, place=place)
                break


def _order_sides(debate: Debate, defect: Defect) -> Sequence[Side]:
    """Return the sides in the order in which they are tried: the first by chance."""
    first = int(digest(debate.debate_id, defect.name), 16) % 2
    return (SIDES[first], SIDES[1 - first])


def _request(  # noqa: PLR0913 - a request has as many parts
    sample: Sample,
    bench: Bench,
    debate: Debate,
    *,
    speeches: tuple[Speech, ...],
    run: int,
    place: tuple[str, str] = (NONE, ""),
) -> BallotRequest:
    """Return the request for a ballot; `place` is the defect and the side that it is planted in."""
    resolved = sample.resolved
    participants = {item.participant_id: item for item in resolved.participants}
    (motion,) = (motion for motion in resolved.motions if motion.motion_id == debate.motion_id)
    texts = [[speech.text, len(speech.references)] for speech in speeches]
    identity = digest("probe", debate.debate_id, *place, texts, bench.specification)
    return BallotRequest(
        kind="probe",
        source=resolved.name,
        item=debate.debate_id,
        defect=place[0],
        side=place[1],
        assignment=Assignment(
            debate=replace(debate, debate_id=identity),
            wording=motion.wordings[debate.language],
            sides={"pro": participants[debate.pro], "con": participants[debate.con]},
            seed=resolved.config.tournament.seed,
            words=resolved.config.limits.words,
            search=NoSearch(),
        ),
        speeches=speeches,
        bench=bench,
        run=run,
    )


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
