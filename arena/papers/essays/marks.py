"""Mean marks of essays by participant: relevance and preference, from 1 to 5.

The marks are those of Hu, Chan, Li and Yin 2024 (Debate-to-Write, arXiv 2406.19643); the judge
`marks` gives them, to each essay by itself. Ballots store them on the scale of all marks, 1 to 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.papers.judged_speeches import read_judged_speeches
from arena.store.database import Store
from ratings import clustered_mean

#: The two marks of an essay, and their scale.
MARKED = ("relevance", "preference")
LEAST, MOST = 1.0, 5.0
#: The scale of ballots.
_STORED = (1.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanMark:
    """One participant's mean mark for relevance or for preference.

    Attributes:
        mark: mean, from 1 to 5.
        lower, upper: 95 % interval, clustered by motions; NaN with a single motion.
        personas: False for a debater whose team has no personas.
    """

    participant: str
    dimension: str
    mark: float
    lower: float
    upper: float
    essays: int
    motions: int
    debater: str
    personas: bool


def to_ballot_scale(mark: float) -> float:
    """Convert a mark from 1 to 5 to the scale of ballots.

    >>> to_ballot_scale(1), to_ballot_scale(5)
    (1.0, 10.0)
    """
    low, high = _STORED
    return low + (mark - LEAST) * (high - low) / (MOST - LEAST)


def essay_marks(store: Store, tournament: str, *, bench: str, seed: int) -> list[MeanMark]:
    """Return the mean marks of every participant, relevance first, the best first in each."""
    stored = (
        (each.participant, each.debater, each.debate.motion_id, dimension, personas, mark)
        for each in read_judged_speeches(store, tournament, bench=bench)
        for personas in [each.options.get("personas") is not False]
        for dimension in MARKED
        for mark in each.marks(dimension)
    )
    columns = ["participant", "debater", "motion", "dimension", "personas", "mark"]
    rows = pd.DataFrame(stored, columns=columns)
    low, high = _STORED
    rows = rows.assign(mark=LEAST + (rows["mark"] - low) * (MOST - LEAST) / (high - low))
    means = []
    for (participant, dimension), own in rows.groupby(["participant", "dimension"]):
        mean = clustered_mean(own["mark"], own["motion"], np.random.default_rng(seed))
        means.append(
            MeanMark(
                participant=str(participant),
                dimension=str(dimension),
                mark=mean.mean,
                lower=mean.lower,
                upper=mean.upper,
                essays=len(own),
                motions=mean.clusters,
                debater=str(own["debater"].iloc[0]),
                personas=bool(own["personas"].iloc[0]),
            )
        )
    return sorted(
        means, key=lambda mean: (MARKED.index(mean.dimension), -mean.mark, mean.participant)
    )
