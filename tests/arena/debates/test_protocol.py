"""The protocol of a debate: who speaks when, what each may see, and how it ends early."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.debater import Debater, Draft, NoOptions, Seat, Turn
from arena.debaters.agent4debate import Agent4Debate
from arena.debaters.direct import Direct
from arena.debates.protocol import play
from arena.errors import (
    BudgetReached,
    EmptyReply,
    InfrastructureFault,
    JournalMismatch,
    PromptTooLong,
    ProviderRejected,
    Refusal,
    SpeechAwaited,
)
from arena.languages import SIDES, Side, Stage
from arena.llm.request import Completion, Request
from tests.support.agent4debate_script import Team
from tests.support.case_lists import for_every
from tests.support.debate_seats import ORDER, SEEN, paths, quoted, seats
from tests.support.scripted_backend import Script, ScriptedBackend, completion


class Speaker(Debater):
    """Says its side and stage, or does what a test wrote down; remembers what it was shown."""

    def __init__(self, seat: Seat, faults: Mapping[Stage, BaseException] | None = None) -> None:
        super().__init__(seat, NoOptions())
        self.faults = faults or {}
        self.turns: list[Turn] = []

    async def speak(self, turn: Turn) -> Draft:
        self.turns.append(turn)
        await asyncio.sleep(0)
        if turn.stage in self.faults:
            raise self.faults[turn.stage]
        return Draft(text=f"{self.seat.side} {turn.stage}", trace=[{"agent": "Speaker"}])


class Waiting(Speaker):
    """Speaks only when its opponent is speaking too."""

    def __init__(self, seat: Seat, together: asyncio.Barrier) -> None:
        super().__init__(seat)
        self.together = together

    async def speak(self, turn: Turn) -> Draft:
        if turn.stage == "constructive":
            async with asyncio.timeout(5):
                await self.together.wait()
        return await super().speak(turn)


class Slow(Speaker):
    """Speaks when its opponent has long been done."""

    async def speak(self, turn: Turn) -> Draft:
        for _ in range(5):
            await asyncio.sleep(0)
        return await super().speak(turn)


def silent(request: Request) -> str:
    raise AssertionError(f"nobody is to be asked: {request.path}")


def speakers(folder: Path, **faults: Mapping[Stage, BaseException]) -> dict[Side, Speaker]:
    both = seats(ScriptedBackend(silent), folder)
    return {side: Speaker(both[side], faults.get(side)) for side in SIDES}


def teams(
    framework: type[Debater], backend: ScriptedBackend, folder: Path, code: str = "en"
) -> dict[Side, Debater]:
    both = seats(backend, folder, code=code)
    return {side: framework(both[side], framework.Options()) for side in SIDES}


def script(framework: type[Debater]) -> Script:
    if framework is Agent4Debate:
        return Team()
    return lambda request: f"Speech of {request.path}."


async def test_six_speeches_in_the_order_of_the_record(tmp_path: Path) -> None:
    played = await play(speakers(tmp_path))
    assert played.status == "finished"
    assert (played.reason, played.forfeited) == ("", "")
    assert [(speech.side, speech.stage) for speech in played.speeches] == list(ORDER)
    assert [speech.text for speech in played.speeches] == [
        f"{side} {stage}" for side, stage in ORDER
    ]
    assert all(speech.trace == ({"agent": "Speaker"},) for speech in played.speeches)


async def test_each_turn_discloses_what_the_rules_say(tmp_path: Path) -> None:
    both = speakers(tmp_path)
    played = await play(both)
    for side, speaker in both.items():
        assert [turn.stage for turn in speaker.turns] == ["constructive", "rebuttal", "summary"]
        for turn in speaker.turns:
            assert tuple(turn.disclosed) == played.speeches[: SEEN[side, turn.stage]]


async def test_both_constructives_are_made_at_the_same_time(tmp_path: Path) -> None:
    both = seats(ScriptedBackend(silent), tmp_path)
    together = asyncio.Barrier(2)
    played = await play({side: Waiting(both[side], together) for side in SIDES})
    assert played.status == "finished", played.reason


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_request_shows_the_speeches_disclosed_and_no_other(
    code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(script(Direct))
    debaters = teams(Direct, backend, tmp_path, code)
    played = await play(debaters)
    language = debaters["pro"].seat.language
    for request in backend.requests:
        side, stage = next(key for key in ORDER if request.path.startswith("/".join(key)))
        seen = SEEN[side, stage]
        shown = quoted(request, language.terms["speech"])
        disclosed = played.speeches[:seen]
        assert [quotation.text for quotation in shown] == [speech.text for speech in disclosed]
        assert [quotation.words for quotation in shown] == [
            (language.sides[speech.side], language.stages[speech.stage]) for speech in disclosed
        ]


@pytest.mark.parametrize(
    ("side", "stage", "messages"),
    [
        ("pro", "constructive", ["con constructive"]),
        ("con", "constructive", ["pro constructive"]),
        ("pro", "rebuttal", ["pro constructive", "con constructive"]),
        ("con", "rebuttal", ["pro constructive", "con constructive", "pro rebuttal"]),
    ],
)
async def test_a_fault_of_a_participant_forfeits(
    side: Side, stage: Stage, messages: list[str], tmp_path: Path
) -> None:
    both = speakers(tmp_path, **{side: {stage: Refusal("I would rather not.")}})
    played = await play(both)
    assert played.status == "forfeit"
    assert played.forfeited == side
    assert played.reason == f"{side}, {stage}: Refusal: I would rather not."
    assert [speech.text for speech in played.speeches] == messages


async def test_a_prompt_that_is_too_long_forfeits_nothing(tmp_path: Path) -> None:
    both = speakers(tmp_path, pro={"rebuttal": PromptTooLong("m/m reads 100 tokens.")})
    with pytest.raises(ProviderRejected, match="m/m reads 100 tokens") as caught:
        await play(both)
    assert caught.value.remedy is None, "its other debates go on"


async def test_a_forfeit_ends_the_debate(tmp_path: Path) -> None:
    both = speakers(tmp_path, pro={"rebuttal": EmptyReply("nothing")})
    await play(both)
    assert [turn.stage for turn in both["con"].turns] == ["constructive"]


async def test_two_faults_at_once_are_both_named(tmp_path: Path) -> None:
    fault: dict[Stage, BaseException] = {"constructive": Refusal("No.")}
    played = await play(speakers(tmp_path, pro=fault, con={"constructive": EmptyReply("Nothing.")}))
    assert (
        played.reason == "pro, constructive: Refusal: No.; con, constructive: EmptyReply: Nothing."
    )
    assert played.forfeited == "both"
    assert played.speeches == ()


async def test_a_bug_of_a_debater_is_no_result(tmp_path: Path) -> None:
    bug = ZeroDivisionError("by zero")
    played = await play(speakers(tmp_path, con={"summary": bug}))
    assert (played.status, played.forfeited) == ("error", "")
    (raised,) = played.errors
    assert (raised.side, raised.stage, raised.error) == ("con", "summary", bug)
    assert len(played.speeches) == 4


@pytest.mark.parametrize(
    "other", [KeyError("x"), Refusal("No."), SpeechAwaited("not yet")], ids=repr
)
async def test_a_bug_outweighs_whatever_the_other_side_does(
    other: Exception, tmp_path: Path
) -> None:
    faults: dict[str, Mapping[Stage, BaseException]] = {
        "pro": {"constructive": KeyError("draft")},
        "con": {"constructive": other},
    }
    played = await play(speakers(tmp_path, **faults))
    assert (played.status, played.forfeited, played.speeches) == ("error", "", ())
    assert [error.side for error in played.errors] == ["pro", "con"][
        : 1 + isinstance(other, KeyError)
    ]


@pytest.mark.parametrize(
    ("errors", "status"),
    [
        ([Refusal("No."), EmptyReply("nothing")], "forfeit"),
        ([Refusal("No."), KeyError("x")], "error"),
        ([ExceptionGroup("inner", [KeyError("x")]), Refusal("No.")], "error"),
    ],
)
async def test_the_errors_of_a_task_group_count_one_by_one(
    errors: list[Exception], status: str, tmp_path: Path
) -> None:
    group = ExceptionGroup("unhandled errors in a TaskGroup", errors)
    assert (await play(speakers(tmp_path, pro={"rebuttal": group}))).status == status
    passed = ExceptionGroup("unhandled errors in a TaskGroup", [*errors, BudgetReached("spent")])
    with pytest.raises(BudgetReached):
        await play(speakers(tmp_path, pro={"rebuttal": passed}))


async def test_a_task_that_a_debater_cancels_is_its_bug(tmp_path: Path) -> None:
    played = await play(speakers(tmp_path, pro={"rebuttal": asyncio.CancelledError()}))
    assert played.status == "error"


@pytest.mark.parametrize("draft", [None, Draft(text="Said.", trace=[{"agent": {"a set"}}])])
async def test_a_draft_that_cannot_be_stored_is_a_bug(draft: Draft | None, tmp_path: Path) -> None:
    class Careless(Speaker):
        async def speak(self, turn: Turn) -> Draft:
            return draft  # type: ignore[return-value]

    both = speakers(tmp_path)
    played = await play({"pro": Careless(both["pro"].seat), "con": both["con"]})
    assert [error.side for error in played.errors] == ["pro"]


REFUSED = completion("I cannot help with that.", finish="refusal")


@pytest.mark.parametrize(
    ("framework", "answer", "reason"),
    [
        (Direct, REFUSED, "Refusal: scripted/model refused (write.rebuttal): I cannot help"),
        (Direct, " \n", "EmptyReply: scripted/model returned an empty answer (write.rebuttal)"),
        (Direct, completion("<think>cut", finish="length"), "TruncatedReply: "),
        (Agent4Debate, REFUSED, "Refusal: scripted/model refused (write.rebuttal)"),
        (Agent4Debate, "", "EmptyReply: scripted/model returned an empty answer (write.rebuttal)"),
    ],
)
async def test_an_answer_that_is_none_forfeits(
    framework: type[Debater], answer: str | Completion, reason: str, tmp_path: Path
) -> None:
    usual = script(framework)

    def spoilt(request: Request) -> str | Completion:
        return answer if request.path.startswith("con/rebuttal/writer/") else usual(request)

    backend = ScriptedBackend(spoilt)
    played = await play(teams(framework, backend, tmp_path))
    assert played.status == "forfeit"
    assert played.reason.startswith(f"con, rebuttal: {reason}")
    assert len(played.speeches) == 3
    assert not [path for path in paths(backend) if "summary" in path]


PASSED_ON = [
    InfrastructureFault("down"),
    ProviderRejected("no such model"),
    BudgetReached("spent"),
    JournalMismatch("another request"),
]


@for_every(PASSED_ON, SIDES, [None, Refusal("No."), RuntimeError("crash")])
async def test_what_no_participant_is_to_blame_for_is_raised(
    fault: Exception, side: Side, other: Exception | None, tmp_path: Path
) -> None:
    opponent: Side = "con" if side == "pro" else "pro"
    faults: dict[str, Mapping[Stage, BaseException]] = {side: {"constructive": fault}}
    if other is not None:
        faults[opponent] = {"constructive": other}
    with pytest.raises(type(fault), match=str(fault)):
        await play(speakers(tmp_path, **faults))


@for_every(PASSED_ON)
async def test_the_same_holds_in_a_round_of_one(fault: Exception, tmp_path: Path) -> None:
    with pytest.raises(type(fault), match=str(fault)):
        await play(speakers(tmp_path, pro={"summary": fault}))


async def test_the_speech_beside_an_error_is_finished(tmp_path: Path) -> None:
    for error in (KeyError("draft"), BudgetReached("spent")):
        both = speakers(tmp_path, pro={"constructive": error})
        slow = Slow(both["con"].seat)
        if isinstance(error, KeyError):
            assert (await play({"pro": both["pro"], "con": slow})).status == "error"
        else:
            with pytest.raises(BudgetReached):
                await play({"pro": both["pro"], "con": slow})
        assert [turn.stage for turn in slow.turns] == ["constructive"]
        assert len(asyncio.all_tasks()) == 1


async def test_a_person_who_has_not_spoken_makes_the_debate_wait(tmp_path: Path) -> None:
    both = speakers(tmp_path, con={"rebuttal": SpeechAwaited("not yet")})
    played = await play(both)
    assert (played.status, played.reason) == (
        "waiting",
        "con, rebuttal: waiting for a person to submit the speech",
    )
    assert [(speech.side, speech.stage) for speech in played.speeches] == list(ORDER[:3])


async def test_what_was_said_beside_a_missing_constructive_is_not_disclosed(
    tmp_path: Path,
) -> None:
    both = speakers(tmp_path, pro={"constructive": SpeechAwaited("not yet")})
    played = await play(both)
    assert (played.status, played.speeches) == ("waiting", ())
    both = speakers(
        tmp_path,
        pro={"constructive": SpeechAwaited("not yet")},
        con={"constructive": EmptyReply("nothing")},
    )
    assert (await play(both)).forfeited == "con", "a forfeit waits for nobody"
