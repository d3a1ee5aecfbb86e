"""`agent4debate`: its caps, its ablations, what it says that it will take, and its sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.debaters.agent4debate import Agent4Debate, Options
from arena.languages import SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Request
from tests.support.agent4debate_script import (
    TeamAtWork,
    asks_whenever_it_may,
    may_ask,
    needs,
    queries,
    revise,
    turns,
)
from tests.support.debate_seats import Shelf
from tests.support.debaters_at_work import Answer

RESTLESS: dict[str, Answer] = {"write": asks_whenever_it_may, "review": revise("More.")}


def count(calls: list[str], agent: str) -> int:
    return sum(call.startswith(f"{agent}/") for call in calls)


def caps(team: TeamAtWork, stage: Stage) -> list[str]:
    return [step["cap"] for step in team.drafts[stage].trace if step["agent"] == "protocol"]


def written(team: TeamAtWork, stage: Stage) -> list[Request]:
    return [one for one in team.backend.requests if f"/{stage}/writer/" in one.path]


def markers(request: Request) -> set[str]:
    """The markers that the schema of a request offers."""
    assert request.schema is not None
    assert request.schema.text() in request.text()
    field: dict[str, Any] = json.loads(request.schema.text())["properties"]["marker"]
    return set(field.get("enum", [field.get("const")]))


async def test_a_last_review_that_accepts_reaches_no_cap(tmp_path: Path) -> None:
    answers = {f"rebuttal/reviewer/{n}": revise("More.") for n in (1, 2)}
    team = await TeamAtWork(answers).play(tmp_path, "rebuttal")
    assert count(team.calls("rebuttal"), "reviewer") == 3
    assert count(team.calls("rebuttal"), "writer") == 3
    assert caps(team, "rebuttal") == []


async def test_the_reviewer_is_told_which_round_it_is_in(tmp_path: Path) -> None:
    team = await TeamAtWork({"review": revise("More.")}).play(tmp_path, "summary")
    for number in (1, 2, 3):
        said = f"This is review {number} of at most 3."
        assert said in team.at(f"summary/reviewer/{number}").text()


async def test_the_cap_on_searches_holds_for_the_whole_speech(tmp_path: Path) -> None:
    team = await TeamAtWork(RESTLESS).play(tmp_path, "rebuttal")
    assert [may_ask(one) for one in written(team, "rebuttal")] == [True] * 3 + [False] * 4
    assert caps(team, "rebuttal") == ["max_searches", "max_revisions"]


@pytest.mark.parametrize("revisions", [0, 1, 3, 5])
async def test_a_reviewer_who_never_accepts_gets_as_many_drafts_as_the_cap_allows(
    revisions: int, tmp_path: Path
) -> None:
    options = Options(max_revisions=revisions)
    team = await TeamAtWork({"review": revise("More.")}, options=options).play(tmp_path, "summary")
    assert count(team.calls("summary"), "writer") == revisions + 1
    assert count(team.calls("summary"), "reviewer") == revisions
    assert team.drafts["summary"].text == f"Draft of pro/summary/writer/{revisions + 1}."
    assert caps(team, "summary") == ["max_revisions"]


@pytest.mark.parametrize("searches", [0, 1, 3, 5])
async def test_a_writer_who_always_asks_is_offered_it_as_often_as_the_cap_allows(
    searches: int, tmp_path: Path
) -> None:
    options = Options(max_searches=searches)
    team = TeamAtWork({"write": asks_whenever_it_may}, options=options)
    await team.play(tmp_path, "summary")
    offered = [may_ask(one) for one in written(team, "summary")]
    assert offered == [True] * searches + [False]
    assert count(team.calls("summary"), "searcher") == 3 * searches
    assert caps(team, "summary") == ["max_searches"][: bool(searches)]


async def test_both_agents_have_both_markers_while_they_may(tmp_path: Path) -> None:
    team = await TeamAtWork().play(tmp_path, "rebuttal")
    assert markers(team.at("rebuttal/writer/1")) == {"finished", "needs_material"}
    assert markers(team.at("rebuttal/reviewer/1")) == {"accept", "revise"}


async def test_without_searcher_nobody_searches_or_can_ask(tmp_path: Path) -> None:
    options = Options(searcher=False)
    team = await TeamAtWork(RESTLESS, options=options).play(tmp_path, *STAGES)
    for stage in STAGES:
        assert caps(team, stage) == ["max_revisions"]
        assert {marker for one in written(team, stage) for marker in markers(one)} == {"finished"}
        assert not any(may_ask(one) for one in written(team, stage))


async def test_without_analyzer_the_writer_starts_from_the_material(tmp_path: Path) -> None:
    team = await TeamAtWork(options=Options(analyzer=False)).play(tmp_path, "constructive")
    assert [agent for agent, _ in turns(team.at("constructive/writer/1"))] == ["Searcher"]


async def test_without_any_of_them_a_speech_is_one_call(tmp_path: Path) -> None:
    options = Options(searcher=False, analyzer=False, reviewer=False)
    team = await TeamAtWork(RESTLESS, options=options).play(tmp_path, *STAGES)
    assert [team.calls(stage) for stage in STAGES] == [["writer/1"]] * 3
    assert turns(team.at("constructive/writer/1")) == []


FEW: dict[str, Answer] = {"search.queries": queries("nothing on the shelf")}


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(searcher=False),
        Options(analyzer=False),
        Options(reviewer=False),
        Options(max_revisions=0),
        Options(max_searches=0),
        Options(max_revisions=7, max_searches=9),
        Options(searcher=False, analyzer=False, reviewer=False),
    ],
    ids=str,
)
@pytest.mark.parametrize("mood", ["brief", "usual", "restless"])
async def test_the_forecast_brackets_what_it_takes(
    options: Options, mood: str, tmp_path: Path
) -> None:
    answers, shelf = {"brief": (FEW, Shelf({})), "restless": (RESTLESS, Shelf())}.get(
        mood, ({}, Shelf())
    )
    team = await TeamAtWork(answers, shelf=shelf, options=options).play(tmp_path, *STAGES)
    low, likely, high = Agent4Debate.forecast(options, 600).calls
    took = len(team.backend.requests)
    assert low <= took + 1e-9 and took <= high + 1e-9
    assert low <= likely <= high


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
