"""How far those agree whom a judge hears or asks: advocates of one side, jurors, members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.debates.pairs import orders
from arena.records import Step
from arena.simulator.embedding import embedded
from judges.studies.agreement.panel import alpha_of
from judges.studies.agreement.statistics import (
    Array,
    Measured,
    by_cluster,
    measured,
    meetings,
    share,
    strict,
    value_counts,
)
from judges.studies.ballots import BallotRequest, Taken
from judges.studies.labelled.defences import Pleas
from ratings import PRO_WINS, outcome_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Advocates:
    """How alike the defences of one bench's advocates are, as cosines of hashed words.

    The measure is ours. As texts on one task are alike in any case, advocates of the same answer
    are compared with advocates of different ones.

    Attributes:
        hearings: ballots, each order counted.
        advocates: of each side.
        same: mean cosine of every two who defend the same answer.
        other: the same of every two who defend different ones: what the task alone makes alike.
        beyond: the difference.
    """

    bench: str
    hearings: int
    advocates: int
    same: Measured
    other: Measured
    beyond: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Jurors:
    """How far the jurors of a bench, or the members of a panel, name the same winner.

    Attributes:
        hearings: ballots, each order counted, on which at least two were asked.
        seats: the most that were asked on one.
        unanimous: share of the hearings on which all of them say the same.
        equal: share of every two of one hearing who say the same.
        alpha: Krippendorff's, of what they say: winner or tie.
    """

    bench: str
    hearings: int
    seats: int
    unanimous: Measured
    equal: Measured
    alpha: Measured


def advocates_of(bench: str, heard: Sequence[Pleas], rng: np.random.Generator) -> Advocates | None:
    """How alike the advocates of a bench plead; `None` where it has not several for a side.

    Args:
        bench: its name.
        heard: what was written, of this bench and perhaps of others.
        rng: draws the questions.
    """
    own = [one for one in heard if one.bench == bench]
    if not own:
        return None
    alike = np.array([_likeness(one) for one in own])
    clusters = [one.question for one in own]

    def mean(values: Array) -> Measured:
        sums = by_cluster(np.column_stack([values, np.ones(len(values))]), clusters)
        return measured(sums, share, count=len(values), rng=rng)

    return Advocates(
        bench=bench,
        hearings=len(own),
        advocates=max(len(one.pro) for one in own),
        same=mean(alike[:, 0]),
        other=mean(alike[:, 1]),
        beyond=mean(alike[:, 0] - alike[:, 1]),
    )


def jurors_of(
    bench: str,
    trials: Sequence[BallotRequest],
    taken: Mapping[str, Taken],
    rng: np.random.Generator,
) -> Jurors | None:
    """How far the jurors of a bench agree; `None` where it asks none, or only one.

    Args:
        bench: its name.
        trials: its ballots, and perhaps those of others.
        taken: what was taken of them.
        rng: draws the questions.
    """
    heard = [
        (trial.assignment.wording.text, said)
        for trial in trials
        if trial.bench.name == bench and trial.ballot_id in taken
        for said in votes(taken[trial.ballot_id].trace)
        if len(said) > 1
    ]
    if not heard:
        return None
    counts = np.concatenate([value_counts([said]) for _, said in heard])
    clusters = np.unique([question for question, _ in heard], return_inverse=True)[1].ravel()
    same = np.column_stack([(counts > 0).sum(axis=1) == 1, np.ones(len(counts))])
    return Jurors(
        bench=bench,
        hearings=len(heard),
        seats=int(counts.sum(axis=1).max()),
        unanimous=measured(by_cluster(same, clusters), share, count=len(heard), rng=rng),
        equal=measured(by_cluster(meetings(counts), clusters), strict, count=len(heard), rng=rng),
        alpha=alpha_of(counts, np.asarray(clusters, dtype=float), "nominal", rng),
    )


def votes(trace: Sequence[Step]) -> Iterator[list[float]]:
    """What the jurors or members of a ballot said, the first answer's outcomes; by order.

    >>> list(votes([{"agent": "juror", "winner": "Pro"}, {"agent": "member", "absent": "ill"}]))
    [[1.0]]
    """
    for exchanged, steps in orders(trace):
        said = [_vote(step) for step in steps if step.get("agent") in ("juror", "member")]
        known = [one for one in said if one is not None]
        yield [PRO_WINS - one for one in known] if exchanged else known


def _vote(step: Step) -> float | None:
    if "winner" in step:
        return outcome_of(1.0 if step["winner"] == "Pro" else -1.0)
    if "pro_score" in step:
        return outcome_of(step["pro_score"] - step["con_score"])
    return float(step["outcome"]) if "outcome" in step else None


def _likeness(one: Pleas) -> tuple[float, float]:
    """The mean cosine within the sides, and across them."""
    pro, con = embedded(one.pro), embedded(one.con)
    within = [(side @ side.T)[np.triu_indices(len(side), k=1)].mean() for side in (pro, con)]
    return float(np.mean(within)), float((pro @ con.T).mean())
