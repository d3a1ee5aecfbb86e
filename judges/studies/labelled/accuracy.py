"""How often benches are right about labelled pairs, and whether two of them differ in that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.output.tables import Table
from arena.read.heading import Heading
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.statistics.estimates import clustered_t
from judges.studies.tables import UNDEFINED, format_number, format_p, format_range, tabulate_fields
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

    bench: Annotated[str, Heading("judge")]
    pairs: Annotated[int, Heading("pairs")]
    right: Annotated[int, Heading("right")]
    ties: int
    share: Annotated[float, Heading("accuracy", ".3f")]
    lower: float
    upper: Annotated[
        float,
        Heading("95 % interval", read=lambda row: format_range(row.lower, row.upper, ".3f")),
        Heading("judge's ties", read=lambda row: row.ties),
    ]
    even: int
    even_right: Annotated[
        int,
        Heading(
            "people's ties",
            read=lambda row: f"{row.even_right} of {row.even}" if row.even else UNDEFINED,
        ),
    ]
    missing: int
    flip_rate: Annotated[
        float, Heading("flips", ".0%"), Heading("missing", read=lambda row: row.missing)
    ]
    usd: Annotated[float, Heading("USD", ".4f")]
    usd_per_right: Annotated[float, Heading("USD per right verdict", ".5f")]
    tokens_per_right: Annotated[float, Heading("tokens per right verdict", ",.0f")]


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


def group_by_bench(verdicts: Iterable[PairVerdict]) -> Mapping[str, dict[str, PairVerdict]]:
    """Return the verdicts of each bench by item; none of an unknown bench."""
    grouped: defaultdict[str, dict[str, PairVerdict]] = defaultdict(dict)
    for verdict in verdicts:
        grouped[verdict.bench][verdict.item] = verdict
    return grouped


def match_verdicts(
    first: Mapping[str, PairVerdict], second: Mapping[str, PairVerdict]
) -> list[tuple[PairVerdict, PairVerdict]]:
    """Return the verdicts of two benches, by item, on the pairs that both have judged."""
    return [(first[item], second[item]) for item in first if item in second]


def contrast_benches(benches: Sequence[str], verdicts: Sequence[PairVerdict]) -> Iterator[Contrast]:
    """Contrast every two benches, on the pairs that both have judged."""
    decided = group_by_bench(verdict for verdict in verdicts if verdict.is_decided)
    for names in combinations(benches, 2):
        both = match_verdicts(*(decided[name] for name in names))
        first, second = ([pair[side].is_right for pair in both] for side in (0, 1))
        yield contrast(names, first, second, [verdict.question for verdict, _ in both])


def contrast(
    names: tuple[str, str], first: ArrayLike, second: ArrayLike, questions: Sequence[str]
) -> Contrast:
    """Contrast two benches on the same pairs, by where each is right: 1, else 0."""
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
    return tabulate_fields(
        accuracies,
        title=title,
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
    benches = next(iter(categories.values()))
    return Table(
        title="Accuracy by category (number of pairs)",
        head=("category", *(bench.bench for bench in benches)),
        rows=tuple(
            (name or "-", *(f"{format_number(each.share, '.2f')} ({each.pairs})" for each in row))
            for name, row in categories.items()
        ),
    )


def contrasts_table(contrasts: Sequence[Contrast]) -> Table:
    """Lay out a row per two benches."""
    return tabulate_fields(
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


def _format_mean(share: Share) -> str:
    return format_number(share.mean, ".3f")


def _format_ends(share: Share) -> str:
    return format_range(share.lower, share.upper, ".3f")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteAgreement:
    """How often a judge, or another person, says the same as a vote.

    Attributes:
        name: of the bench, or `PEOPLE`.
        same: share of all comparisons with the same outcome, a tie being one.
        decided: the same, of those in which both name a winner.
    """

    name: Annotated[str, Heading("judge")]
    same: Annotated[
        Share,
        Heading("votes", read=lambda row: row.same.count),
        Heading("same", _format_mean),
        Heading("95 % interval", _format_ends),
    ]
    decided: Annotated[
        Share,
        Heading("both name a winner", read=lambda row: row.decided.count),
        Heading("same winner", _format_mean),
        Heading("95 % interval", _format_ends),
    ]


def measure_votes(
    benches: Sequence[str], verdicts: Sequence[PairVerdict], pairs: Sequence[LabelledPair]
) -> tuple[VoteAgreement, ...]:
    """Measure every bench against each vote, then people against each other.

    There is nothing to measure where no pair has several votes.
    """
    if all(len(pair.votes) < 2 for pair in pairs):
        return ()
    by_bench = {
        name: [
            (verdict.outcome, vote, verdict.question)
            for verdict in verdicts
            if verdict.bench == name
            for vote in verdict.votes
        ]
        for name in benches
    }
    people = [(*votes, pair.cluster) for pair in pairs for votes in combinations(pair.votes, 2)]
    return tuple(
        VoteAgreement(
            name=name,
            same=_measure_share(compared),
            decided=_measure_share([row for row in compared if TIE not in row[:2]]),
        )
        for name, compared in [*by_bench.items(), (PEOPLE, people)]
    )


def votes_table(agreements: Sequence[VoteAgreement]) -> Table:
    """Lay out a row per judge, and one for people."""
    return tabulate_fields(
        agreements,
        title="Agreement with each vote",
        notes=(
            "Every vote counts by itself, where accuracy is measured by the majority of a pair's "
            "votes (a tie where no outcome has the most). same: with the same outcome, a tie "
            f"being one. {PEOPLE}: every two votes on the same pair, which is what a judge as good "
            "as one person would reach. Intervals: Wilson's, clustered by question.",
        ),
    )


def _measure_share(compared: Sequence[tuple[float, float, str]]) -> Share:
    share = clustered_share(
        [mine == theirs for mine, theirs, _ in compared], [question for *_, question in compared]
    )
    return Share(count=len(compared), mean=share.mean, lower=share.lower, upper=share.upper)
