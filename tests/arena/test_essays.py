"""The essay contest: both write against the motion, unseen by each other, and are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debate import play
from arena.debater import Debater
from arena.debaters.direct import Direct
from arena.languages import SIDES
from tests.scripted import ScriptedBackend
from tests.seats import language_model, seat


@pytest.mark.parametrize("framework", [Direct])
async def test_both_write_against_the_motion_and_neither_sees_the_other(
    framework: type[Debater], tmp_path: Path
) -> None:
    backend = ScriptedBackend(lambda request: f"Essay of {request.path}.")
    model = language_model(backend, tmp_path)
    writers = {
        side: framework(seat(model.under(f"{side}/"), side="con"), framework.Options())
        for side in SIDES
    }
    played = await play(writers, "essay")
    assert played.status == "finished"
    assert [(one.side, one.stage) for one in played.speeches] == [
        ("pro", "answer"),
        ("con", "answer"),
    ]
    assert {one.variables["side"] for one in backend.requests} == {"Con"}
    assert {one.task for one in backend.requests} == {"write.constructive"}
    assert not any("Essay of" in one.text() for one in backend.requests)
    assert [one.text.split("/")[0] for one in played.speeches] == ["Essay of pro", "Essay of con"]
