"""Taking one ballot: from (debate, speeches, bench, models, journal) to a record.

The seam for executors: nothing here touches the store.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from arena.debates.families import related
from arena.debates.pairs import hear_essays, hear_pair, judge_both_orders
from arena.debates.play import Assignment
from arena.errors import PASSING
from arena.judge import Hearing, Judgement
from arena.languages import language
from arena.llm.calls import Access
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.llm.unit_record import UnitRecord, journalled
from arena.plugins import make_judge
from arena.records import Ballot, Bench, Speech, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRecord:
    """A ballot that was taken, or failed; `asked` counts how often it was asked for."""

    ballot: Ballot
    asked: int
    unit: UnitRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotCall:
    """One run of a bench, and how often it was asked before (a failed ballot is asked again)."""

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
    """Take one ballot; a judge that cannot be understood makes it failed.

    Raises:
        InfrastructureFault: the provider failed for good; the ballot stays open.
        BudgetReached: the spending cap.
    """
    started = time.monotonic()
    debate, bench = assignment.debate, call.bench
    ballot_id = digest(debate.debate_id, bench.name, call.run)

    async def work(unit: CallSession) -> dict[str, Any]:
        try:
            judge = make_judge(bench.judge, bench.options)
            heard = _hearing(assignment, speeches, _model(call, unit))
            heard = replace(heard, reworded=bench.reworded)
            judged: Judgement = await (
                judge_both_orders(judge, heard) if bench.swap else judge.judge(heard)
            )
        except PASSING:
            raise
        except Exception as fault:  # the model's fault, or a bug of the judge
            return {"status": "failed", "reason": f"{type(fault).__name__}: {fault}"}
        return {"status": "valid"} | {
            name: getattr(judged, name) for name in ("rationale", "verdicts", "trace")
        }

    found, unit = await journalled(
        CallSession(
            unit_id=ballot_id,
            entropy=digest(assignment.entropy, bench.specification),
            access=access,
            journal=journal.open(ballot_id),
        ),
        journal,
        work,
    )
    ballot = Ballot(
        debate_id=debate.debate_id,
        bench=bench.name,
        run=call.run,
        seconds=time.monotonic() - started,
        cost_usd=unit.cost_usd,
        swapped=bench.swap and found["status"] == "valid",
        **found,
    )
    return BallotRecord(ballot=ballot, asked=call.asked + 1, unit=unit)


def _model(call: BallotCall, unit: CallSession) -> LanguageModel:
    again = f"again/{call.asked}/" if call.asked else ""
    return LanguageModel(
        unit=unit,
        model=call.bench.model,
        sampling=call.bench.sampling,
        prefix=f"run/{call.run}/{again}",
    )


def _hearing(assignment: Assignment, speeches: tuple[Speech, ...], model: LanguageModel) -> Hearing:
    families = related(assignment.sides.values())
    spoken = language(assignment.debate.language)
    if assignment.pair:
        first, second = speeches
        return hear_pair(
            assignment.wording.text,
            (first, second),
            language=spoken,
            model=model,
            background=assignment.wording.info_slide,
            families=families,
        )
    if assignment.contest == "essay":
        return hear_essays(assignment.wording, speeches, spoken, model=model, families=families)
    return Hearing(
        motion=assignment.wording.text,
        info_slide=assignment.wording.info_slide,
        language=spoken,
        speeches=speeches,
        model=model,
        families=families,
        answers=assignment.wording.answers,
    )
