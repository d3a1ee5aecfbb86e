"""Sensitivity to the wording of prompts: how many of a judge's verdicts depend on it.

A judge differs from itself by chance, too. So each judges a pair a second time by the same prompts,
and only what a second set of prompts changes beyond that is put down to the wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from arena.errors import ConfigError
from arena.output.interval_text import format_interval_method
from arena.output.tables import Column, Table, tabulate
from arena.plugins import judge_class, judge_options
from arena.records import Bench
from judges.studies.alteration import AlterationEffect, effect_columns, measure_alteration
from judges.studies.ballots import BallotRequest
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.statistics.agreement import cohen_kappa, confusion
from judges.studies.statistics.estimates import Estimate, estimate_agreement, sum_by_cluster
from judges.studies.tables import UNDEFINED, format_interval, format_number, format_p
from ratings import TIE, clustered_test


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordingRequests:
    """The further ballots of one bench on one pair: each kind in as many runs as the bench has."""

    bench: str
    pair: LabelledPair
    again: tuple[BallotRequest, ...]
    reworded: tuple[BallotRequest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingOutcomes:
    """One bench's three outcomes on one pair, each the first answer's.

    Attributes:
        label: the outcome by people.
    """

    bench: str
    question: str
    label: float
    first: float
    again: float
    reworded: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording(AlterationEffect):
    """The effect of other words on one bench, questions being the clusters.

    Attributes:
        missing: number of pairs without all three verdicts.
        kappa: Cohen's, of the first verdicts with those in other words.
        kappa_again: Cohen's, of the first verdicts with the second by the same prompts: the most
            that is to be expected.
        told: number of readings of pairs that people have named a winner of.
        right, right_others: on how many of these the first verdict names the same, and the one
            in other words.
        right_p: `ratings.clustered_test` of these two, two-sided.
    """

    bench: str
    missing: int
    kappa: Estimate
    kappa_again: Estimate
    told: int
    right: int
    right_others: int
    right_p: float


def check_rewording(bench: Bench) -> None:
    """Raise a `ConfigError` where a bench has no prompts in other words."""
    if not judge_class(bench.judge).can_reword(judge_options(bench.judge, bench.options)):
        raise ConfigError(
            f"--reworded: {bench.judge!r} (bench {bench.name!r}) has no reworded prompts. Leave it "
            "out; debatrix, single, more and samre (without preset) and juries of these have them."
        )


def reword_bench(bench: Bench) -> Bench:
    """Return the bench with its other prompts, under a name that no configuration can give."""
    return replace(bench, name=f"{bench.name} (reworded)", reworded=True)


def measure_rewording(
    bench: str, outcomes: Sequence[WordingOutcomes], *, missing: int, rng: np.random.Generator
) -> Rewording:
    """Measure what other words change for a bench."""
    clusters = [pair.question for pair in outcomes]
    decided = [pair for pair in outcomes if pair.label != TIE]
    gained = [(pair.reworded == pair.label) - (pair.first == pair.label) for pair in decided]
    effect = measure_alteration(
        [pair.reworded != pair.first for pair in outcomes],
        [pair.again != pair.first for pair in outcomes],
        clusters,
        rng,
    )

    def kappa(second: Sequence[float]) -> Estimate:
        tables = sum_by_cluster(confusion([pair.first for pair in outcomes], second), clusters)
        return estimate_agreement(tables, cohen_kappa, count=len(outcomes))

    return Rewording(
        **asdict(effect),
        bench=bench,
        missing=missing,
        kappa=kappa([pair.reworded for pair in outcomes]),
        kappa_again=kappa([pair.again for pair in outcomes]),
        told=len(decided),
        right=sum(pair.first == pair.label for pair in decided),
        right_others=sum(pair.reworded == pair.label for pair in decided),
        right_p=clustered_test(gained, [pair.question for pair in decided], rng).p,
    )


def _format_accuracy(bench: Rewording, right: int) -> str:
    return format_number(right / (bench.told or float("nan")), ".3f")


_COLUMNS: list[Column[Rewording]] = effect_columns(
    ("judge", "pairs", "changed", "by chance"),
    lambda bench: bench.bench,
    {
        "kappa": lambda bench: format_interval(bench.kappa),
        "kappa by chance": lambda bench: format_interval(bench.kappa_again),
        "accuracy": lambda bench: _format_accuracy(bench, bench.right),
        "reworded": lambda bench: _format_accuracy(bench, bench.right_others),
        "p of accuracy": lambda bench: format_p(bench.right_p),
    },
    empty=UNDEFINED,
)


def rewordings_table(rewordings: Sequence[Rewording]) -> Table:
    """Lay out a row per bench."""
    questions = [bench.clusters for bench in rewordings]
    missing = any(bench.missing for bench in rewordings)
    left = " Pairs without all three verdicts are left out." if missing else ""
    return tabulate(
        _COLUMNS,
        rewordings,
        title="Sensitivity to the wording of the prompts",
        notes=(
            "changed: pairs on which reworded prompts lead to another verdict; its interval is "
            "Wilson's, clustered by question. by chance: pairs on which the same prompts lead to "
            "another verdict when asked again. net: the paired difference; its interval: "
            f"{format_interval_method('question', questions)}; p: that test. kappa: Cohen's, of "
            "the first verdicts with those by reworded prompts, and with those by the same prompts "
            "asked again, which is the highest value to expect; its interval is Wilson's, "
            "clustered by question, and contains the uncertainty of chance agreement. accuracy: "
            "on the pairs for which people named a winner, with the original and with reworded "
            f"prompts, compared by the same test of questions.{left}",
        ),
    )
