"""`cot`: one call, thoughts before the speech, and only the speech is delivered."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debaters.cot import ChainOfThought
from arena.errors import Refusal, UnparseableReply
from arena.languages import STAGES
from tests.making import AtWork, form
from tests.scripted import completion


async def test_a_speech_is_one_call_and_its_thoughts_are_not_delivered(tmp_path: Path) -> None:
    made = await AtWork(ChainOfThought).play(tmp_path, *STAGES)
    for stage in STAGES:
        assert made.calls(stage) == ["writer/1"]
        request = made.at(f"{stage}/writer/1")
        assert request.schema is not None
        fields = list(request.schema.body["properties"])
        assert fields == ["reasoning", "speech"], "the thoughts come first"
        assert made.drafts[stage].text == "A reasoned speech."
        assert made.steps(stage, "Writer") == [{"marker": "finished", "thought": 4}]


async def test_what_cannot_be_understood_is_asked_once_more(tmp_path: Path) -> None:
    made = AtWork(ChainOfThought, {"writer": "Step by step, then."})
    with pytest.raises(UnparseableReply):
        await made.play(tmp_path, "summary")
    assert len(made.backend.requests) == 2
    empty = AtWork(ChainOfThought, {"writer": form(reasoning="Hm.", speech="  ")})
    with pytest.raises(UnparseableReply):
        await empty.play(tmp_path / "empty", "summary")


async def test_a_refusal_is_a_refusal(tmp_path: Path) -> None:
    made = AtWork(ChainOfThought, {"writer": completion("No.", finish="refusal")})
    with pytest.raises(Refusal):
        await made.play(tmp_path, "summary")


def test_the_forecast_is_a_call_a_speech() -> None:
    assert ChainOfThought.forecast(ChainOfThought.Options(), 600).calls == (3, 3, 6)
