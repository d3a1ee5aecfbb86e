"""One ballot, from (debate, speeches, bench, models, journal) to a record.

Executors call `take_ballot`, so nothing in this module touches the store.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from arena.debates.families import model_families
from arena.debates.pairs import hear_essays, hear_pair, judge_both_orders
from arena.debates.play import Assignment
from arena.errors import PROPAGATED_ERRORS
from arena.judge import Hearing, Judgement
from arena.languages import language
from arena.llm.calls import Access
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.llm.unit_record import UnitRecord, run_unit
from arena.plugins import make_judge
from arena.records import Ballot, Bench, Speech, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRecord:
    """A ballot, valid or failed, with the calls that it took.

    Attributes:
        asked: how many times this ballot has been requested, this time included.
    """

    ballot: Ballot
    asked: int
    unit: UnitRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCall:
    """A request for one run of a bench.

    Attributes:
        run: number of the run, from 0.
        asked: how many times the ballot was requested before; a failed ballot is asked again.
    """

    bench: Bench
    run: int
    asked: int = 0


async def take_ballot(
    assignment: Assignment,
    speeches: tuple[Speech, ...],
    call: BallotCall,
    *,
    access: Access,
    journal: Journal,
) -> BallotRecord:
    """Take one ballot; it has the status `failed` where the judge's answer is unusable.

    Raises:
        InfrastructureFault: the provider failed for good; the ballot stays open.
        BudgetReached: the spending cap is reached; the ballot stays open.
    """
    started = time.monotonic()
    bench = call.bench

    async def judge(unit: CallSession) -> dict[str, Any]:
        return await _judge(assignment, speeches, bench, _model(call, unit))

    session = _open_session(assignment, call, access, journal)
    fields, unit = await run_unit(session, journal, judge)
    ballot = Ballot(
        debate_id=assignment.debate.debate_id,
        bench=bench.name,
        run=call.run,
        seconds=time.monotonic() - started,
        cost_usd=unit.cost_usd,
        swapped=bench.swap and fields["status"] == "valid",
        **fields,
    )
    return BallotRecord(ballot=ballot, asked=call.asked + 1, unit=unit)


def _open_session(
    assignment: Assignment, call: BallotCall, access: Access, journal: Journal
) -> CallSession:
    ballot_id = digest(assignment.debate.debate_id, call.bench.name, call.run)
    return CallSession(
        unit_id=ballot_id,
        entropy=digest(assignment.entropy, call.bench.specification),
        access=access,
        journal=journal.open(ballot_id),
    )


async def _judge(
    assignment: Assignment, speeches: tuple[Speech, ...], bench: Bench, model: LanguageModel
) -> dict[str, Any]:
    """Return the fields of the ballot that the bench's judge decides."""
    try:
        judge = make_judge(bench.judge, bench.options)
        hearing = replace(_hearing(assignment, speeches, model), reworded=bench.reworded)
        judgement: Judgement = await (
            judge_both_orders(judge, hearing) if bench.swap else judge.judge(hearing)
        )
    except PROPAGATED_ERRORS:
        raise
    except Exception as fault:  # the model's fault, or a bug of the judge
        return {"status": "failed", "reason": f"{type(fault).__name__}: {fault}"}
    return {"status": "valid"} | {
        name: getattr(judgement, name) for name in ("rationale", "verdicts", "trace")
    }


def _model(call: BallotCall, unit: CallSession) -> LanguageModel:
    attempt = f"again/{call.asked}/" if call.asked else ""
    return LanguageModel(
        unit=unit,
        model=call.bench.model,
        sampling=call.bench.sampling,
        prefix=f"run/{call.run}/{attempt}",
    )


def _hearing(assignment: Assignment, speeches: tuple[Speech, ...], model: LanguageModel) -> Hearing:
    families = model_families(assignment.sides.values())
    debate_language = language(assignment.debate.language)
    if assignment.pair:
        first, second = speeches
        return hear_pair(
            assignment.wording.text,
            (first, second),
            language=debate_language,
            model=model,
            background=assignment.wording.info_slide,
            families=families,
        )
    if assignment.contest == "essay":
        return hear_essays(
            assignment.wording, speeches, debate_language, model=model, families=families
        )
    return Hearing(
        motion=assignment.wording.text,
        info_slide=assignment.wording.info_slide,
        language=debate_language,
        speeches=speeches,
        model=model,
        families=families,
        answers=assignment.wording.answers,
    )
