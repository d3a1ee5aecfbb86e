"""The plan of a probe: benches, defects and debates, and every ballot that these take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.debates.play import Assignment
from arena.errors import ConfigError
from arena.languages import SIDES, Side, language
from arena.read.ballots import read_ballots
from arena.read.debates import read_debates as stored_debates
from arena.read.selected import Narrowing
from arena.read.trials import Trial
from arena.records import Bench, Debate, Speech, digest
from arena.search.tool import NoSearch
from arena.store.command_lines import command_line
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches
from arena.text import counted
from judges.studies.ballots import BallotRequest
from judges.studies.paid_ballots import BallotPlan, is_simulated_judging, judging_caveat
from judges.studies.probes.defects import DEFECTS, NONE, Defect, plant

#: Runs of a bench on the original debate; the copies are judged by the run after these.
ORIGINAL_RUNS = (0, 1)
COPY_RUN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The benches, defects and debates of a probe, and its ballots.

    Attributes:
        finished: number of finished debates of the tournament.
        debates: those that are copied.
        originals: the tournament's own valid ballots on them, which need not be taken again, by
            debate id, bench and run.
        requests: for all other ballots, taken already or not.
    """

    resolved: ResolvedConfig
    finished: int
    debates: tuple[Debate, ...]
    benches: tuple[Bench, ...]
    defects: tuple[str, ...]
    originals: Mapping[tuple[str, str, int], Trial]
    requests: tuple[BallotRequest, ...]

    @property
    def simulated(self) -> bool:
        """Whether a simulated model debates or judges in it."""
        return self.resolved.simulated or is_simulated_judging(self.requests)

    @property
    def caveat(self) -> str:
        """What has to be said of the models in it; '' for nothing."""
        return self.resolved.caveat or judging_caveat(self.requests)


def plan_probe(
    store: Store,
    resolved: ResolvedConfig,
    benches: tuple[Bench, ...],
    defects: Sequence[str],
    number: int,
) -> Probe:
    """Plan every ballot that a probe of so many debates, or of all that there are, needs.

    Debates are drawn by the tournament's seed, so that a larger sample contains a smaller one.
    """
    debates = _read_finished(store, resolved)
    if not debates:
        raise ConfigError(
            f"tournament {resolved.name!r} has no finished debate yet. Continue with: "
            f"{command_line('resume', resolved.name, db=store.path)}"
        )
    order = np.random.default_rng(resolved.config.tournament.seed).permutation(len(debates))
    drawn = tuple(debates[place] for place in order[:number])
    originals = _read_originals(store, drawn, benches)
    speeches = read_speeches(store, [debate.debate_id for debate in drawn])
    requests: list[BallotRequest] = []
    for bench in benches:
        request = partial(_request, resolved, bench)
        requests += [
            request(debate, speeches[debate.debate_id], run=run)
            for debate in drawn
            for run in ORIGINAL_RUNS
            if (debate.debate_id, bench.name, run) not in originals
        ]
        copies = (
            (debate, name, _plant(DEFECTS[name], debate, speeches[debate.debate_id]))
            for name in DEFECTS
            if name in defects
            for debate in drawn
        )
        requests += [
            request(debate, planted[1], run=COPY_RUN, place=(name, planted[0]))
            for debate, name, planted in copies
            if planted is not None
        ]
    return Probe(
        resolved=resolved,
        finished=len(debates),
        debates=drawn,
        benches=benches,
        defects=tuple(name for name in DEFECTS if name in defects),
        originals=originals,
        requests=tuple(requests),
    )


def _read_finished(store: Store, resolved: ResolvedConfig) -> list[Debate]:
    """Read the finished debates of the tournament's present participants."""
    present = tuple(participant.participant_id for participant in resolved.participants)
    finished = {
        row.debate_id
        for row in stored_debates(
            store,
            Selection(tournament=resolved.name, bench=""),
            Narrowing(statuses=("finished",), between=present),
        )
    }
    return [debate for debate in read_debates(store, resolved.name) if debate.debate_id in finished]


def _read_originals(
    store: Store, debates: Sequence[Debate], benches: Sequence[Bench]
) -> dict[tuple[str, str, int], Trial]:
    """Read the benches' own valid ballots with marks on debates, by debate, bench and run."""
    selection = Selection(tournament=debates[0].tournament, bench="all")
    own = Narrowing(ids=tuple(debate.debate_id for debate in debates))
    names = {bench.name for bench in benches}
    return {
        (ballot.debate_id, ballot.bench, ballot.run): Trial(
            status="valid",
            outcome=verdict.outcome,
            pro_mark=verdict.pro_mark,
            con_mark=verdict.con_mark,
        )
        for ballot in read_ballots(store, selection, own, kinds=["valid"])
        for verdict in [ballot.verdict()]
        if ballot.bench in names and ballot.run in ORIGINAL_RUNS
        if verdict and verdict.pro_mark is not None and verdict.con_mark is not None
    }


def _plant(
    defect: Defect, debate: Debate, speeches: Sequence[Speech]
) -> tuple[Side, tuple[Speech, ...]] | None:
    """Return the side of the defect and the copy of a debate; `None` without a place for it."""
    first = int(digest(debate.debate_id, defect.name), 16) % 2
    for side in (SIDES[first], SIDES[1 - first]):
        copy = plant(defect, speeches, side, language(debate.language))
        if copy is not None:
            return side, copy
    return None


def _request(  # noqa: PLR0913 - a request has as many parts
    resolved: ResolvedConfig,
    bench: Bench,
    debate: Debate,
    speeches: tuple[Speech, ...],
    *,
    run: int,
    place: tuple[str, str] = (NONE, ""),
) -> BallotRequest:
    """Return the request for a ballot; `place` is the defect and the side that it is planted in."""
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


def plan_ballots(store: Store, probe: Probe) -> BallotPlan:
    """Return the ballots of a probe, with the lines that describe them."""
    mark = f" ({probe.caveat})" if probe.caveat else ""
    judges = ", ".join(f"{bench.name} ({bench.judge})" for bench in probe.benches)
    copies = ", ".join(
        f"{name} {sum(request.defect == name for request in probe.requests) // len(probe.benches)}"
        for name in probe.defects
    )
    return BallotPlan(
        resolved=probe.resolved,
        requests=probe.requests,
        head=(
            f"Probe of tournament {probe.resolved.name!r}{mark} in {store.path}",
            f"  {len(probe.debates)} of {counted(probe.finished, 'finished debate')}; "
            f"judges: {judges}",
            f"  copies: {copies}",
        ),
        used=len(probe.originals),
    )
