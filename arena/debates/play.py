"""Playing one debate: from (what, models, journal) to a record.

The seam for executors: nothing here touches the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from arena.debater import Debater, Seat
from arena.debates.protocol import ESSAY_SIDE, ESSAY_STAGE, Played, play
from arena.errors import InfrastructureFault
from arena.languages import ANSWER, SIDES, Contest, Side, Stage, language
from arena.llm.calls import Access
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession
from arena.llm.unit_record import UnitRecord, journalled
from arena.plugins import make_debater
from arena.records import (
    Debate,
    DebateStatus,
    Participant,
    Speech,
    digest,
)
from arena.search.tool import SearchTool, SideSearch
from motions import Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A debate with all that is needed to play or to judge it.

    Attributes:
        words: limit of a speech, in words (as `[limits] words` says it).
        seed: the tournament's.
        contest: what is done: a debate, or a question answered.
        pair: True for two answers from elsewhere to one task, which the wording's text is.
        handed: what people have handed in for it, by side and stage.
    """

    debate: Debate
    wording: Wording
    sides: Mapping[Side, Participant]
    seed: int
    words: int
    search: SearchTool
    contest: Contest = "debate"
    pair: bool = False
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


async def play_debate(assignment: Assignment, access: Access, journal: Journal) -> DebateRecord:
    """Play a debate; a provider that fails for good makes it void.

    Raises:
        BudgetReached: the spending cap; what was played stays in the journal.
    """
    started = datetime.now(UTC)

    async def work(unit: CallSession) -> Played | InfrastructureFault:
        try:
            return await play(_debaters(assignment, unit), assignment.contest)
        except InfrastructureFault as fault:
            return fault

    played, unit = await journalled(
        CallSession(
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


def _debaters(assignment: Assignment, unit: CallSession) -> dict[Side, Debater]:
    debaters: dict[Side, Debater] = {}
    spoken = language(assignment.debate.language)
    for side, participant in assignment.sides.items():
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
            handed=_handed(assignment, side),
        )
        debaters[side] = make_debater(participant.debater, participant.options, seat)
    return debaters


def _handed(assignment: Assignment, side: Side) -> Mapping[Stage, str]:
    """What a person has handed in for a side, by the stage that a debater is asked for."""
    handed = assignment.handed.get(side, {})
    if assignment.contest != "essay" or not handed:
        return handed
    # Stored as an answer; a debater is asked for a constructive (see `arena.debates.protocol`).
    return {ESSAY_STAGE: handed[ANSWER]}
