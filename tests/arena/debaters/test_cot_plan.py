"""`cot_plan`: a plan and the speech from it, with nothing but the debate in either."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from pydantic import ValidationError

from arena.debater import Turn
from arena.debaters.cot_plan import CotPlan, Plan, Point, TeamPlan, format_plan
from arena.debaters.debate_to_write import DebateToWrite
from arena.languages import SIDES, STAGES, Side, Stage, language
from arena.llm.request import Completion, Request
from arena.llm.schemas import schema_of
from arena.simulator import OfflineBackend
from tests.support.debate_seats import (
    ORDER,
    SAMPLING,
    SEEN,
    Shelf,
    language_model,
    paths,
    seat,
    speeches,
    texts,
)
from tests.support.scripted_backend import ScriptedBackend, completion

PLAN = {
    "reasoning": "The hours decide it.",
    "points": [
        {"claim": "Hours fall.", "support": ["Fewer days.", "A town\ntried it."]},
        {"claim": "Output stays.", "support": ["Rested people work faster."]},
    ],
    "acknowledgment": "Some trades cannot.",
}
OUTLINE = """\
1. Hours fall.
- Fewer days.
- A town tried it.
2. Output stays.
- Rested people work faster.
Acknowledged: Some trades cannot."""


class Simulated(ScriptedBackend):
    """A simulated model in the place of the script."""

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        return await OfflineBackend().complete(replace(request, model="offline/strong"))


in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


def answer(request: Request) -> str:
    return json.dumps(PLAN) if request.schema else f"Speech of {request.path}."


def planner(
    backend: ScriptedBackend,
    folder: Path,
    side: Side = "pro",
    code: str = "en",
    search: Shelf | None = None,
    preset: Literal["paper"] | None = None,
) -> CotPlan:
    model = language_model(backend, folder)
    return CotPlan(seat(model, side=side, code=code, search=search), CotPlan.Options(preset=preset))


def turn(side: Side, stage: Stage) -> Turn:
    return Turn(stage=stage, disclosed=speeches(SEEN[side, stage]))


@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_a_speech_is_a_plan_and_a_writing(side: Side, stage: Stage, tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    draft = await planner(backend, tmp_path, side).speak(turn(side, stage))
    assert paths(backend) == [f"{side}/{stage}/planner/1", f"{side}/{stage}/writer/1"]
    plan, write = backend.requests
    assert (plan.task, write.task) == (f"plan.{stage}", f"write.{stage}")
    assert plan.schema is not None and plan.schema.name == "Plan"
    assert plan.schema.text() in plan.text()
    assert write.schema is None
    assert plan.sampling == write.sampling == SAMPLING
    assert draft.text == f"Speech of {side}/{stage}/writer/1."
    assert not draft.known
    assert draft.trace == [
        {"agent": "Planner", **PLAN},
        {"agent": "Writer", "marker": "finished"},
    ]


async def test_the_writer_sees_the_plan_and_the_planner_none(tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    debater = planner(backend, tmp_path)
    for stage in STAGES:
        await debater.speak(turn("pro", stage))
    shown = [texts(request, "plan") for request in backend.requests]
    assert shown == [[], [OUTLINE]] * 3


@in_both_languages
@pytest.mark.parametrize("refused", [False, True])
async def test_without_a_plan_the_speech_is_written_all_the_same(
    refused: bool, code: str, tmp_path: Path
) -> None:
    def none(request: Request) -> str | Completion:
        if not request.schema:
            return "The speech."
        return completion("No.", finish="refusal") if refused else "I would rather not plan."

    backend = ScriptedBackend(none)
    draft = await planner(backend, tmp_path, code=code).speak(turn("pro", "constructive"))
    assert draft.text == "The speech."
    fault = "Refusal" if refused else "UnparseableReply"
    assert draft.trace[0] == {"agent": "Planner", "fallback": "no plan", "fault": fault}
    writing = backend.requests[-1]
    assert writing.path == "pro/constructive/writer/1"
    assert texts(writing, language(code).terms["plan"]) == []
    assert "Your plan" not in writing.text() and "你的提纲" not in writing.text()


async def test_the_reasoning_before_a_plan_is_not_part_of_it(tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    await planner(backend, tmp_path).speak(turn("pro", "constructive"))
    assert str(PLAN["reasoning"]) not in backend.requests[-1].text()


@pytest.mark.parametrize(
    "bad",
    [
        {"points": []},
        {"points": [{"claim": "A.", "support": []}]},
        {"points": [{"claim": " ", "support": ["B."]}]},
        {"points": [{"claim": "A.", "support": [""]}]},
        {"points": PLAN["points"], "conclusion": "So."},
    ],
)
def test_a_plan_needs_points_with_sub_points(bad: object) -> None:
    with pytest.raises(ValidationError):
        Plan.model_validate(bad)


def test_a_plan_without_an_acknowledgment_has_no_line_for_it() -> None:
    plan = Plan(points=[Point(claim="工时缩短。", support=["少一天。"])])
    assert format_plan(plan, language("zh")) == "1. 工时缩短。\n- 少一天。"


@in_both_languages
@pytest.mark.parametrize("stage", STAGES)
async def test_with_the_papers_preset_the_plan_is_that_of_debate_to_write(
    stage: Stage, code: str, tmp_path: Path
) -> None:
    backend, other = ScriptedBackend(answer), ScriptedBackend(answer)
    paper = planner(backend, tmp_path / "paper", code=code, preset="paper")
    await paper.speak(turn("pro", stage))
    await planner(other, tmp_path / "ours", code=code).speak(turn("pro", stage))
    papers, ours = backend.requests, other.requests
    plan, write = papers
    assert plan.schema == schema_of(TeamPlan), "at most three points, with sub-points"
    assert TeamPlan.model_json_schema()["properties"]["points"]["maxItems"] == 3
    assert texts(plan, language(code).terms["speech"]) == [
        one.text for one in turn("pro", stage).disclosed
    ]
    assert "`acknowledgment`" in plan.text()
    written = format_plan(TeamPlan.model_validate(PLAN), language(code))
    assert texts(write, language(code).terms["plan"]) == [written]
    assert write.text() == ours[1].text(), "the writing is asked for alike"
    assert ours[0].schema == schema_of(Plan) and plan.text() != ours[0].text()


def test_presets_of_the_paper_leave_stored_options_as_they_were() -> None:
    assert CotPlan.Options().model_dump(mode="json") == {}
    assert CotPlan.Options(preset="paper").model_dump(mode="json") == {"preset": "paper"}
    ours, papers = DebateToWrite.Options(), DebateToWrite.Options(preset="paper")
    assert "flow" not in ours.model_dump() and "preset" not in ours.model_dump()
    changed = DebateToWrite.Options(preset="paper", flow=True)
    assert changed.flow and not papers.flow
    for options in (ours, papers, changed):
        assert DebateToWrite.Options.model_validate(options.model_dump()) == options


@pytest.mark.parametrize("preset", [None, "paper"])
@in_both_languages
@pytest.mark.parametrize("side", SIDES)
async def test_simulated_models_plan_and_follow_their_plan(
    side: Side, code: str, preset: Literal["paper"] | None, tmp_path: Path
) -> None:
    backend = Simulated(answer)
    debater = planner(backend, tmp_path, side, code, preset=preset)
    draft = await debater.speak(turn(side, "constructive"))
    plan = draft.trace[0]
    claims = [point["claim"].rstrip("。.") for point in plan["points"]]
    assert len(claims) >= 2
    assert sum(claim in draft.text for claim in claims) >= 1
    supports = [point["support"][0].rstrip("。.") for point in plan["points"]]
    assert any(support in draft.text for support in supports)
    planning = "plan" if preset else "plan.constructive"
    assert [one.task for one in backend.requests] == [planning, "write.constructive"]
