"""One debate or one ballot of a debater or judge class, with a simulated model: for its tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from arena.debater import Debater, Seat
from arena.debaters.direct import Direct
from arena.debates.protocol import PlayedDebate, play
from arena.errors import ContentFault
from arena.judge import Hearing, Judge, Judgement
from arena.languages import SIDES, Side, language
from arena.llm.journal import Journal
from arena.llm.model import LanguageModel
from arena.llm.session import CallSession, UnitRecord, run_unit
from arena.search.bm25 import BriefSearch
from arena.search.tool import SideSearch
from arena.tournament.rehearsal import STAND_IN, SimulatedAccess
from motions import Brief

if TYPE_CHECKING:
    from arena.records import Sampling

_MOTION = "Cities should ban private cars from their centres."
_Result = TypeVar("_Result")


async def try_debater(
    debater: type[Debater], *, words: int = 120, **options: object
) -> tuple[PlayedDebate, UnitRecord]:
    """Let a debater debate with itself in English; its calls are answered by a simulated model.

    Args:
        words: length limit of a speech.
        options: of the debater.

    Returns:
        The debate with its speeches, and its calls.

    Raises:
        Exception: what the debater's code raised.
        ContentFault: it forfeited.
    """
    made = debater.Options(**options)

    def work(session: CallSession) -> Awaitable[PlayedDebate]:
        seats = {side: _seat(session, side, debater.sampling, words) for side in SIDES}
        return play({side: debater(seats[side], made) for side in SIDES})

    played, unit = await _run(work)
    for raised in played.errors:
        raise raised.error
    if played.reason:
        raise ContentFault(played.reason)
    return played, unit


async def try_judge(judge: type[Judge], **options: object) -> tuple[Judgement, UnitRecord]:
    """Let a judge judge a short debate in English; the same simulated model answers all calls.

    Returns:
        The judgement, and the judge's calls.
    """
    debate, _ = await try_debater(Direct)
    made = judge(judge.Options(**options))

    def work(session: CallSession) -> Awaitable[Judgement]:
        return made.judge(
            Hearing(
                motion=_MOTION,
                info_slide=language("en").terms["no_slide"],
                language=language("en"),
                speeches=debate.speeches,
                model=LanguageModel(
                    unit=session, model=STAND_IN, sampling=judge.sampling, prefix="run/0/"
                ),
            )
        )

    return await _run(work)


async def _run(work: Callable[[CallSession], Awaitable[_Result]]) -> tuple[_Result, UnitRecord]:
    with TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        session = CallSession(
            unit_id="tryout",
            entropy="tryout",
            access=SimulatedAccess(()),
            journal=journal.open("tryout"),
        )
        return await run_unit(session, journal, work)


def _seat(session: CallSession, side: Side, sampling: Sampling, words: int) -> Seat:
    english = language("en")
    search = BriefSearch(Brief(pro=(), con=()), english)
    return Seat(
        motion=_MOTION,
        info_slide=english.terms["no_slide"],
        side=side,
        language=english,
        words=words,
        model=LanguageModel(unit=session, model=STAND_IN, sampling=sampling, prefix=f"{side}/"),
        search=SideSearch(unit=session, tool=search, side=side),
    )
