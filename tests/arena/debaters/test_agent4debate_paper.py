"""`agent4debate` with the paper's preset: who knows what, who is told what, and how many calls.

Prompts are read by their headed parts: profile, knowledge, workflow, rules and output format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.debater import Turn
from arena.debaters.agent4debate import Agent4Debate, Options
from arena.languages import STAGES, Contest, Stage, language
from arena.llm.request import Request
from arena.simulator import OfflineBackend
from tests.support.agent4debate_script import TeamAtWork, compiled, needs, queries, revise
from tests.support.debate_seats import MOTION, SEEN, language_model, seat, speeches, texts
from tests.support.debaters_at_work import Answer, form
from tests.support.simulated_tasks import MOTION as KNOWN

PAPER, DEFAULT = Options(preset="paper"), Options()
#: The headings of the paper's five components, in their order.
COMPONENTS = {
    "en": ["Profile", "Knowledge", "Workflow", "Rules", "Output format"],
    "zh": ["角色", "知识", "步骤", "规则", "输出格式"],
}
#: Two lines that divide the Analyzer's answer.
DIVIDED = {"en": ("`Step by step:`", "`Outline:`"), "zh": ("“逐步推理：”", "“提纲：”")}
FALLACIES = {
    "en": ["straw man", "false cause", "generalisation", "dilemma", "slope", "analogy", "circular"],
    "zh": ["稻草人", "因果", "以偏概全", "两难", "滑坡", "类比", "循环论证"],
}
#: A search, a request for material and a revision in each stage.
BUSY: dict[str, Answer] = {
    **{f"{stage}/writer/1": needs("It pays.") for stage in STAGES},
    **{f"{stage}/reviewer/1": revise("More.") for stage in STAGES},
    "summary/reviewer/1": form(assessment="Deep in 1.", marker="revise", suggestions=["More."]),
    "summary/reviewer/2": form(assessment="Deep.", marker="accept", suggestions=[]),
}

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


async def play(
    folder: Path, *stages: Stage, options: Options = PAPER, code: str = "en"
) -> TeamAtWork:
    answers = {**BUSY, "search.compile": compiled({1: [1]}, "Four days pay.")}
    return await TeamAtWork(answers, options=options).play(folder, *stages, code=code)


def parts(request: Request, code: str) -> dict[str, str]:
    """The components of a request that stand in the message with the task, by heading, in order."""
    divided = re.split(r"^# (.+)\n", request.messages[-1].text, flags=re.MULTILINE)[1:]
    found = dict(zip(divided[::2], divided[1::2], strict=True))
    return {head: text.strip() for head, text in found.items() if head in COMPONENTS[code]}


@in_both_languages
@pytest.mark.parametrize("options", [PAPER, DEFAULT], ids=["paper", "default"])
@pytest.mark.parametrize("contest", ["debate", "essay"])
async def test_every_prompt_of_every_agent_and_stage_has_the_five_components(
    options: Options, contest: Contest, code: str, tmp_path: Path
) -> None:
    stages = STAGES if contest == "debate" else STAGES[:1]
    team = TeamAtWork({**BUSY, "search.queries": queries("one")}, options=options)
    place = replace(
        seat(language_model(team.backend, tmp_path), side="con", code=code, search=team.shelf),
        contest=contest,
    )
    debater = Agent4Debate(place, options)
    for stage in stages:
        seen = SEEN["con", stage] if contest == "debate" else 0
        await debater.speak(Turn(stage=stage, disclosed=speeches(seen)))
    agents = {tuple(request.path.split("/")[1:3]) for request in team.backend.requests}
    assert agents == {
        (stage, agent)
        for stage in stages
        for agent in ("searcher", "analyzer", "writer", "reviewer")
    }
    for request in team.backend.requests:
        found = parts(request, code)
        assert list(found) == COMPONENTS[code], request.path
        assert all(found.values()), request.path


@in_both_languages
async def test_what_the_searcher_concluded_is_known_in_later_stages(
    code: str, tmp_path: Path
) -> None:
    material = language(code).terms["material"]
    for options, known in ((PAPER, True), (DEFAULT, False)):
        team = await play(tmp_path / str(known), *STAGES, options=options, code=code)
        for stage in STAGES[1:]:
            (told,) = set(texts(team.at(f"{stage}/analyzer/1"), material))
            assert ("Four days pay." in told and MOTION in told) is known
            assert "1] " in told, "the excerpt is kept in any case"
        (first,) = set(texts(team.at("constructive/analyzer/1"), material))
        assert "Four days pay." not in first


@in_both_languages
async def test_the_detailed_reasons_of_the_last_stages_reviewer_reach_the_writer(
    code: str, tmp_path: Path
) -> None:
    team = await play(tmp_path, *STAGES, code=code)
    for stage in STAGES:
        last = stage == "summary"
        asked = team.at(f"{stage}/reviewer/1")
        assert asked.schema is not None
        assert ("assessment" in asked.schema.body["properties"]) is last
        assert ("assessment" in parts(asked, code)[COMPONENTS[code][-1]]) is last
        text = texts(team.at(f"{stage}/writer/3"), language(code).terms["turn"])[-1]
        asks_for, *said = text.splitlines()
        assert asks_for == language(code).terms["revise"]
        assert said == (["Deep in 1.", "1. More."] if last else ["1. More."])


async def test_the_reasons_stand_before_the_decision_in_the_form(tmp_path: Path) -> None:
    team = await play(tmp_path, "summary")
    schema = team.at("summary/reviewer/1").schema
    assert schema is not None
    fields = list(schema.body["properties"])
    assert fields == ["reasoning", "assessment", "marker", "suggestions"]


@pytest.mark.parametrize("revisions", [0, 1, 4])
async def test_the_last_revision_is_reviewed_too(revisions: int, tmp_path: Path) -> None:
    options = Options(preset="paper", max_revisions=revisions)
    team = await TeamAtWork({"review": revise("More.")}, options=options).play(tmp_path, "rebuttal")
    calls = [call.partition("/")[0] for call in team.calls("rebuttal")]
    assert calls.count("writer") == revisions + 1
    assert calls.count("reviewer") == (revisions + 1 if revisions else 0)
    assert team.drafts["rebuttal"].trace[-1] == {"agent": "protocol", "cap": "max_revisions"}
    assert team.drafts["rebuttal"].text == f"Draft of pro/rebuttal/writer/{revisions + 1}."


async def test_reviews_go_on_far_beyond_the_defaults_cap(tmp_path: Path) -> None:
    answers = {f"rebuttal/reviewer/{number}": revise("More.") for number in range(1, 9)}
    team = await TeamAtWork(answers, options=PAPER).play(tmp_path, "rebuttal")
    assert team.calls("rebuttal")[-1] == "reviewer/9"
    assert not [step for step in team.drafts["rebuttal"].trace if "cap" in step]


def fallacies(knowledge: str) -> Iterator[tuple[str, str]]:
    """The listed fallacies, each with its answer."""
    yield from re.findall(r"^- ([^:：\n]+)[:：]\s*(\S.+)$", knowledge, flags=re.MULTILINE)


@in_both_languages
async def test_the_writer_of_a_rebuttal_knows_fallacies_and_how_each_is_answered(
    code: str, tmp_path: Path
) -> None:
    heading = COMPONENTS[code][1]
    for options, known in ((PAPER, True), (DEFAULT, False)):
        team = await play(tmp_path / str(known), *STAGES, options=options, code=code)
        for stage in STAGES:
            knowledge = parts(team.at(f"{stage}/writer/1"), code)[heading]
            answered = " ".join(name.lower() for name, _ in fallacies(knowledge))
            named = [name for name in FALLACIES[code] if name in answered]
            assert named == (FALLACIES[code] if known and stage == "rebuttal" else []), stage


@in_both_languages
async def test_the_analyzer_writes_its_reasoning_step_by_step(code: str, tmp_path: Path) -> None:
    workflow, output = COMPONENTS[code][2], COMPONENTS[code][4]
    for options, divided in ((PAPER, True), (DEFAULT, False)):
        team = await play(tmp_path / str(divided), *STAGES, options=options, code=code)
        for stage in STAGES:
            found = parts(team.at(f"{stage}/analyzer/1"), code)
            lines = found[workflow].splitlines()
            assert re.match(r"1\. ", lines[0]) is None if divided else re.match(r"1\. ", lines[0])
            assert len(re.findall(r"^\d\. ", found[workflow], re.MULTILINE)) >= 4
            places = [found[output].find(line) for line in DIVIDED[code]]
            assert (0 < places[0] < places[1]) if divided else places == [-1, -1]


def test_an_unset_preset_is_not_stored_and_the_papers_caps_yield_to_given_ones() -> None:
    assert "preset" not in DEFAULT.model_dump()
    assert (DEFAULT.max_revisions, DEFAULT.max_searches) == (3, 3)
    assert (PAPER.max_revisions, PAPER.max_searches) == (10, 10)
    assert Options(preset="paper", max_searches=2).model_dump()["max_searches"] == 2


@in_both_languages
@pytest.mark.parametrize("contest", ["debate", "essay"])
async def test_simulated_models_play_it(contest: Contest, code: str, tmp_path: Path) -> None:
    model = language_model(OfflineBackend([KNOWN]), tmp_path, name="offline/good")
    place = replace(seat(model, side="con", code=code), contest=contest)
    debater = Agent4Debate(place, PAPER)
    for stage in STAGES if contest == "debate" else STAGES[:1]:
        draft = await debater.speak(Turn(stage=stage, disclosed=speeches(SEEN["con", stage])))
        assert draft.text
        assert not [step for step in draft.trace if "fallback" in step]
