"""`agent4debate`: every prompt serves both sides, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.languages import SIDES, STAGES, Side, language, other_side
from arena.llm.request import Request
from tests.making import Answer
from tests.seats import neutral
from tests.team import TeamAtWork, needs, revise

#: Lets every prompt be rendered: a search, a request for material and a revision in each stage.
BUSY: dict[str, Answer] = {
    **{f"{stage}/writer/1": needs("It pays.") for stage in STAGES},
    **{f"{stage}/reviewer/1": revise("More.") for stage in STAGES},
}
SPEAKS_FOR = {
    "en": "You belong to a team that debates for {}. The other team debates for {}.",
    "zh": "你所在的团队在辩论中代表{}，另一支团队代表{}。",
}
SIDE_LINES = {"en": "Your side: {}\nOpponent: {}", "zh": "己方：{}\n对方：{}"}

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


async def requests(folder: Path, side: Side, code: str) -> list[Request]:
    team = await TeamAtWork(BUSY).play(folder, *STAGES, side=side, code=code)
    return team.backend.requests


@in_both_languages
async def test_every_prompt_of_the_team_is_rendered_here(code: str, tmp_path: Path) -> None:
    asked = await requests(tmp_path, "con", code)
    assert {one.task for one in asked} == {
        "search.queries",
        "search.correct",
        "search.compile",
        "write.revise",
        *(f"{agent}.{stage}" for agent in ("analyse", "write", "review") for stage in STAGES),
    }


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
async def test_every_agent_is_told_whom_it_speaks_for(
    side: Side, code: str, tmp_path: Path
) -> None:
    words = language(code).sides
    mine, theirs = words[side], words[other_side(side)]
    for request in await requests(tmp_path, side, code):
        assert SPEAKS_FOR[code].format(mine, theirs) in request.text()
        assert SIDE_LINES[code].format(mine, theirs) in request.text()
        assert SPEAKS_FOR[code].format(theirs, mine) not in request.text()


@in_both_languages
async def test_the_sides_prompts_differ_in_the_sides_words_only(code: str, tmp_path: Path) -> None:
    read = {
        side: [neutral(one, side, code) for one in await requests(tmp_path / side, side, code)]
        for side in SIDES
    }
    assert read["pro"]
    for pro, con in zip(read["pro"], read["con"], strict=True):
        assert pro == con
        assert "mine" in pro
