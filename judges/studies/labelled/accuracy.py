"""How often benches are right about labelled pairs, and whether two of them differ in that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.output.tables import Table
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.statistics.estimates import clustered_t
from judges.studies.tables import (
    UNDEFINED,
    Heading,
    format_number,
    format_p,
    format_range,
    make_table,
    tabulate_fields,
)
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

    first: Annotated[str, Heading("first")]
    second: Annotated[str, Heading("second")]
    pairs: Annotated[int, Heading("pairs")]
    questions: Annotated[int, Heading("questions")]
    difference: Annotated[float, Heading("difference", "+.3f")]
    t: Annotated[float, Heading("t", ".2f")]
    t_p: Annotated[float, Heading("p of t", format_p)]
    only_first: Annotated[int, Heading("first alone")]
    only_second: Annotated[int, Heading("second alone")]
    mcnemar_p: Annotated[float, Heading("p of McNemar", format_p)]

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
    """Measure how often a bench is right."""
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
    missing = any(accuracy.missing for accuracy in accuracies)
    left = " Missing ballots have failed or are open." if missing else ""
    return make_table(
        title,
        (
            {
                "judge": bench.bench,
                "pairs": bench.pairs,
                "right": bench.right,
                "accuracy": format_number(bench.share, ".3f"),
                "95 % interval": format_range(bench.lower, bench.upper, ".3f"),
                "judge's ties": bench.ties,
                "people's ties": f"{bench.even_right} of {bench.even}" if bench.even else UNDEFINED,
                "flips": format_number(bench.flip_rate, ".0%"),
                "missing": bench.missing,
                "USD": f"{bench.usd:.4f}",
                "USD per right verdict": format_number(bench.usd_per_right, ".5f"),
                "tokens per right verdict": format_number(bench.tokens_per_right, ",.0f"),
            }
            for bench in accuracies
        ),
        notes=(
            "pairs: those for which people named a winner; a tie by the judge counts as wrong. "
            "people's ties: how many of the pairs that people call a tie are a tie for the judge, "
            "too. Intervals: Wilson's, with the pairs of one question counted as one cluster. "
            "flips: share of ballots in both orders (swap = true) whose winner changed. USD and "
            "tokens per right verdict: the total of all ballots on these pairs, divided by the "
            f"number of right verdicts.{left}",
        ),
    )


def categories_table(categories: Mapping[str, Sequence[Accuracy]]) -> Table:
    """Lay out a row per category, a column per bench."""
    return make_table(
        "Accuracy by category (number of pairs)",
        (
            {"category": name or "-"}
            | {bench.bench: f"{format_number(bench.share, '.2f')} ({bench.pairs})" for bench in row}
            for name, row in categories.items()
        ),
    )


def contrasts_table(contrasts: Sequence[Contrast]) -> Table:
    """Lay out a row per two benches."""
    return tabulate_fields(
        Contrast,
        contrasts,
        title="Differences between judges, on the same pairs",
        labels=2,
        notes=(
            "difference: the second's accuracy minus the first's, with a paired t-test. alone: "
            "pairs on which only one of them is right, with McNemar's exact test. In both tests "
            "the pairs of one question count as one cluster; the p-values are not corrected for "
            "multiple comparisons.",
        ),
    )


def _divide(total: float, count: float) -> float:
    return total / count if count else float("nan")


#: The row of people among those of the judges.
PEOPLE = "people with each other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share with its 95 % interval, clustered by question; NaN of nothing."""

    count: int
    mean: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteAgreement:
    """How often a judge, or another person, says the same as a vote.

    Attributes:
        name: of the bench, or `PEOPLE`.
        same: share of all comparisons with the same outcome, a tie being one.
        decided: the same, of those in which both name a winner.
    """

    name: str
    same: Share
    decided: Share


def measure_votes(
    benches: Sequence[str], verdicts: Sequence[PairVerdict], pairs: Sequence[LabelledPair]
) -> tuple[VoteAgreement, ...]:
    """Measure every bench against each vote, and people against each other, who come last.

    Returns:
        Nothing where no pair has several votes.
    """
    if all(len(pair.votes) < 2 for pair in pairs):
        return ()
    by_bench = [
        _compare_with_votes(
            name,
            [
                (verdict.outcome, vote, verdict.question)
                for verdict in verdicts
                if verdict.bench == name
                for vote in verdict.votes
            ],
        )
        for name in benches
    ]
    people = [(*votes, pair.cluster) for pair in pairs for votes in combinations(pair.votes, 2)]
    return (*by_bench, _compare_with_votes(PEOPLE, people))


def votes_table(agreements: Sequence[VoteAgreement]) -> Table:
    """Lay out a row per judge, and one for people."""
    return Table(
        title="Agreement with each vote",
        head=("judge", "votes", "same", "95 % interval", "both name a winner", "same winner",
              "95 % interval"),
        rows=tuple(
            (row.name, *_format_share(row.same), *_format_share(row.decided))
            for row in agreements
        ),
        notes=(
            "Every vote counts by itself, where accuracy is measured by the majority of a pair's "
            "votes (a tie where no outcome has the most). same: with the same outcome, a tie "
            f"being one. {PEOPLE}: every two votes on the same pair, which is what a judge as good "
            "as one person would reach. Intervals: Wilson's, clustered by question.",
        ),
    )  # fmt: skip


def _compare_with_votes(name: str, compared: Sequence[tuple[float, float, str]]) -> VoteAgreement:
    decided = [row for row in compared if TIE not in row[:2]]
    return VoteAgreement(name=name, same=_measure_share(compared), decided=_measure_share(decided))


def _measure_share(compared: Sequence[tuple[float, float, str]]) -> Share:
    share = clustered_share(
        [mine == theirs for mine, theirs, _ in compared], [question for *_, question in compared]
    )
    return Share(count=len(compared), mean=share.mean, lower=share.lower, upper=share.upper)


def _format_share(share: Share) -> tuple[str, str, str]:
    interval = format_range(share.lower, share.upper, ".3f")
    return (str(share.count), format_number(share.mean, ".3f"), interval)
