"""One debate played, from (assignment, models, journal) to a record.

Executors call `play_debate`, so nothing in this module touches the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from arena.debater import Debater, Seat, Submission
from arena.debates.code_errors import CodeError, RaisedError, describe_error
from arena.debates.protocol import ESSAY_SIDE, ESSAY_STAGE, PlayedDebate, play
from arena.errors import PROPAGATED_ERRORS, InfrastructureFault, ProviderRejected
from arena.languages import ANSWER, SIDES, Contest, Side, Stage, language
from arena.llm.calls import Access
from arena.llm.journal import JournalSource
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession, UnitRecord, run_unit
from arena.plugins import make_debater
from arena.records import Debate, DebateStatus, Participant, Speech, digest
from arena.search.tool import SearchTool, SideSearch
from motions import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A planned debate with everything that is needed to play or to judge it.

    Attributes:
        words: word limit of a speech, as configured in `[limits] words`.
        contest: kind of contest: debate, essay or question.
        pair: True for two existing answers to one task; the wording's text is then the task.
        handed: speeches that people have handed in or missed, by side and stage.
    """

    debate: Debate
    wording: Wording
    sides: Mapping[Side, Participant]
    seed: int
    words: int
    search: SearchTool
    contest: Contest = "debate"
    pair: bool = False
    handed: Mapping[Side, Mapping[Stage, Submission]] = field(default_factory=dict)

    @property
    def entropy(self) -> str:
        """Hash that sampling seeds derive from; it leaves out names, so renaming is harmless."""
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
class DebateRecord:
    """The result of playing a debate.

    Attributes:
        reason: why the debate is not finished, empty where it is.
        forfeited: the side (or `both`) that forfeited, empty where none did.
        errors: of the debaters' code, at most one per side; empty unless the status is `error`.
        awaited: the speeches of people that the debate waits for; empty unless it does.
    """

    debate: Debate
    status: DebateStatus
    reason: str
    started_at: datetime
    finished_at: datetime
    unit: UnitRecord
    forfeited: str = ""
    speeches: tuple[Speech, ...] = ()
    errors: tuple[CodeError, ...] = ()
    awaited: tuple[tuple[Side, Stage], ...] = ()

    @property
    def traceback(self) -> str:
        """The tracebacks of its errors; of several, each under its heading."""
        if len(self.errors) == 1:
            return self.errors[0].traceback
        return "\n".join(f"{error.where}:\n{error.traceback}" for error in self.errors)


async def play_debate(
    assignment: Assignment, access: Access, journal: JournalSource
) -> DebateRecord:
    """Play a debate.

    It is void where a provider fails for good, and an error where a debater's code has a bug.

    Raises:
        BudgetReached: the spending cap is reached; finished calls stay in the journal.
        ProviderRejected: a person must mend something first; finished calls stay in the journal.
    """
    started = datetime.now(UTC)

    async def play_or_fail(unit: CallSession) -> PlayedDebate | InfrastructureFault:
        try:
            debaters = _create_debaters(assignment, unit)
            if isinstance(debaters, PlayedDebate):
                return debaters
            return await play(debaters, assignment.contest)
        except InfrastructureFault as fault:
            if isinstance(fault, ProviderRejected) and fault.remedy:
                raise
            return fault

    session = CallSession(
        unit_id=assignment.debate.debate_id,
        entropy=assignment.entropy,
        access=access,
        journal=journal.open(assignment.debate.debate_id),
        payers={"pro": assignment.debate.pro, "con": assignment.debate.con},
    )
    played, unit = await run_unit(session, journal, play_or_fail)
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
    errors = tuple(_describe(raised, assignment, access) for raised in played.errors)
    return replace(
        record,
        status=played.status,
        reason=played.reason or "; ".join(f"{error.where}: {error.summary}" for error in errors),
        forfeited=played.forfeited,
        speeches=played.speeches,
        errors=errors,
        awaited=played.awaited,
    )


def _create_debaters(
    assignment: Assignment, unit: CallSession
) -> dict[Side, Debater] | PlayedDebate:
    """Make both debaters; return how the debate ended where the code of one raised an exception."""
    debaters: dict[Side, Debater] = {}
    errors: list[RaisedError] = []
    for side, participant in assignment.sides.items():
        seat = _create_seat(assignment, unit, side)
        try:
            debaters[side] = make_debater(participant.debater, participant.options, seat)
        except PROPAGATED_ERRORS:
            raise
        except Exception as error:  # noqa: BLE001 - a debater's code may raise anything
            errors.append(RaisedError(side=side, stage=None, error=error))
    return PlayedDebate(status="error", speeches=(), errors=tuple(errors)) if errors else debaters


def _describe(raised: RaisedError, assignment: Assignment, access: Access) -> CodeError:
    participant = assignment.sides[raised.side]
    return describe_error(
        raised.error,
        owner=participant.name,
        code=f"debater {participant.debater}",
        side=raised.side,
        where=f"{raised.side}, {raised.stage or 'before the first speech'}",
        secrets=access.secrets,
    )


def _create_seat(assignment: Assignment, unit: CallSession, side: Side) -> Seat:
    participant = assignment.sides[side]
    debate_language = language(assignment.debate.language)
    is_essay = assignment.contest == "essay"
    handed = assignment.handed.get(side, {})
    if is_essay and handed:
        # Stored as an answer; a debater is asked for a constructive (see `arena.debates.protocol`).
        handed = {ESSAY_STAGE: handed[ANSWER]}
    return Seat(
        motion=assignment.wording.text,
        info_slide=assignment.wording.info_slide or debate_language.terms["no_slide"],
        side=ESSAY_SIDE if is_essay else side,
        language=debate_language,
        words=debate_language.limit(assignment.words),
        model=LanguageModel(
            unit=unit,
            model=participant.model,
            sampling=participant.sampling,
            prefix=f"{side}/",
        ),
        search=SideSearch(unit=unit, tool=assignment.search, side=side),
        handed=handed,
        contest=assignment.contest,
    )
