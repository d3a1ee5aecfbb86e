"""Playing one debate and taking one ballot: from (what, models, journal) to a record.

The seam for executors: nothing here touches the store.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from arena.debate import ESSAY_SIDE, Played, play
from arena.debater import Debater, Seat
from arena.errors import PASSING, InfrastructureFault, JournalMismatch
from arena.judge import Hearing, Judgement
from arena.languages import SIDES, Contest, Side, Stage, language
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.unit import Access, Unit
from arena.pairs import hear_essays, judge_both_orders
from arena.plugins import debater_class, judge_class
from arena.records import (
    Ballot,
    Bench,
    Call,
    Debate,
    DebateStatus,
    Participant,
    Speech,
    digest,
    kin,
)
from arena.search.tool import SearchTool, SideSearch
from motions import Wording

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A debate with all that is needed to play or to judge it.

    Attributes:
        words: limit of a speech, in words (as `[limits] words` says it).
        seed: the tournament's.
        contest: what is done: a debate, or a question answered.
        handed: what people have handed in for it, by side and stage.
    """

    debate: Debate
    wording: Wording
    sides: Mapping[Side, Participant]
    seed: int
    words: int
    search: SearchTool
    contest: Contest = "debate"
    handed: Mapping[Side, Mapping[Stage, str]] = field(default_factory=dict)

    @property
    def entropy(self) -> str:
        """What sampling seeds are made from: no names, so renaming changes nothing."""
        debate = self.debate
        return digest(
            self.seed,
            debate.motion_id,
            debate.language,
            debate.leg,
            debate.repeat,
            [self.sides[side].specification for side in SIDES],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRecord:
    """What a unit leaves beside its result: its calls, and all requests and answers.

    Attributes:
        exchanges: compressed JSON, see `Unit.exchanges`.
        set_aside: True where an earlier journal did not fit and was put away.
        failed_searches: why searches failed, one entry for each.
    """

    unit_id: str
    calls: tuple[Call, ...]
    exchanges: bytes
    cost_usd: float
    set_aside: bool = False
    failed_searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRecord:
    """A debate that was played, or that could not be."""

    debate: Debate
    status: DebateStatus
    reason: str
    started_at: datetime
    finished_at: datetime
    unit: UnitRecord
    forfeited: str = ""
    speeches: tuple[Speech, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRecord:
    """A ballot that was taken, or failed; `asked` counts how often it was asked for."""

    ballot: Ballot
    asked: int
    unit: UnitRecord


async def play_debate(assignment: Assignment, access: Access, journal: Journal) -> DebateRecord:
    """Play a debate; a provider that fails for good makes it void.

    Raises:
        BudgetReached: the spending cap; what was played stays in the journal.
    """
    started = datetime.now(UTC)

    async def work(unit: Unit) -> Played | InfrastructureFault:
        try:
            return await play(_debaters(assignment, unit), assignment.contest)
        except InfrastructureFault as fault:
            return fault

    played, unit = await _journalled(
        Unit(
            unit_id=assignment.debate.debate_id,
            entropy=assignment.entropy,
            access=access,
            journal=journal.open(assignment.debate.debate_id),
        ),
        journal,
        work,
    )
    record = DebateRecord(
        debate=assignment.debate,
        status="void",
        reason=str(played),
        started_at=started,
        finished_at=datetime.now(UTC),
        unit=unit,
    )
    if isinstance(played, InfrastructureFault):
        return record
    return replace(
        record,
        status=played.status,
        reason=played.reason,
        forfeited=played.forfeited,
        speeches=played.speeches,
    )


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

    async def work(unit: Unit) -> dict[str, Any]:
        try:
            judge, heard = _judge(bench), _hearing(assignment, speeches, _model(call, unit))
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

    found, unit = await _journalled(
        Unit(
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


async def _journalled(
    unit: Unit, journal: Journal, work: Callable[[Unit], Awaitable[_Result]]
) -> tuple[_Result, UnitRecord]:
    try:
        result = await work(unit)
        return result, _record(unit)
    except JournalMismatch:
        unit.journal.set_aside()
    finally:
        unit.journal.close()
    again = Unit(
        unit_id=unit.unit_id,
        entropy=unit.entropy,
        access=unit.access,
        journal=journal.open(unit.unit_id),
    )
    try:
        result = await work(again)
        return result, _record(again, set_aside=True)
    finally:
        again.journal.close()


def _record(unit: Unit, *, set_aside: bool = False) -> UnitRecord:
    return UnitRecord(
        unit_id=unit.unit_id,
        calls=tuple(sorted(unit.calls, key=lambda call: (call.path, call.attempt))),
        exchanges=unit.exchanges(),
        cost_usd=unit.cost_usd,
        set_aside=set_aside,
        failed_searches=tuple(unit.failed_searches),
    )


def _debaters(assignment: Assignment, unit: Unit) -> dict[Side, Debater]:
    debaters: dict[Side, Debater] = {}
    spoken = language(assignment.debate.language)
    for side, participant in assignment.sides.items():
        framework = debater_class(participant.debater)
        seat = Seat(
            motion=assignment.wording.text,
            info_slide=assignment.wording.info_slide or spoken.terms["no_slide"],
            side=ESSAY_SIDE if assignment.contest == "essay" else side,
            language=spoken,
            words=spoken.limit(assignment.words),
            model=LanguageModel(
                unit=unit,
                model=participant.model,
                sampling=participant.sampling,
                prefix=f"{side}/",
            ),
            search=SideSearch(unit=unit, tool=assignment.search, side=side),
            handed=assignment.handed.get(side, {}),
        )
        options = framework.Options.model_validate(dict(participant.options))
        debaters[side] = framework(seat, options)
    return debaters


def _judge(bench: Bench) -> Any:  # noqa: ANN401 - a Judge
    method = judge_class(bench.judge)
    return method(method.Options.model_validate(dict(bench.options)))


def _model(call: BallotCall, unit: Unit) -> LanguageModel:
    again = f"again/{call.asked}/" if call.asked else ""
    return LanguageModel(
        unit=unit,
        model=call.bench.model,
        sampling=call.bench.sampling,
        prefix=f"run/{call.run}/{again}",
    )


def _hearing(assignment: Assignment, speeches: tuple[Speech, ...], model: LanguageModel) -> Hearing:
    families = kin(one.model for one in assignment.sides.values())
    spoken = language(assignment.debate.language)
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
