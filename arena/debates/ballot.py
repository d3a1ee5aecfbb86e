"""One ballot, from (debate, speeches, bench, models, journal) to a record.

Executors call `take_ballot`, so nothing in this module touches the store.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, replace
from typing import Any

from arena.debates.code_errors import (
    CodeError,
    describe_error,
    format_fault,
    is_bug,
    leading_error,
)
from arena.debates.pairs import hear_pair, judge_both_orders
from arena.debates.play import Assignment
from arena.errors import PROPAGATED_ERRORS
from arena.judge import Hearing, Judge, Judgement
from arena.languages import language
from arena.languages.language import pair_language, task_text
from arena.llm.calls import Access
from arena.llm.journal import JournalSource
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession, UnitRecord, run_unit
from arena.plugins import make_judge, model_families
from arena.records import Ballot, BallotCall, Bench, Speech, digest
from ratings import CON_WINS, PRO_WINS, TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRecord:
    """A ballot, valid, failed or in error, with the calls that it took.

    Attributes:
        asked: how many times this ballot has been requested, this time included unless it ended
            in an error: then it is taken again from its journal, with the same requests.
        error: of the judge's code, if it ended in one.
    """

    ballot: Ballot
    asked: int
    unit: UnitRecord
    error: CodeError | None = None


async def take_ballot(
    assignment: Assignment,
    speeches: tuple[Speech, ...],
    call: BallotCall,
    *,
    access: Access,
    journal: JournalSource,
) -> BallotRecord:
    """Take one ballot.

    It has the status `failed` where the judge's answer is unusable, and `error` where the judge's
    code raised another exception; its finished calls then stay in the journal.

    Raises:
        InfrastructureFault: the provider failed for good; the ballot stays open.
        BudgetReached: the spending cap is reached; the ballot stays open.
    """
    started = time.monotonic()
    bench, debate_id = call.bench, assignment.debate.debate_id
    ballot_id = digest(debate_id, bench.name, call.run)
    session = CallSession(
        unit_id=ballot_id,
        entropy=digest(assignment.entropy, bench.specification),
        access=access,
        journal=journal.open(ballot_id),
    )

    async def judge(unit: CallSession) -> dict[str, Any]:
        result = await _judge(assignment, speeches, bench, _model(call, unit))
        if not isinstance(result, BaseException):
            return result
        error = describe_error(
            result,
            owner=bench.name,
            code=f"judge {bench.judge}",
            where=f"run {call.run + 1}",
            secrets=access.secrets,
        )
        return {"status": "error", "reason": error.summary, "error": error}

    fields, unit = await run_unit(session, journal, judge)
    error = fields.pop("error", None)
    ballot = Ballot(
        debate_id=debate_id,
        bench=bench.name,
        run=call.run,
        seconds=time.monotonic() - started,
        cost_usd=0.0 if error else unit.cost_usd,  # until it has ended, its journal counts
        swapped=bench.swap and fields["status"] == "valid",
        **fields,
    )
    return BallotRecord(ballot=ballot, asked=call.asked + (not error), unit=unit, error=error)


async def _judge(
    assignment: Assignment, speeches: tuple[Speech, ...], bench: Bench, model: LanguageModel
) -> dict[str, Any] | BaseException:
    """Return the fields of the ballot that the bench's judge decides, or its code's exception."""
    work = _ask_judge(assignment, speeches, bench, model)
    # Gathered, so that a task that the judge cancels is its error and does not end the run.
    result = (await asyncio.gather(work, return_exceptions=True))[0]
    if not isinstance(result, BaseException):
        return result
    error = leading_error(result)
    if isinstance(error, PROPAGATED_ERRORS):
        raise error
    if is_bug(error):
        return error
    return {"status": "failed", "reason": format_fault(error)}


async def _ask_judge(
    assignment: Assignment, speeches: tuple[Speech, ...], bench: Bench, model: LanguageModel
) -> dict[str, Any]:
    judge = make_judge(bench.judge, bench.options)
    hearing = replace(_hearing(assignment, speeches, model), reworded=bench.reworded)
    judgement: Judgement = await (
        judge_both_orders(judge, hearing) if bench.swap else judge.judge(hearing)
    )
    _check_judgement(judgement, judge)
    trace = (*judgement.trace, *model.unit.take_left_out(model.prefix))
    return {
        "status": "valid",
        "rationale": judgement.rationale,
        "verdicts": judgement.verdicts,
        "trace": trace,
    }


def _check_judgement(judgement: Judgement, judge: Judge) -> None:
    """Check that a judge's code kept to its interface: nothing else could be stored or rated.

    Raises:
        TypeError, ValueError: it did not.
    """
    dimensions = [verdict.dimension for verdict in judgement.verdicts]
    if sorted(dimensions) != sorted(judge.dimensions):
        raise ValueError(
            f"the judge gave verdicts on {', '.join(dimensions) or 'nothing'}; its dimensions are "
            f"{', '.join(judge.dimensions)}."
        )
    for verdict in judgement.verdicts:
        if verdict.outcome not in (PRO_WINS, TIE, CON_WINS):
            raise ValueError(f"the outcome {verdict.outcome!r} is not 1, 0.5 or 0.")
    json.dumps(list(judgement.trace))


def _model(call: BallotCall, unit: CallSession) -> LanguageModel:
    attempt = f"again/{call.asked}/" if call.asked else ""
    return LanguageModel(
        unit=unit,
        model=call.bench.model,
        sampling=call.bench.sampling,
        prefix=f"run/{call.run}/{attempt}",
        even_handed=True,
    )


def _hearing(assignment: Assignment, speeches: tuple[Speech, ...], model: LanguageModel) -> Hearing:
    families = model_families(assignment.sides.values())
    wording, debate_language = assignment.wording, language(assignment.debate.language)
    if assignment.pair or assignment.contest == "essay":
        first, second = speeches
        task = task_text(pair_language(debate_language), assignment.contest, wording.text)
        return hear_pair(
            wording.text if assignment.pair else task,
            (first, second),
            language=debate_language,
            model=model,
            background=wording.info_slide,
            families=families,
        )
    return Hearing(
        motion=wording.text,
        info_slide=wording.info_slide,
        language=debate_language,
        speeches=speeches,
        model=model,
        families=families,
        answers=wording.answers,
    )
