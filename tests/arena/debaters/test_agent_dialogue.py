"""Thinking models: the reasoning is theirs, and no field of an answer asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.debater import Turn
from arena.debaters.agent4debate import Agent4Debate, Options
from arena.languages import LANGUAGES
from arena.llm.model import LanguageModel
from arena.llm.request import Request
from arena.llm.settings import ModelSettings
from arena.plugins import debater_class
from arena.records import Sampling
from tests.servers.answers import debater as answer_in_form
from tests.servers.connected import connected
from tests.support.agent4debate_script import TeamAtWork, finished
from tests.support.case_lists import for_every
from tests.support.debate_seats import language_model, seat
from tests.support.debaters_at_work import Answer, form
from tests.support.registered_debaters import at_work
from tests.support.scripted_backend import ScriptedAccess, unit

#: Those whose agents give a short reasoning before they decide.
REASONING = ("agent4debate, paper", "cot_plan", "self_reflect", "debate_to_write")


async def requests(case: str, folder: Path, code: str, *, thinking: bool) -> list[Request]:
    made = at_work(case, thinking=thinking)
    await made.play(folder / str(thinking), "constructive", "summary", code=code)
    return made.backend.requests


def fields(request: Request) -> list[str]:
    return list(request.schema.body["properties"]) if request.schema else []


@for_every(REASONING, LANGUAGES)
async def test_nobody_is_asked_for_reasoning_and_all_else_is_as_it_was(
    case: str, code: str, tmp_path: Path
) -> None:
    plain = await requests(case, tmp_path, code, thinking=False)
    thinking = await requests(case, tmp_path, code, thinking=True)
    assert [one.path for one in thinking] == [one.path for one in plain]
    for asked, before in zip(thinking, plain, strict=True):
        assert fields(asked) == [name for name in fields(before) if name != "reasoning"]
        assert "`reasoning`" not in asked.text() and '"reasoning"' not in asked.text(), asked.path
        lines, old = asked.text().splitlines(), before.text().splitlines()
        changed = [line for line in old if "`reasoning`" in line or '"reasoning"' in line]
        assert [line for line in old if line not in lines] == changed
        assert (asked.prompt_hash == before.prompt_hash) is not bool(changed)


async def test_a_model_that_reasons_all_the_same_is_understood(tmp_path: Path) -> None:
    team = TeamAtWork({"write": finished("The draft.")}, options=Options(thinking=True))
    await team.play(tmp_path, "rebuttal")
    assert team.calls("rebuttal") == ["analyzer/1", "writer/1", "reviewer/1"]
    assert team.drafts["rebuttal"].text == "The draft."


async def test_the_reasoning_of_an_answer_to_a_question_is_asked_for(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "writer": form(answer="7"),
        "reviewer": form(reasoning="It holds.", marker="accept", suggestions=[]),
    }
    made = at_work("self_reflect", answers)
    framework = debater_class("self_reflect")
    options = framework.Options.model_validate({"thinking": True})
    place = seat(language_model(made.backend, tmp_path))
    await framework(place, options).speak(Turn(stage="answer", disclosed=()))
    reviews = [one for one in made.backend.requests if one.task == "review.answer"]
    assert reviews and all("reasoning" in fields(one) for one in reviews)


def test_it_is_stored_only_where_it_is_set() -> None:
    assert "thinking" not in Options().model_dump()
    assert Options(thinking=True).model_dump()["thinking"] is True


async def test_a_server_is_asked_for_forms_without_reasoning_and_for_the_effort_of_each_role(
    tmp_path: Path,
) -> None:
    bodies: list[Mapping[str, Any]] = []

    def answer(body: Mapping[str, Any]) -> str:
        bodies.append(body)
        return answer_in_form(body)

    model = "openai/gpt-5"  # LiteLLM knows that it thinks and takes schemas
    options = Options.model_validate(
        {
            "thinking": True,
            "searcher": False,
            "max_revisions": 1,
            "sampling": {"reviewer": {"reasoning_effort": "high"}},
        }
    )
    async with connected(answer=answer, models={model: ModelSettings()}) as (backend, _):
        session = unit(ScriptedAccess(backend), tmp_path)
        sampling = Sampling(max_tokens=2000, reasoning_effort="low")
        debater = Agent4Debate(
            seat(LanguageModel(unit=session, model=model, sampling=sampling, prefix="")), options
        )
        await debater.speak(Turn(stage="constructive", disclosed=()))
    efforts = [body["reasoning_effort"] for body in bodies]
    reviews = ["You are the Reviewer" in body["messages"][-1]["content"] for body in bodies]
    assert efforts == ["high" if review else "low" for review in reviews]
    assert any(reviews) and not all(reviews)
    forms = [
        body["response_format"]["json_schema"]["schema"]
        for body in bodies
        if "response_format" in body
    ]
    assert forms and not any("reasoning" in form["properties"] for form in forms)
    assert all(body["max_completion_tokens"] > 4096 for body in bodies), "room for thinking"
