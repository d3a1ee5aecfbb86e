"""How often benches are right about labelled pairs, and whether two of them differ in that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.console.tables import Table
from judges.studies.cells import UNDEFINED, format_number, format_p
from judges.studies.statistics.paired import clustered_t
from ratings import TIE, clustered_share, clustered_test

#: Totals of the two answers, round by round, of one run in one order.
Totals = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """One bench's verdict on one pair, over all of its runs.

    Attributes:
        question: what pairs of the same question have in common.
        label: the first answer's outcome by people, by the majority of their votes.
        outcome: the first answer's outcome by the bench: the sum of its runs decides.
        gap: mean distance of the two answers' totals over its ballots, 0 to 114; NaN where the
            method gives no totals.
        flips, orders: ballots whose winner changed with the order, of those in both orders.
        rounds: where the method judges in rounds, the totals of each run and order.
        usd, tokens: of all runs, failed attempts included.
        votes: the first answer's outcomes, one per vote of people.
    """

    bench: str
    item: str
    question: str
    category: str
    label: float
    outcome: float
    gap: float
    flips: int
    orders: int
    rounds: tuple[Totals, ...]
    usd: float
    tokens: float
    votes: tuple[float, ...] = ()

    @property
    def is_decided(self) -> bool:
        """Whether people have named a winner, so that the verdict is right or wrong."""
        return self.label != TIE

    @property
    def is_right(self) -> bool:
        """Whether the bench names the winner that people name; a tie is not right."""
        return self.outcome == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How often one bench is right.

    Attributes:
        pairs: number of judged pairs on which people have named a winner.
        right: on how many of these the bench names the same.
        ties: on how many of these it names none.
        share, lower, upper: of `right`, with the 95 % interval of `clustered_share`; NaN of no
            pairs.
        even: number of judged pairs that people call a tie.
        even_right: on how many of these the bench gives a tie, too.
        missing: pairs without a valid ballot of every run.
        flip_rate: share of ballots in both orders whose winner changed; NaN of none.
        usd_per_right, tokens_per_right: of all ballots on `pairs`, per right verdict; NaN of none.
    """

    bench: str
    pairs: int
    right: int
    ties: int
    share: float
    lower: float
    upper: float
    even: int
    even_right: int
    missing: int
    flip_rate: float
    usd: float
    usd_per_right: float
    tokens_per_right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two benches on the pairs that both have judged and people have named a winner of.

    Attributes:
        questions: number of questions that the pairs are about, the clusters of both tests.
        difference: the second's accuracy minus the first's; NaN of no pairs.
        t, t_p: paired t-test of that difference, two-sided; NaN where it does not vary.
        only_first, only_second: number of pairs that one alone is right about.
        mcnemar_p: `ratings.clustered_test` of these, two-sided: with a pair for each question it is
            McNemar's exact test.
    """

    first: str
    second: str
    pairs: int
    questions: int
    difference: float
    t: float
    t_p: float
    only_first: int
    only_second: int
    mcnemar_p: float

    def swapped(self) -> Contrast:
        """Return the same contrast with the second bench named first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            t=-self.t,
            only_first=self.only_second,
            only_second=self.only_first,
        )


def measure_accuracy(bench: str, verdicts: Sequence[PairVerdict], *, missing: int) -> Accuracy:
    """Measure how often a bench is right.

    Args:
        bench: its name.
        verdicts: all of its verdicts.
        missing: number of pairs that it has no verdict on.
    """
    decided = [verdict for verdict in verdicts if verdict.is_decided]
    even = [verdict for verdict in verdicts if not verdict.is_decided]
    right = sum(verdict.is_right for verdict in decided)
    share = clustered_share(
        [verdict.is_right for verdict in decided], [verdict.question for verdict in decided]
    )
    usd, orders = sum(v.usd for v in decided), sum(v.orders for v in verdicts)
    return Accuracy(
        bench=bench,
        pairs=len(decided),
        right=right,
        ties=sum(verdict.outcome == TIE for verdict in decided),
        share=share.mean,
        lower=share.lower,
        upper=share.upper,
        even=len(even),
        even_right=sum(verdict.is_right for verdict in even),
        missing=missing,
        flip_rate=_divide(sum(verdict.flips for verdict in verdicts), orders),
        usd=sum(verdict.usd for verdict in verdicts),
        usd_per_right=_divide(usd, right),
        tokens_per_right=_divide(sum(verdict.tokens for verdict in decided), right),
    )


def contrast_benches(benches: Sequence[str], verdicts: Sequence[PairVerdict]) -> Iterator[Contrast]:
    """Contrast every two benches, on the pairs that both have judged."""
    decided = {
        name: {v.item: v for v in verdicts if v.bench == name and v.is_decided} for name in benches
    }
    for first, second in combinations(benches, 2):
        both = [item for item in decided[first] if item in decided[second]]
        right = [[decided[name][item].is_right for item in both] for name in (first, second)]
        questions = [decided[first][item].question for item in both]
        yield contrast((first, second), right[0], right[1], questions)


def contrast(
    names: tuple[str, str], first: ArrayLike, second: ArrayLike, questions: Sequence[str]
) -> Contrast:
    """Contrast two benches on the same pairs.

    Args:
        names: of the benches.
        first: (pairs,) 1 where the first bench is right, else 0.
        second: (pairs,) the same of the second.
        questions: (pairs,) what the pairs are about.
    """
    gains: NDArray[np.float64] = np.subtract(second, first, dtype=np.float64)
    t, t_p = clustered_t(gains, questions)
    return Contrast(
        first=names[0],
        second=names[1],
        pairs=len(gains),
        questions=len(set(questions)),
        difference=_divide(float(gains.sum()), len(gains)),
        t=t,
        t_p=t_p,
        only_first=int((gains < 0).sum()),
        only_second=int((gains > 0).sum()),
        mcnemar_p=clustered_test(gains, questions, np.random.default_rng(0)).p,
    )


def accuracies_table(accuracies: Sequence[Accuracy], title: str) -> Table:
    """Lay out a row per bench."""
    head = (
        "judge", "pairs", "right", "accuracy", "95 % interval", "judge's ties", "people's ties",
        "flips", "missing", "USD", "USD per right verdict", "tokens per right verdict",
    )  # fmt: skip
    missing = any(accuracy.missing for accuracy in accuracies)
    left = " Missing ballots have failed or are open." if missing else ""
    return Table(
        title=title,
        head=head,
        rows=tuple(map(_accuracy_row, accuracies)),
        notes=(
            "pairs: those for which people named a winner; a tie by the judge counts as wrong. "
            "people's ties: how many of the pairs that people call a tie are a tie for the judge, "
            "too. Intervals: Wilson's, with the pairs of one question counted as one cluster. "
            "flips: share of ballots in both orders (swap = true) whose winner changed. USD and "
            "tokens per right verdict: the total of all ballots on these pairs, divided by the "
            f"number of right verdicts.{left}",
        ),
    )


def _accuracy_row(bench: Accuracy) -> tuple[str, ...]:
    return (
        bench.bench,
        str(bench.pairs),
        str(bench.right),
        format_number(bench.share, ".3f"),
        UNDEFINED if isnan(bench.lower) else f"{bench.lower:.3f} to {bench.upper:.3f}",
        str(bench.ties),
        f"{bench.even_right} of {bench.even}" if bench.even else UNDEFINED,
        format_number(bench.flip_rate, ".0%"),
        str(bench.missing),
        f"{bench.usd:.4f}",
        format_number(bench.usd_per_right, ".5f"),
        format_number(bench.tokens_per_right, ",.0f"),
    )


def categories_table(categories: Mapping[str, Sequence[Accuracy]]) -> Table:
    """Lay out a row per category, a column per bench."""
    benches = [bench.bench for bench in next(iter(categories.values()))]
    rows = tuple(
        (name or "-", *(f"{format_number(bench.share, '.2f')} ({bench.pairs})" for bench in row))
        for name, row in categories.items()
    )
    return Table(
        title="Accuracy by category (number of pairs)",
        head=("category", *benches),
        rows=rows,
    )


def contrasts_table(contrasts: Sequence[Contrast]) -> Table:
    """Lay out a row per two benches."""
    head = ("first", "second", "pairs", "questions", "difference", "t", "p of t", "first alone",
            "second alone", "p of McNemar")  # fmt: skip
    return Table(
        title="Differences between judges, on the same pairs",
        head=head,
        rows=tuple(map(_contrast_row, contrasts)),
        labels=2,
        notes=(
            "difference: the second's accuracy minus the first's, with a paired t-test. alone: "
            "pairs on which only one of them is right, with McNemar's exact test. In both tests "
            "the pairs of one question count as one cluster; the p-values are not corrected for "
            "multiple comparisons.",
        ),
    )


def _contrast_row(pair: Contrast) -> tuple[str, ...]:
    return (
        *(pair.first, pair.second, str(pair.pairs), str(pair.questions)),
        *(format_number(pair.difference, "+.3f"), format_number(pair.t, ".2f"), format_p(pair.t_p)),
        *(str(pair.only_first), str(pair.only_second), format_p(pair.mcnemar_p)),
    )


def _divide(total: float, count: float) -> float:
    return total / count if count else float("nan")
