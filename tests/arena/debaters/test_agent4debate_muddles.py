"""`agent4debate`: what each agent falls back to, what the Writer may answer, what it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.debaters.knowledge_base import LONGEST_QUERY
from arena.languages import STAGES, Stage
from tests.support.agent4debate_script import (
    TeamAtWork,
    compiled,
    finished,
    needs,
    queries,
    revise,
    turns,
)
from tests.support.debate_seats import MOTION, texts
from tests.support.debaters_at_work import Answer, composed
from tests.support.scripted_backend import completion

REFUSED = completion("No.", finish="refusal")
PROSE = "Looks fine to me."
either = pytest.mark.parametrize("bad", [PROSE, REFUSED], ids=["prose", "refused"])


def fallbacks(team: TeamAtWork, stage: Stage) -> list[tuple[str, str]]:
    trace = team.drafts[stage].trace
    return [(step["agent"], step["fallback"]) for step in trace if "fallback" in step]


@either
async def test_without_queries_the_question_is_the_query(bad: Answer, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"search.queries": bad, "rebuttal/writer/1": needs("It pays.")}
    team = await TeamAtWork(answers).play(tmp_path, "constructive", "rebuttal")
    assert [query for _, query in team.shelf.asked] == [MOTION, "It pays."]
    expected = [("Searcher", "the question itself is the query")]
    assert fallbacks(team, "constructive") == fallbacks(team, "rebuttal") == expected


async def test_a_long_claim_is_no_longer_a_query_than_engines_take(tmp_path: Path) -> None:
    claim = "It pays in every way. " * 40
    answers: dict[str, Answer] = {"search.queries": PROSE, "rebuttal/writer/1": needs(claim)}
    team = await TeamAtWork(answers).play(tmp_path, "rebuttal")
    ((_, query),) = team.shelf.asked
    assert len(query) <= LONGEST_QUERY and query.endswith("way.")


@either
async def test_without_a_correction_the_first_results_are_compiled(
    bad: Answer, tmp_path: Path
) -> None:
    team = await TeamAtWork({"search.correct": bad}).play(tmp_path, "constructive")
    assert "searcher/3" in team.calls("constructive")
    assert fallbacks(team, "constructive") == [("Searcher", "no correction of the queries")]


@either
async def test_without_a_synthesis_all_findings_are_shared_and_kept(
    bad: Answer, tmp_path: Path
) -> None:
    answers: dict[str, Answer] = {
        "search.queries": queries("one", "two"),
        "search.compile": bad,
    }
    team = await TeamAtWork(answers).play(tmp_path, "constructive", "rebuttal")
    listed = "[P1] origin of one — excerpt of one", "[P2] origin of two — excerpt of two"
    ((agent, shared),) = turns(team.at("constructive/analyzer/1"))
    assert agent == "Searcher" and all(line in shared for line in listed)
    assert texts(team.at("rebuttal/writer/1"), "material") == ["\n".join(listed)]
    assert fallbacks(team, "constructive") == [("Searcher", "all findings are kept")]
    step = next(step for step in team.drafts["constructive"].trace if "kept" in step)
    assert step["kept"] == [1, 2]


@pytest.mark.parametrize("bad", ["", REFUSED], ids=["empty", "refused"])
async def test_without_an_outline_the_writer_works_from_the_material(
    bad: Answer, tmp_path: Path
) -> None:
    team = await TeamAtWork({"analyse": bad}).play(tmp_path, "constructive")
    assert [agent for agent, _ in turns(team.at("constructive/writer/1"))] == ["Searcher"]
    assert fallbacks(team, "constructive") == [("Analyzer", "no outline")]


@either
async def test_without_a_review_the_draft_stands(bad: Answer, tmp_path: Path) -> None:
    team = await TeamAtWork({"review": bad}).play(tmp_path, *STAGES)
    for stage in STAGES:
        assert team.drafts[stage].text == f"Draft of pro/{stage}/writer/1."
        assert fallbacks(team, stage) == [("Reviewer", "the draft stands")]


@pytest.mark.parametrize("bad", ["", REFUSED], ids=["empty", "refused"])
async def test_without_a_revision_the_last_draft_stands(bad: Answer, tmp_path: Path) -> None:
    answers: dict[str, Answer] = {"review": revise("More."), "summary/writer/3": bad}
    team = await TeamAtWork(answers).play(tmp_path, "summary")
    assert team.drafts["summary"].text == "Draft of pro/summary/writer/2."
    assert fallbacks(team, "summary") == [("Writer", "the last draft stands")]


@pytest.mark.parametrize(
    "answer",
    [
        "A speech and no object.",
        composed("A speech and no object.", marker="done"),
        composed("A speech and no object.", marker="needs_material", claim=" "),
        json.dumps({"marker": "finished", "speech": "A speech and no object."}),
        f"```json\n{composed('```', marker='finished')}\n\nA speech and no object.",
    ],
    ids=["text", "another marker", "no claim", "in a field", "fenced"],
)
async def test_a_text_without_a_readable_request_is_a_draft(answer: str, tmp_path: Path) -> None:
    team = await TeamAtWork({"write": answer}).play(tmp_path, "rebuttal")
    assert team.drafts["rebuttal"].text == "A speech and no object."
    assert team.calls("rebuttal") == ["analyzer/1", "writer/1", "reviewer/1"]


async def test_what_follows_a_request_for_material_is_no_draft(tmp_path: Path) -> None:
    asks = composed("I will write afterwards.", marker="needs_material", claim="It pays.")
    team = await TeamAtWork({"rebuttal/writer/1": asks}).play(tmp_path, "rebuttal")
    assert team.drafts["rebuttal"].text == "Draft of pro/rebuttal/writer/2."


async def test_thoughts_stay_out_of_the_dialogue_and_the_speech(tmp_path: Path) -> None:
    thought = "Secretly, we think little of this."
    reasoned = {"reasoning": thought}
    answers: dict[str, Answer] = {
        "search.queries": json.dumps({**reasoned, "queries": ["one"]}),
        "search.correct": json.dumps({**reasoned, "queries": []}),
        "search.compile": json.dumps({**reasoned, **json.loads(compiled({1: [1]}))}),
        "write": composed("The draft.", **reasoned, marker="finished"),
        "review": json.dumps({**reasoned, **json.loads(revise("More."))}),
    }
    team = await TeamAtWork(answers).play(tmp_path, *STAGES)
    assert not [one.path for one in team.backend.requests if thought in one.text()]
    for stage in STAGES:
        assert team.drafts[stage].text == "The draft."
        told = [step["agent"] for step in team.drafts[stage].trace if step.get("reasoning")]
        assert {"Writer", "Reviewer"} <= set(told)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_reviewer_and_the_reviser_are_given_the_drafts_length(
    code: str, tmp_path: Path
) -> None:
    answers: dict[str, Answer] = {
        "write": finished("one two three" if code == "en" else "一二三"),
        "rebuttal/reviewer/1": revise("More."),
    }
    team = await TeamAtWork(answers).play(tmp_path, "rebuttal", code=code)
    told = "has 3 words; at most 600" if code == "en" else "有 3 个字，上限为 600 个字"
    for path in ("reviewer/1", "writer/2", "reviewer/2"):
        assert told in team.at(f"rebuttal/{path}").text()
    assert told not in team.at("rebuttal/writer/1").text()


@pytest.mark.parametrize(("code", "mark"), [("en", "Missing:"), ("zh", "缺少：")])
async def test_the_analyzer_and_the_writer_share_a_mark_for_what_is_missing(
    code: str, mark: str, tmp_path: Path
) -> None:
    team = await TeamAtWork().play(tmp_path, *STAGES, code=code)
    for stage in STAGES:
        assert mark in team.at(f"{stage}/analyzer/1").text()
        assert mark in team.at(f"{stage}/writer/1").text()
