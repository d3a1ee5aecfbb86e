"""`cot`: one call, thoughts before the speech, and only the speech is delivered."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debaters.cot import ChainOfThought
from arena.errors import EmptyReply
from arena.languages import STAGES
from arena.llm.request import Request
from tests.support.debaters_at_work import AtWork, form


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
