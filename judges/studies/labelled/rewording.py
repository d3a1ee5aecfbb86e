"""The same judges with prompts in other words: how many of their verdicts hang on the wording.

A judge differs from itself by chance, too. So each reads a pair a second time by the same prompts,
and only what other prompts change beyond that is put down to the wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from arena.errors import ConfigError
from arena.plugins import judge_class, judge_options
from arena.records import Bench
from judges.studies.agreement.statistics import (
    Measured,
    by_cluster,
    cohen_kappa,
    confusion,
    measured,
)
from judges.studies.ballots import BallotRequest
from judges.studies.beyond import Beyond, beyond
from judges.studies.labelled.pairs import Labelled
from judges.studies.mcnemar import mcnemar
from ratings import TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworded:
    """The further ballots of one bench on one pair: as many runs of each as it has.

    Attributes:
        again: by the same prompts.
        others: by prompts in other words.
    """

    bench: str
    pair: Labelled
    again: tuple[BallotRequest, ...]
    others: tuple[BallotRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one bench says of one pair, the first answer's outcomes.

    Attributes:
        label: the same as people see it.
        first, again: by the same prompts.
        others: by prompts in other words.
    """

    bench: str
    question: str
    label: float
    first: float
    again: float
    others: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording(Beyond):
    """What other words change for one bench, questions being the clusters.

    Attributes:
        missing: pairs without all three verdicts.
        kappa: Cohen's, of the first verdicts with those in other words.
        kappa_again: the same with those by the same prompts again: the most to be expected.
        told: readings of pairs that people have named a winner of.
        right, right_others: on how many of these the first verdict names the same, and the one
            in other words.
        right_p: exact two-sided test of McNemar of these two.
    """

    bench: str
    missing: int
    kappa: Measured
    kappa_again: Measured
    told: int
    right: int
    right_others: int
    right_p: float


def check_rewording(bench: Bench) -> None:
    """See that a bench has prompts in other words.

    Raises:
        ConfigError: it has none.
    """
    if not judge_class(bench.judge).can_reword(judge_options(bench.judge, bench.options)):
        raise ConfigError(
            f"--reworded: {bench.judge!r} (bench {bench.name!r}) has one set of prompts only. "
            "Leave it out; debatrix, single, more, samre and juries of these have two."
        )


def in_other_words(bench: Bench) -> Bench:
    """The same bench with its other prompts, under a name that no configuration can give."""
    return replace(bench, name=f"{bench.name} (reworded)", reworded=True)


def rewording(
    bench: str, read: Sequence[Reading], *, missing: int, rng: np.random.Generator
) -> Rewording:
    """What other words change for a bench.

    Args:
        bench: its name.
        read: its readings.
        missing: pairs that it lacks a verdict on.
        rng: draws the questions.
    """
    clusters = [one.question for one in read]
    told = [one for one in read if one.label != TIE]
    only = (
        sum(one.first == one.label != one.others for one in told),
        sum(one.others == one.label != one.first for one in told),
    )
    found = beyond(
        [one.others != one.first for one in read],
        [one.again != one.first for one in read],
        clusters,
        rng,
    )

    def kappa(others: Sequence[float]) -> Measured:
        tables = by_cluster(confusion([one.first for one in read], others), clusters)
        return measured(tables, cohen_kappa, count=len(read), rng=rng)

    return Rewording(
        **asdict(found),
        bench=bench,
        missing=missing,
        kappa=kappa([one.others for one in read]),
        kappa_again=kappa([one.again for one in read]),
        told=len(told),
        right=sum(one.first == one.label for one in told),
        right_others=sum(one.others == one.label for one in told),
        right_p=mcnemar(*only),
    )
