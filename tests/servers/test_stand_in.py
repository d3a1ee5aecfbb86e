"""Debates and ballots over HTTP: a competent model whose answers are out of shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.languages import LANGUAGES
from arena.simulator import OfflineBackend
from benchmarks.deformations import judge, make_backend, play, some_motion, uneven_debate
from benchmarks.deforming import DEFORMATIONS
from tests.servers.stand_in import StandIn

pytestmark = pytest.mark.slow  # real servers, or packages that are installed


@pytest.mark.parametrize("kind", DEFORMATIONS)
async def test_a_debate_is_finished_and_judged_under_every_deformation(
    kind: str, tmp_path: Path
) -> None:
    stand_in = StandIn(model=make_backend(kind, "en", always=True))
    async with stand_in.connect():
        outcome = await play("self_reflect", stand_in, "en", tmp_path / "debate")
        ballot = await judge("single", stand_in, "en", outcome.speeches, tmp_path / "ballot")
    assert outcome.status == "finished", outcome.reason
    assert ballot.status == ("failed" if kind == "cut tail" else "valid"), ballot.reason
    assert len(stand_in.sent) > 12


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", ["direct", "agent4debate", "self_reflect", "mad"])
async def test_a_server_that_keeps_to_schemas_is_asked_for_them(
    name: str, code: str, tmp_path: Path
) -> None:
    model = OfflineBackend([some_motion(code)])
    stand_in = StandIn(model=model, keeps_to_schemas=True)
    async with stand_in.connect():
        outcome = await play(name, stand_in, code, tmp_path)
    assert outcome.status == "finished", outcome.reason
    assert outcome.unreadable == 0
    formats = {
        body["response_format"]["type"] for body in stand_in.sent if "response_format" in body
    }
    # `direct` asks for text alone; `mad` for short objects that texts follow.
    assert formats == ({"json_schema"} if name in ("agent4debate", "self_reflect") else set())


@pytest.mark.parametrize("name", ["debatrix", "single", "samre"])
async def test_as_a_judge_it_is_asked_for_them_too(name: str, tmp_path: Path) -> None:
    speeches = await uneven_debate("en", tmp_path / "debate")
    stand_in = StandIn(model=OfflineBackend([some_motion("en")]), keeps_to_schemas=True)
    async with stand_in.connect():
        ballot = await judge(name, stand_in, "en", speeches, tmp_path / "ballot")
    assert (ballot.status, ballot.unreadable) == ("valid", 0), ballot.reason
