"""Which debates are copied, and every ballot that a probe needs of a bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.config.resolve import ResolvedConfig
from arena.debates.play import Assignment
from arena.languages import SIDES, Side, language
from arena.records import Bench, Debate, Speech, digest
from arena.search.none import NoSearch
from arena.store.database import Store
from arena.store.rows import read_debates, read_speeches
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.probes.defects import NONE, Defect, planted

#: Runs of a bench on the debate as it was; the copies are judged by the run after these.
UNALTERED = (0, 1)
ALTERED = 2

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
        finished: how many the tournament has.
        speeches: of those chosen, by debate id.
    """

    resolved: ResolvedConfig
    finished: int
    debates: tuple[Debate, ...]
    speeches: Mapping[str, tuple[Speech, ...]]


def sample(store: Store, resolved: ResolvedConfig, number: int) -> Sample:
    """Some finished debates, drawn by the tournament's seed; a larger sample holds a smaller."""
    done = set(store.read(_FINISHED, {"name": resolved.name})["debate_id"])
    known = {one.participant_id for one in resolved.participants}
    debates = [
        one
        for one in read_debates(store, resolved.name)
        if one.debate_id in done and {one.pro, one.con} <= known
    ]
    order = np.random.default_rng(resolved.config.tournament.seed).permutation(len(debates))
    chosen = tuple(debates[place] for place in order[:number])
    return Sample(
        resolved=resolved,
        finished=len(debates),
        debates=chosen,
        speeches=read_speeches(store, [one.debate_id for one in chosen]),
    )


def stored_readings(
    store: Store, found: Sample, benches: Sequence[Bench]
) -> dict[tuple[str, str, int], Taken]:
    """What the tournament's own ballots say of the debates as they were: nothing to take again."""
    names = {one.name for one in benches}
    rows = store.rows(_STORED, {"ids": [one.debate_id for one in found.debates]})
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


def unaltered(found: Sample, bench: Bench) -> Iterator[BallotRequest]:
    """Two readings of each debate as it was."""
    for debate in found.debates:
        speeches = found.speeches[debate.debate_id]
        for run in UNALTERED:
            yield _trial(found, bench, debate, speeches=speeches, run=run)


def altered(found: Sample, bench: Bench, defect: Defect) -> Iterator[BallotRequest]:
    """One reading of each copy with a defect; of debates where it can be planted."""
    for debate in found.debates:
        for side in _sides(debate, defect):
            copy = planted(
                defect, found.speeches[debate.debate_id], side, language(debate.language)
            )
            if copy is not None:
                where = (defect.name, side)
                yield _trial(found, bench, debate, speeches=copy, run=ALTERED, where=where)
                break


def _sides(debate: Debate, defect: Defect) -> Sequence[Side]:
    """The side that a defect is planted in, by chance; then the other, if that has no place."""
    first = int(digest(debate.debate_id, defect.name), 16) % 2
    return (SIDES[first], SIDES[1 - first])


def _trial(  # noqa: PLR0913 - a trial has as many parts
    found: Sample,
    bench: Bench,
    debate: Debate,
    *,
    speeches: tuple[Speech, ...],
    run: int,
    where: tuple[str, str] = (NONE, ""),
) -> BallotRequest:
    resolved = found.resolved
    people = {one.participant_id: one for one in resolved.participants}
    (motion,) = (one for one in resolved.motions if one.motion_id == debate.motion_id)
    texts = [[one.text, len(one.references)] for one in speeches]
    identity = digest("probe", debate.debate_id, *where, texts, bench.specification)
    return BallotRequest(
        kind="probe",
        source=resolved.name,
        item=debate.debate_id,
        defect=where[0],
        side=where[1],
        assignment=Assignment(
            debate=replace(debate, debate_id=identity),
            wording=motion.wordings[debate.language],
            sides={"pro": people[debate.pro], "con": people[debate.con]},
            seed=resolved.config.tournament.seed,
            words=resolved.config.limits.words,
            search=NoSearch(),
        ),
        speeches=speeches,
        bench=bench,
        run=run,
    )
