"""`direct`: one call per speech, with nothing but the debate in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.debater import Debater, Draft, Turn
from arena.debaters.cot import ChainOfThought
from arena.debaters.direct import Direct
from arena.debaters.rerank import Rerank
from arena.debaters.self_consistency import SelfConsistency
from arena.errors import ContentFault
from arena.languages import SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Completion, Request
from tests.support.debate_seats import (
    MOTION,
    ORDER,
    SAMPLING,
    SEEN,
    language_model,
    paths,
    seat,
    seats,
    speeches,
    texts,
)
from tests.support.scripted_backend import Script, ScriptedBackend, completion


def answer(request: Request) -> str:
    return f"Speech of {request.path}."


def direct(backend: ScriptedBackend, folder: Path, side: Side = "pro", code: str = "en") -> Direct:
    return Direct(seat(language_model(backend, folder), side=side, code=code), Direct.Options())


def turn(side: Side, stage: Stage) -> Turn:
    return Turn(stage=stage, disclosed=speeches(SEEN[side, stage]))


@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_a_speech_is_one_call(side: Side, stage: Stage, tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    draft = await direct(backend, tmp_path, side).speak(turn(side, stage))
    assert paths(backend) == [f"{side}/{stage}/writer/1"]
    (request,) = backend.requests
    assert request.task == f"write.{stage}"
    assert request.schema is None
    assert request.sampling == SAMPLING
    assert draft.text == f"Speech of {side}/{stage}/writer/1."
    assert draft.trace == [{"agent": "Writer", "marker": "finished"}]
    assert not draft.known


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("code", "speaks"),
    [("en", "speak for {}; your opponent speaks for {}."), ("zh", "代表{}发言；对手代表{}")],
)
async def test_the_call_says_for_whom_it_speaks(
    side: Side, code: str, speaks: str, tmp_path: Path
) -> None:
    words = language(code).sides
    backend = ScriptedBackend(answer)
    made = direct(backend, tmp_path, side, code)
    for stage in STAGES:
        await made.speak(turn(side, stage))
    for request in backend.requests:
        assert speaks.format(words[side], words[other_side(side)]) in request.text()


QUESTION = Turn(stage="answer", disclosed=())


async def answered(
    framework: type[Debater], script: Script, folder: Path, *, code: str = "en"
) -> tuple[Draft, list[Request]]:
    backend = ScriptedBackend(script)
    seat = seats(backend, folder, code=code)["con"]
    return await framework(seat, framework.Options()).speak(QUESTION), backend.requests


def reply(answer: str) -> str:
    return json.dumps({"reasoning": "Because.", "answer": answer})


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_direct_answers_at_once(tmp_path: Path, code: str) -> None:
    draft, requests = await answered(
        Direct, lambda request: json.dumps({"answer": "96"}), tmp_path, code=code
    )
    assert draft.text == "96"
    (request,) = requests
    assert (request.task, request.path) == ("answer.question", "con/answer/writer/1")
    assert "reasoning" not in request.text()
    assert code == "zh" or MOTION in request.text()


async def test_cot_thinks_first_and_delivers_the_answer_alone(tmp_path: Path) -> None:
    draft, requests = await answered(ChainOfThought, lambda request: reply("96"), tmp_path)
    assert draft.text == "96" and draft.trace[0]["reasoning"] == "Because."
    assert len(requests) == 1 and "reasoning" in requests[0].text()


MARKS = {1: 3, 2: 8, 3: 8, 4: 1}


def sampled(request: Request) -> str:
    """An answer for each number, and marks for all."""
    number = int(request.path.rpartition("/")[2])
    if "/writer/" in request.path:
        return json.dumps({"reasoning": f"Reason {number}.", "answer": f"Answer {number}"})
    marks = [{"draft": one, "reason": "So.", "mark": mark} for one, mark in MARKS.items()]
    return json.dumps({"marks": marks})


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_answer_with_the_highest_mark_is_taken(tmp_path: Path, code: str) -> None:
    draft, requests = await answered(Rerank, sampled, tmp_path, code=code)
    assert draft.text == "Answer 2" and len(requests) == 5
    *samples, rating = requests
    assert len({one.messages for one in samples}) == 1 and len({one.seed for one in samples}) == 4
    assert (rating.task, rating.path) == ("choose.answer", "con/answer/chooser/1")
    terms = language(code).terms
    assert texts(rating, terms["draft"]) == [f"Answer {n}" for n in MARKS]
    assert texts(rating, terms["turn"]) == [f"Reason {n}." for n in MARKS]
    assert not re.search(r"\b(Pro|Con)\b|正方|反方", rating.text())
    assert draft.trace[-2]["marks"] == {str(number): mark for number, mark in MARKS.items()}
    assert draft.trace[-1] == {"agent": "Chooser", "chosen": 2, "of": 4}


async def test_an_answer_that_is_refused_is_left_out_of_the_rating(tmp_path: Path) -> None:
    def some(request: Request) -> str | Completion:
        refused = request.path.endswith("/writer/1")
        return completion("No.", finish="refusal") if refused else sampled(request)

    draft, requests = await answered(Rerank, some, tmp_path)
    assert draft.text == "Answer 2"
    assert [one["fault"] for one in draft.trace if "fault" in one] == ["Refusal"]
    assert texts(requests[-1], "draft") == ["Answer 2", "Answer 3", "Answer 4"]


async def test_marks_that_cannot_be_read_leave_the_first_answer(tmp_path: Path) -> None:
    def unrated(request: Request) -> str:
        return sampled(request) if "/writer/" in request.path else "The second is best."

    draft, _ = await answered(Rerank, unrated, tmp_path)
    assert draft.text == "Answer 1" and draft.trace[-2]["fallback"] == "the first draft"


async def test_the_answer_that_most_samples_give_is_taken(tmp_path: Path) -> None:
    said = {1: "100", 2: "96", 3: "96.0 euros", 4: "100", 5: "96"}

    def script(request: Request) -> str:
        return reply(said[int(request.path.rpartition("/")[2])])

    draft, requests = await answered(SelfConsistency, script, tmp_path)
    assert draft.text == "96" and draft.trace[-1]["votes"] == {"100": 2, "96": 3}
    assert len(requests) == 5 and len({one.seed for one in requests}) == 5


async def test_a_tied_majority_takes_the_answer_that_came_first(tmp_path: Path) -> None:
    said = {1: "9", 2: "8", 3: "8", 4: "9", 5: "7"}

    def script(request: Request) -> str:
        return reply(said[int(request.path.rpartition("/")[2])])

    draft, _ = await answered(SelfConsistency, script, tmp_path)
    assert draft.text == "9"


async def test_samples_that_refuse_are_left_out_and_none_is_a_fault(tmp_path: Path) -> None:
    def some(request: Request) -> str | Completion:
        return reply("4") if request.path.endswith("/3") else completion("No.", finish="refusal")

    draft, _ = await answered(SelfConsistency, some, tmp_path)
    assert draft.text == "4"
    for framework in (SelfConsistency, Rerank):
        with pytest.raises(ContentFault):
            await answered(
                framework,
                lambda request: completion("No.", finish="refusal"),
                tmp_path / framework.__name__,
            )
