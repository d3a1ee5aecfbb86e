"""Each bench's verdict on each labelled pair, from the stored ballots of all of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.debates.pairs import steps_by_order, winner_flipped
from arena.read.calls import read_unit_costs
from arena.read.trials import Trial
from arena.records import Bench, Step
from arena.store.database import Store
from judges.methods.criteria import total
from judges.studies.ballots import BallotRequest
from judges.studies.labelled.accuracy import PairVerdict
from judges.studies.labelled.evaluation_plan import Evaluation
from judges.studies.labelled.pairs import LabelledPair
from judges.studies.labelled.rewording import WordingOutcomes
from judges.studies.labelled.score_gaps import read_totals
from ratings import TIE, outcome_of

#: Methods whose marks stand for totals of six criteria, 6 to 120.
_WITH_TOTALS = ("single", "more", "samre")


def read_verdicts(
    store: Store, evaluation: Evaluation, ballots: Mapping[str, Trial]
) -> Iterator[PairVerdict]:
    """Yield each bench's verdict on each pair on which all of its runs have a valid ballot."""
    ids = [request.ballot_id for request in evaluation.all_requests]
    costs = {} if store.empty() else read_unit_costs(store, ids)
    for bench in evaluation.resolved.benches:
        for pair in evaluation.pairs:
            requests = evaluation.requests[bench.name, pair.item]
            valid = _select_if_all_valid(requests, ballots)
            if valid:
                own = (costs.get(request.ballot_id) for request in requests)
                spent = sum(cost.tokens for cost in own if cost)
                yield _combine_runs(bench, pair, valid, tokens=spent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """One bench's verdict on a pair by another rule than its own, from the same ballots.

    Attributes:
        outcome: the first answer's.
        gap: mean distance of the two answers over ballots and orders, as the rule has it.
    """

    pair: LabelledPair
    outcome: float
    gap: float


def recount_verdicts(
    evaluation: Evaluation,
    ballots: Mapping[str, Trial],
    bench: str,
    rule: Callable[[Sequence[Step]], float | None],
) -> Iterator[Recount]:
    """Yield a bench's verdict by a rule on each pair on which all of its runs are valid.

    Args:
        ballots: by id.
        rule: returns how far Pro is ahead by the steps of one order; `None` where they say nothing,
            which leaves the pair out.
    """
    for pair in evaluation.pairs:
        runs = _select_if_all_valid(evaluation.requests[bench, pair.item], ballots)
        leads = [
            [
                None if (lead := rule(steps)) is None else round(-lead if exchanged else lead, 9)
                for exchanged, steps in steps_by_order(run.trace)
            ]
            for run in runs
        ]
        known = [lead for orders in leads for lead in orders if lead is not None]
        if runs and len(known) == sum(map(len, leads)):
            outcomes = [{outcome_of(lead or 0.0) for lead in orders} for orders in leads]
            decided = [next(iter(both)) if len(both) == 1 else TIE for both in outcomes]
            yield Recount(
                pair=pair,
                outcome=outcome_of(round(sum(outcome - TIE for outcome in decided), 9)),
                gap=fmean(map(abs, known)),
            )


def read_wordings(
    evaluation: Evaluation, ballots: Mapping[str, Trial]
) -> Iterator[WordingOutcomes]:
    """Yield each bench's outcomes on each pair by either wording, where all ballots are valid."""
    for rewording in evaluation.rewordings:
        pair = rewording.pair
        requests = evaluation.requests[rewording.bench, pair.item]
        first = _select_if_all_valid(requests, ballots)
        again = _select_if_all_valid(rewording.again, ballots)
        reworded = _select_if_all_valid(rewording.reworded, ballots)
        if first and again and reworded:
            yield WordingOutcomes(
                bench=rewording.bench,
                question=pair.cluster,
                label=pair.outcome,
                first=_sum_outcomes(first),
                again=_sum_outcomes(again),
                reworded=_sum_outcomes(reworded),
            )


def _combine_runs(
    bench: Bench, pair: LabelledPair, runs: Sequence[Trial], *, tokens: float
) -> PairVerdict:
    """Return a bench's verdict on a pair from the ballots of all runs."""
    flips = [winner_flipped(run.trace) for run in runs]
    gaps = [abs(total(_known(run.pro_mark)) - total(_known(run.con_mark))) for run in runs]
    return PairVerdict(
        bench=bench.name,
        item=pair.item,
        question=pair.cluster,
        category=pair.category,
        label=pair.outcome,
        votes=pair.votes,
        outcome=_sum_outcomes(runs),
        gap=sum(gaps) / len(gaps) if bench.judge in _WITH_TOTALS else float("nan"),
        flips=sum(flip is True for flip in flips),
        orders=sum(flip is not None for flip in flips),
        rounds=tuple(totals for run in runs for totals in read_totals(run.trace)),
        usd=sum(run.cost_usd for run in runs),
        tokens=tokens,
    )


def _select_if_all_valid(
    requests: Sequence[BallotRequest], ballots: Mapping[str, Trial]
) -> list[Trial]:
    """Return the ballots of all runs; none where one of them is missing or failed."""
    stored = [ballots[request.ballot_id] for request in requests if request.ballot_id in ballots]
    valid = [ballot for ballot in stored if ballot.status == "valid"]
    return valid if len(valid) == len(requests) else []


def _sum_outcomes(runs: Sequence[Trial]) -> float:
    """Return the first answer's outcome by the sum of all runs."""
    return outcome_of(round(sum(_known(run.outcome) - TIE for run in runs), 9))


def _known(number: float | None) -> float:
    assert number is not None, "a valid ballot has an overall verdict"
    return number
