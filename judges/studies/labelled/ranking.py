"""Scoring against ranking: jurors who give marks, and jurors who only say who is better.

Bandi and Harrasse 2024 (arXiv 2410.04663) set the two against each other (section 2.4) and report
no figures. Where jurors give marks, both rules are applied to the same ballots: the mean of their
marks, and the majority of those they put ahead. Where one bench of a model has its jurors vote and
another, otherwise alike, has them score, these two are compared as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.console.tables import Table
from arena.records import Bench, Step
from judges.studies.ballots import Taken
from judges.studies.cells import format_number, format_p
from judges.studies.labelled.accuracy import PairVerdict, contrast
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.labelled.verdicts import recount_verdicts
from ratings import TIE, outcome_of

#: The two marks of a juror of `samre` and of a member of a `jury`, in their steps.
_MARKS = (("pro_score", "con_score"), ("pro_mark", "con_mark"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingComparison:
    """Ranking against scoring on the same pairs.

    Attributes:
        ranking, scoring: the benches; the same where its ballots are counted in both ways.
        pairs: number of pairs with a winner by people that both have judged.
        ranking_right, scoring_right: share on which each names the same; NaN of no pairs.
        ranking_ties, scoring_ties: number of these on which each names none.
        different: number of these on which they differ.
        only_ranking, only_scoring: number that one alone is right about.
        p: two-sided test of these, as in `Contrast.mcnemar_p`.
    """

    ranking: str
    scoring: str
    pairs: int
    ranking_right: float
    scoring_right: float
    ranking_ties: int
    scoring_ties: int
    different: int
    only_ranking: int
    only_scoring: int
    p: float


def compare_rankings(
    benches: Sequence[Bench],
    evaluation: Evaluation,
    ballots: Mapping[str, Taken],
    verdicts: Sequence[PairVerdict],
) -> Iterator[RankingComparison]:
    """Yield a comparison for every bench whose jurors give marks, and for every two benches."""
    pairs = {pair.item: pair for pair in evaluation.pairs}
    for bench in benches:
        ranked, scored = (
            {
                verdict.pair.item: verdict.outcome
                for verdict in recount_verdicts(evaluation, ballots, bench.name, rule)
            }
            for rule in (rank_jurors, score_jurors)
        )
        if ranked:
            yield _compare((bench.name, bench.name), ranked, scored, pairs)
    for voting, scoring in _find_counterparts(benches):
        voted, marked = (
            {verdict.item: verdict.outcome for verdict in verdicts if verdict.bench == name}
            for name in (voting, scoring)
        )
        if voted.keys() & marked.keys():
            yield _compare((voting, scoring), voted, marked, pairs)


def rank_jurors(steps: Sequence[Step]) -> float | None:
    """Return by how many jurors Pro is ahead; `None` where they give no marks.

    >>> ahead = {"agent": "member", "pro_mark": 9.0, "con_mark": 3.0}
    >>> behind = {"agent": "member", "pro_mark": 4.0, "con_mark": 5.0}
    >>> rank_jurors([ahead, behind, behind]), rank_jurors([{"agent": "juror", "winner": "Pro"}])
    (-1.0, None)
    """
    leads = _read_leads(steps)
    return sum(2 * outcome_of(lead) - 1 for lead in leads) if leads else None


def score_jurors(steps: Sequence[Step]) -> float | None:
    """Return by how much Pro's mean mark is higher; `None` where jurors give none.

    >>> ahead = {"agent": "juror", "pro_score": 90.0, "con_score": 30.0}
    >>> score_jurors([ahead, {"agent": "juror", "pro_score": 40.0, "con_score": 50.0}])
    25.0
    """
    leads = _read_leads(steps)
    return fmean(leads) if leads else None


def rankings_table(comparisons: Sequence[RankingComparison]) -> Table:
    """Lay out a row per comparison."""
    return Table(
        title="Scoring against ranking",
        head=("ranking", "scoring", "pairs", "accuracy, ranking", "accuracy, scoring",
              "ties, ranking", "ties, scoring", "different", "ranking alone", "scoring alone",
              "p of McNemar"),
        rows=tuple(map(_format_row, comparisons)),
        labels=2,
        notes=(
            "ranking: the majority of those whom jurors (of samre) or members (of a jury) put "
            "ahead; scoring: the higher mean of their marks. A bench beside itself: both rules on "
            "the same ballots, without a call. Two benches: jurors who were asked for a vote, and "
            "jurors who were asked for scores. pairs: those for which people named a winner; "
            "alone: pairs on which only that rule is right; p: McNemar's exact test, clustered by "
            "question. A jury that stops early has the "
            "marks of those that were asked.",
        ),
    )  # fmt: skip


def _read_leads(steps: Sequence[Step]) -> list[float]:
    """Return by how much each juror or member puts Pro ahead."""
    return [
        round(float(step[pro]) - float(step[con]), 9)
        for step in steps
        for pro, con in _MARKS
        if step.get("agent") in ("juror", "member") and pro in step
    ]


def _find_counterparts(benches: Sequence[Bench]) -> Iterator[tuple[str, str]]:
    """Yield the names of benches of `samre` that differ in the mode of their jurors alone."""
    for voting in benches:
        for scoring in benches:
            if (
                _juror_mode(voting) == "vote"
                and _juror_mode(scoring) == "score"
                and _without_mode(voting) == _without_mode(scoring)
            ):
                yield voting.name, scoring.name


def _juror_mode(bench: Bench) -> str:
    asks_jurors = bench.judge == "samre" and bench.options["jurors"]
    return str(bench.options["juror_mode"]) if asks_jurors else ""


def _without_mode(bench: Bench) -> tuple[object, ...]:
    options = {name: value for name, value in bench.options.items() if name != "juror_mode"}
    return bench.model, options, bench.runs, bench.swap, bench.sampling


def _compare(
    names: tuple[str, str],
    ranked: Mapping[str, float],
    scored: Mapping[str, float],
    pairs: Mapping[str, LabelledPair],
) -> RankingComparison:
    items = [item for item in ranked if item in scored and pairs[item].outcome != TIE]
    right = [[float(by[item] == pairs[item].outcome) for item in items] for by in (ranked, scored)]
    test = contrast(names, right[0], right[1], [pairs[item].cluster for item in items])
    count = len(items) or float("nan")
    return RankingComparison(
        ranking=names[0],
        scoring=names[1],
        pairs=len(items),
        ranking_right=sum(right[0]) / count,
        scoring_right=sum(right[1]) / count,
        ranking_ties=sum(ranked[item] == TIE for item in items),
        scoring_ties=sum(scored[item] == TIE for item in items),
        different=sum(ranked[item] != scored[item] for item in items),
        only_ranking=test.only_first,
        only_scoring=test.only_second,
        p=test.mcnemar_p,
    )


def _format_row(row: RankingComparison) -> tuple[str, ...]:
    return (
        *(row.ranking, row.scoring, str(row.pairs)),
        *(format_number(share, ".3f") for share in (row.ranking_right, row.scoring_right)),
        *(str(row.ranking_ties), str(row.scoring_ties), str(row.different)),
        *(str(row.only_ranking), str(row.only_scoring), format_p(row.p)),
    )
