"""Speeches that are no side's, or in another language: asked for once more, then a forfeit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.debater import Draft
from arena.debaters.direct import Direct
from arena.debates.protocol import finish_speech, play
from arena.debates.transcript import format_remarks
from arena.errors import BothSides, ContentFault, WrongLanguage
from arena.languages import SIDES, Side, language, other_side
from arena.llm.request import Completion, Request
from arena.records import Reference, Speech
from tests.support.debate_seats import MOTION, language_model, paths, request_at, seat, seats, texts
from tests.support.scripted_backend import ScriptedBackend, completion

ENGLISH = (
    "A shorter week keeps people healthy [1], because rest prevents the errors that tired staff "
    "make; the trials that were run in offices and in workshops found the same output in fewer "
    "hours, and fewer days of sick leave, so nobody loses and most people gain from it."
)
CHINESE = (
    "缩短工作周能让人保持健康[1]，因为休息可以避免疲劳造成的失误；"
    "在办公室和车间进行的试点都发现，工时减少而产量不变，病假也更少，"
    "所以没有人吃亏，大多数人都从中受益，社会也因此更加稳定而富有活力。"
)
BOTH_SIDES = {"en": f"Pro: {ENGLISH}\nCon: {ENGLISH}", "zh": f"正方：{CHINESE}\n反方：{CHINESE}"}
RIGHT = {"en": ENGLISH, "zh": CHINESE}
WRONG: dict[str, dict[str, type[ContentFault]]] = {
    "en": {CHINESE: WrongLanguage, BOTH_SIDES["en"]: BothSides},
    "zh": {ENGLISH: WrongLanguage, BOTH_SIDES["zh"]: BothSides},
}
CASES = [(code, text, fault) for code, texts in WRONG.items() for text, fault in texts.items()]

every_fault = pytest.mark.parametrize(("code", "text", "fault"), CASES)


@every_fault
@pytest.mark.parametrize("side", SIDES)
async def test_a_model_is_told_what_is_wrong_and_asked_once_more(
    code: str, text: str, fault: type[ContentFault], side: Side, tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: RIGHT[code])
    place = seat(language_model(backend, tmp_path), side=side, code=code)
    known = [Reference(number=1, origin="origin", excerpt="excerpt")]
    made = await finish_speech(
        Draft(text=text, known=known, trace=[{"agent": "Writer"}]), place, "summary"
    )
    (request,) = backend.requests
    spoken = language(code)
    assert (request.path, request.task, request.language) == (
        f"{side}/summary/again",
        "write",
        code,
    )
    assert texts(request, spoken.terms["draft"]) == [text]
    assert MOTION in request.text() and spoken.stages["summary"] in request.text()
    assert request.variables["side"] == spoken.sides[side]
    assert request.variables["opponent"] == spoken.sides[other_side(side)]
    letter = spoken.marks[side]
    assert made.text == RIGHT[code].replace("[1]", f"[{letter}1]")
    assert list(made.references) == [replace(known[0], side=side)]
    assert f"[{letter}3]" in request.text(), "an example of a mark to keep"
    assert made.trace == (
        {"agent": "Writer"},
        {"agent": "protocol", "action": "again", "fault": fault.__name__},
        {"agent": "protocol", "action": "letter", "marks": 1},
    )


@every_fault
async def test_each_fault_is_told_in_words_of_its_own(
    code: str, text: str, fault: type[ContentFault], tmp_path: Path
) -> None:
    told = {
        "en": {WrongLanguage: "which is English", BothSides: "speaks for both sides"},
        "zh": {WrongLanguage: "即中文", BothSides: "以双方的名义"},
    }
    backend = ScriptedBackend(lambda request: RIGHT[code])
    await finish_speech(
        Draft(text=text), seat(language_model(backend, tmp_path), code=code), "rebuttal"
    )
    words = backend.requests[0].text()
    assert [one for one, said in told[code].items() if said in words] == [fault]


@every_fault
async def test_who_insists_forfeits_and_the_reason_says_why(
    code: str, text: str, fault: type[ContentFault], tmp_path: Path
) -> None:
    def insisting(request: Request) -> str:
        return text if request.path.startswith("con/rebuttal") else RIGHT[code]

    backend = ScriptedBackend(insisting)
    debaters = {
        side: Direct(place, Direct.Options())
        for side, place in seats(backend, tmp_path, code=code).items()
    }
    played = await play(debaters)
    assert (played.status, played.forfeited, len(played.speeches)) == ("forfeit", "con", 3)
    assert played.reason.startswith(f"con, rebuttal: {fault.__name__}: ")
    assert "The model was asked once to correct its speech" in played.reason
    assert paths(backend)[-2:] == ["con/rebuttal/writer/1", "con/rebuttal/again"]


async def test_a_mended_speech_is_what_the_others_see(tmp_path: Path) -> None:
    def first_wrong(request: Request) -> str:
        return CHINESE if request.path == "pro/rebuttal/writer/1" else ENGLISH

    backend = ScriptedBackend(first_wrong)
    debaters = {
        side: Direct(place, Direct.Options()) for side, place in seats(backend, tmp_path).items()
    }
    played = await play(debaters)
    assert played.status == "finished" and len(backend.requests) == 7
    assert CHINESE[:10] not in request_at(backend, "con/rebuttal/writer/1").text()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (completion("I will not.", finish="refusal"), "Refusal: scripted/model refused (write)"),
        ("  ", "EmptyReply: scripted/model returned an empty answer (write)"),
        (
            BOTH_SIDES["en"],
            "the text contains speeches of both sides. The model was asked once to correct",
        ),
    ],
)
async def test_a_second_answer_of_no_use_forfeits_with_both_reasons(
    answer: str | Completion, words: str, tmp_path: Path
) -> None:
    place = seat(language_model(ScriptedBackend(lambda request: answer), tmp_path))
    with pytest.raises((WrongLanguage, BothSides)) as caught:
        await finish_speech(Draft(text=CHINESE), place, "summary")
    assert words in str(caught.value) and "is not in the language 'en'" in str(caught.value)


async def test_played_again_from_its_journal_it_asks_nothing_anew(tmp_path: Path) -> None:
    made: list[Speech] = []
    for script in (lambda request: ENGLISH, lambda request: pytest.fail("asked anew")):
        place = seat(language_model(ScriptedBackend(script), tmp_path))
        made.append(await finish_speech(Draft(text=CHINESE), place, "constructive"))
    assert made[0] == made[1]


async def test_a_shortened_speech_in_another_language_is_not_taken(tmp_path: Path) -> None:
    place = seat(language_model(ScriptedBackend(lambda request: CHINESE), tmp_path), words=60)
    made = await finish_speech(Draft(text=f"{ENGLISH} {ENGLISH}"), place, "summary")
    assert (made.text, made.trimmed) == (ENGLISH.replace("[1]", "[P1]"), True)


async def test_a_persons_words_and_answers_to_questions_are_taken_as_they_are(
    tmp_path: Path,
) -> None:
    place = seat(language_model(ScriptedBackend(lambda request: pytest.fail("asked")), tmp_path))
    assert (await finish_speech(Draft(text=CHINESE, final=True), place, "summary")).text == CHINESE
    answer = await finish_speech(Draft(text=CHINESE), place, "answer", contest="question")
    assert answer.text == CHINESE


def test_a_reader_is_told() -> None:
    def said(*steps: Mapping[str, object], trimmed: bool = False) -> str:
        return format_remarks(
            Speech(side="pro", stage="summary", text="x", words=1, trimmed=trimmed, trace=steps)
        )

    assert said({"agent": "Writer", "action": "again"}) == ""
    again = {"agent": "protocol", "action": "again", "fault": "WrongLanguage"}
    shorten = {"agent": "protocol", "action": "shorten", "from": 700}
    assert said(again, shorten, trimmed=True) == (
        ", rewritten, because it was in another language, shortened from 700, cut at the limit"
    )
    both = {"agent": "protocol", "action": "again", "fault": "BothSides"}
    assert said(both) == ", rewritten, because it spoke for both sides"
