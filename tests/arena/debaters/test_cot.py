"""`cot`: one call, thoughts before the speech, and only the speech is delivered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.debater import Debater, Turn
from arena.debaters.cot import ChainOfThought
from arena.debaters.self_consistency import SelfConsistency
from arena.errors import EmptyReply
from arena.languages import STAGES
from arena.llm.request import Request
from tests.support.debate_seats import MOTION, language_model, seat
from tests.support.debaters_at_work import AtWork, form
from tests.support.scripted_backend import ScriptedBackend


async def test_a_speech_is_one_call_and_its_thoughts_are_not_delivered(tmp_path: Path) -> None:
    made = await AtWork(ChainOfThought).play(tmp_path, *STAGES)
    for stage in STAGES:
        assert made.calls(stage) == ["writer/1"]
        request = made.at(f"{stage}/writer/1")
        assert request.schema is not None
        fields = list(request.schema.body["properties"])
        assert fields == ["reasoning"] and request.prose, "the speech follows as text"
        assert made.drafts[stage].text == "A reasoned speech."
        thoughts = {"marker": "finished", "reasoning": "First this, then that."}
        assert made.steps(stage, "Writer") == [thoughts]


async def test_thoughts_without_a_speech_are_asked_for_it_once_more(tmp_path: Path) -> None:
    def late(request: Request) -> str:
        thoughts = form(reasoning="Hm.")
        return f"{thoughts}\n\nThe speech." if request.attempt else thoughts

    made = await AtWork(ChainOfThought, {"writer": late}).play(tmp_path, "summary")
    assert made.drafts["summary"].text == "The speech."
    empty = AtWork(ChainOfThought, {"writer": form(reasoning="Hm.")})
    with pytest.raises(EmptyReply):
        await empty.play(tmp_path / "empty", "summary")
    assert len(empty.backend.requests) == 2


def test_the_forecast_is_a_call_a_speech() -> None:
    assert ChainOfThought.forecast(ChainOfThought.Options(), 600).calls == (3, 3, 6)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("framework", "calls"), [(ChainOfThought, 1), (SelfConsistency, 5)])
async def test_the_preset_asks_for_steps_without_a_hint_to_check_the_answer(
    framework: type[Debater], calls: int, code: str, tmp_path: Path
) -> None:
    asked: dict[bool, list[Request]] = {}
    for paper in (False, True):
        backend = ScriptedBackend(lambda _: form(reasoning="So.", answer="4"))
        model = language_model(backend, tmp_path / str(paper))
        options = framework.Options.model_validate({"preset": "paper"} if paper else {})
        draft = await framework(seat(model, code=code), options).speak(
            Turn(stage="answer", disclosed=())
        )
        assert draft.text == "4" and draft.trace[0]["reasoning"] == "So."
        asked[paper] = backend.requests
    for paper, requests in asked.items():
        assert len(requests) == calls
        for request in requests:
            text = request.text()
            assert MOTION in text and re.search("step by step|一步一步", text)
            assert bool(re.search(r"\bcheck|检验", text)) != paper


@pytest.mark.parametrize("framework", [ChainOfThought, SelfConsistency])
def test_a_preset_is_stored_only_where_it_is_set(framework: type[Debater]) -> None:
    plain = framework.Options().model_dump()
    assert "preset" not in plain
    named = framework.Options.model_validate({"preset": "paper"})
    assert named.model_dump() == {**plain, "preset": "paper"}
