"""Marks of essays, each for itself: relevance and preference from 1 to 5, by participant.

The figures of Hu, Chan, Li and Yin 2024 (Debate-to-Write, arXiv 2406.19643), as the judge `marks`
gives them. Ballots hold them on the scale of all marks, 1 to 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.store.database import Store
from ratings import clustered_mean

#: What an essay is marked for, and the least and the most that it can get.
MARKED = ("relevance", "preference")
LEAST, MOST = 1.0, 5.0
_STORED = (1.0, 10.0)

#: What is published, by debater and whether its team is of personas (True of all others):
#: relevance and preference, with other models and propositions.
PUBLISHED: Mapping[tuple[str, bool], tuple[float, float]] = {
    ("direct", True): (3.56, 3.63),
    ("cot_plan", True): (3.59, 3.48),
    ("americano", True): (3.75, 4.14),
    ("debate_to_write", True): (3.89, 3.91),
    ("debate_to_write", False): (3.81, 3.75),
}
_NOTHING = (math.nan,) * len(MARKED)

_MARKS = """
    SELECT p.name AS participant, p.debater, d.motion_id AS motion, s.dimension,
           p.options ->> 'personas' IS DISTINCT FROM 'false' AS personas,
           if(said.side = 'pro', s.pro_mark, s.con_mark) AS mark
    FROM debates d
    JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = $bench AND b.status = 'valid'
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id AND list_contains($marked, s.dimension)
    JOIN speeches said ON said.debate_id = d.debate_id
    JOIN participants p ON p.tournament = d.tournament
        AND p.participant_id = if(said.side = 'pro', d.pro, d.con)
    WHERE d.tournament = $tournament
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """One participant's mean mark in one respect.

    Attributes:
        mark: 1 to 5.
        lower, upper: 95 % interval, by motions; NaN with a single one.
        essays: marks that it is the mean of.
        motions: that they are about.
        published: what is published of its debater, with or without personas; NaN for none.
    """

    participant: str
    dimension: str
    mark: float
    lower: float
    upper: float
    essays: int
    motions: int
    published: float


def stored(mark: float) -> float:
    """A mark from 1 to 5 on the scale of ballots.

    >>> stored(1), stored(5)
    (1.0, 10.0)
    """
    low, high = _STORED
    return low + (mark - LEAST) * (high - low) / (MOST - LEAST)


def essay_marks(store: Store, tournament: str, *, bench: str, seed: int) -> list[Marked]:
    """The mean marks of every participant, by what is marked, the best first."""
    rows = store.read(_MARKS, {"tournament": tournament, "bench": bench, "marked": list(MARKED)})
    low, high = _STORED
    rows = rows.assign(mark=LEAST + (rows["mark"] - low) * (MOST - LEAST) / (high - low))
    found = list(_means(rows, seed))
    return sorted(found, key=lambda one: (MARKED.index(one.dimension), -one.mark, one.participant))


def _means(rows: pd.DataFrame, seed: int) -> Iterator[Marked]:
    for (participant, dimension), own in rows.groupby(["participant", "dimension"]):
        mean = clustered_mean(own["mark"], own["motion"], np.random.default_rng(seed))
        system = str(own["debater"].iloc[0]), bool(own["personas"].iloc[0])
        published = PUBLISHED.get(system, _NOTHING)
        yield Marked(
            participant=str(participant),
            dimension=str(dimension),
            mark=mean.mean,
            lower=mean.lower,
            upper=mean.upper,
            essays=len(own),
            motions=mean.clusters,
            published=published[MARKED.index(str(dimension))],
        )
