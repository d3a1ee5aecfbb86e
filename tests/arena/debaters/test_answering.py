"""Debaters that answer questions: what each asks, and what becomes its answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.debater import Debater, Draft, Turn
from arena.debaters.cot import ChainOfThought
from arena.debaters.direct import Direct
from arena.debaters.self_consistency import SelfConsistency
from arena.errors import ContentFault
from arena.llm.backend import Completion, Request
from tests.scripted import Script, ScriptedBackend, completion
from tests.seats import MOTION, seats

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
    with pytest.raises(ContentFault):
        await answered(
            SelfConsistency, lambda request: completion("No.", finish="refusal"), tmp_path / "none"
        )
