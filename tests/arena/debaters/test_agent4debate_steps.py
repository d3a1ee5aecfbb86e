"""`agent4debate` with `search_steps`: one query or page after the other, up to a limit."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.debater import Draft, Turn
from arena.debaters.agent4debate import Agent4Debate, Options
from arena.languages import STAGES
from arena.llm.model import LanguageModel
from arena.llm.request import Request
from arena.search.documents import read_library
from arena.search.tavily import TavilySearch
from arena.search.tool import SideSearch
from arena.simulator import OfflineBackend
from tests.servers.tavily_server import KEY, TavilyServer, tavily
from tests.support.agent4debate_script import Team, TeamAtWork, asks_whenever_it_may, revise
from tests.support.debate_seats import (
    MOTION,
    SAMPLING,
    SEEN,
    Shelf,
    seat,
    speeches,
    texts,
)
from tests.support.debaters_at_work import Answer, form
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, completion, unit
from tests.support.simulated_tasks import MOTION as KNOWN

OPTIONS = Options(search_steps=4)


def search(query: str) -> str:
    return form(action="search", query=query)


def read(number: int) -> str:
    return form(action="read", number=number)


FINISH = form(action="finish")
#: A query, the page of what it finds, and the end.
STEPS: dict[str, Answer] = {
    "constructive/searcher/1": search("hours"),
    "constructive/searcher/2": read(1),
    "constructive/searcher/3": FINISH,
}


async def play(folder: Path, answers: dict[str, Answer], options: Options = OPTIONS) -> TeamAtWork:
    return await TeamAtWork(answers, options=options).play(folder, "constructive")


async def test_each_step_sees_what_those_before_it_found(tmp_path: Path) -> None:
    team = await play(tmp_path, STEPS)
    assert team.calls("constructive")[:5] == [
        *(f"searcher/{n}" for n in (1, 2, 3, 4)),
        "analyzer/1",
    ]
    tasks = [team.at(f"constructive/searcher/{n}").task for n in (1, 2, 3, 4)]
    assert tasks == ["search.step"] * 3 + ["search.compile"]
    assert team.shelf.asked == [
        ("constructive/search/1", "hours"),
        ("constructive/read/1", "origin of hours"),
    ]
    found = "Query 1: hours\n[P1] origin of hours — excerpt of hours"
    page = (
        "Query 2: page: origin of hours\n"
        "[P2] origin of origin of hours — excerpt of origin of hours"
    )
    shown = [texts(team.at(f"constructive/searcher/{n}"), "results") for n in (1, 2, 3, 4)]
    assert shown == [["(Nothing yet.)"], [found], [f"{found}\n{page}"], [f"{found}\n{page}"]]
    (step,) = [one for one in team.drafts["constructive"].trace if one["agent"] == "Searcher"]
    assert step["steps"] == 3 and step["queries"] == ["hours", "page: origin of hours"]


async def test_the_limit_ends_a_search_and_is_told_at_every_step(tmp_path: Path) -> None:
    def ask(request: Request) -> str:
        return search(f"query of {request.path}")

    team = await play(tmp_path, {"search.step": ask})
    asked = [one for one in team.backend.requests if one.task == "search.step"]
    assert [one.variables["left"] for one in asked] == ["4", "3", "2", "1"]
    assert [path for path, _ in team.shelf.asked] == [
        f"constructive/search/{number}" for number in (1, 2, 3, 4)
    ]


async def test_nothing_is_searched_or_read_twice_and_an_unknown_mark_finds_nothing(
    tmp_path: Path,
) -> None:
    answers: dict[str, Answer] = {
        f"constructive/searcher/{number}": answer
        for number, answer in enumerate(
            (search("hours"), search(" hours"), read(1), read(1), read(7), FINISH), start=1
        )
    }
    team = await play(tmp_path, answers, Options(search_steps=9))
    assert len(team.shelf.asked) == 2
    (results,) = texts(team.at("constructive/searcher/6"), "results")
    assert results.endswith("Query 3: page: 7\n(Nothing was found.)")


@pytest.mark.parametrize("bad", ["Hm.", completion("No.", finish="refusal")], ids=["prose", "no"])
async def test_without_a_readable_step_the_question_is_searched_or_the_search_ends(
    bad: Answer, tmp_path: Path
) -> None:
    first = await play(tmp_path / "first", {"constructive/searcher/1": bad, "search.step": FINISH})
    assert first.shelf.asked == [("constructive/search/1", MOTION)]
    later = await play(tmp_path / "later", {**STEPS, "constructive/searcher/2": bad})
    assert later.shelf.asked == [("constructive/search/1", "hours")]
    assert later.at("constructive/searcher/3").task == "search.compile"


async def test_a_search_without_a_query_is_asked_about_again(tmp_path: Path) -> None:
    team = await play(tmp_path, {**STEPS, "constructive/searcher/1": search(" ")})
    again = team.at("constructive/searcher/1", attempt=1)
    assert "`search` needs a `query`" in again.text()


@pytest.mark.parametrize("steps", [1, 31, "many"])
def test_other_numbers_of_steps_are_refused(steps: object) -> None:
    with pytest.raises(ValidationError, match="search_steps"):
        Options.model_validate({"search_steps": steps})


def test_without_it_nothing_is_stored() -> None:
    assert "search_steps" not in Options().model_dump()
    assert Options(search_steps=4).model_dump()["search_steps"] == 4


BUSIEST: dict[str, Answer] = {
    "write": asks_whenever_it_may,
    "review": revise("More."),
    "search.step": lambda request: search(f"query of {request.path}"),
}


@pytest.mark.parametrize("steps", [2, 4, 9])
@pytest.mark.parametrize(
    ("answers", "shelf"),
    [({"search.step": FINISH}, Shelf({})), (STEPS, Shelf()), (BUSIEST, Shelf())],
    ids=["brief", "usual", "busiest"],
)
async def test_the_forecast_brackets_what_it_takes(
    answers: dict[str, Answer], shelf: Shelf, steps: int, tmp_path: Path
) -> None:
    options = Options(search_steps=steps)
    team = TeamAtWork(answers, shelf=shelf, options=options)
    await team.play(tmp_path, *STAGES)
    low, likely, high = Agent4Debate.forecast(options, 600).calls
    assert low <= likely <= high
    assert low <= len(team.backend.requests) <= high
    plain = Agent4Debate.forecast(Options(), 600)
    assert Agent4Debate.forecast(options, 600).input_tokens[2] > plain.input_tokens[2]


class Killed(asyncio.CancelledError):
    """Ends a run as a kill does: what is in the journal stays."""


async def argue(folder: Path, server: TavilyServer, backend: ScriptedBackend) -> Draft:
    """Make a constructive whose search reads a server's pages, from the journal where it can."""
    session = unit(ScriptedAccess(backend), folder)
    model = LanguageModel(unit=session, model="scripted/model", sampling=SAMPLING, prefix="")
    tool = TavilySearch(api_base=server.url, api_key=KEY, timeout_seconds=5.0)
    place = replace(seat(model), search=SideSearch(unit=session, tool=tool, side="pro"))
    try:
        return await Agent4Debate(place, OPTIONS).speak(Turn(stage="constructive", disclosed=()))
    finally:
        await tool.aclose()
        session.journal.close()


async def test_a_killed_search_goes_on_where_it_was_and_pays_nothing_twice(tmp_path: Path) -> None:
    address, made = "https://example.org/a", list[str]()

    def until(killed_at: int) -> ScriptedBackend:
        def answer(request: Request) -> str:
            if len(made) == killed_at:
                raise Killed
            made.append(request.path)
            said = Team(STEPS)(request)
            assert isinstance(said, str)
            return said

        return ScriptedBackend(answer)

    async with tavily(pages=[("Four days", address, "Output rose.")]) as server:
        server.contents[address] = "Output rose by a tenth.\n\nHours fell by a fifth."
        for killed_at in (1, 2, 4, 5):
            with pytest.raises(Killed):
                await argue(tmp_path, server, until(killed_at))
        draft = await argue(tmp_path, server, until(99))
    assert len(made) == len(set(made)) == 7
    assert (server.asked, server.read) == (["hours"], [address])
    excerpts = [reference.excerpt for reference in draft.known]
    assert excerpts == ["Output rose.", "Output rose by a tenth. Hours fell by a fifth."]
    assert {reference.origin for reference in draft.known} == {f"Four days, {address}"}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_simulated_models_search_a_folder_in_steps(code: str, tmp_path: Path) -> None:
    points = KNOWN.wordings[code].brief.pro
    lines = [f"{point.claim} {point.evidence}" for point in points]
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "notes.md").write_text("\n\n".join(lines), "utf-8")
    session = unit(ScriptedAccess(OfflineBackend([KNOWN])), tmp_path)
    model = LanguageModel(unit=session, model="offline/strong", sampling=SAMPLING, prefix="")
    place = replace(
        seat(model, code=code),
        motion=KNOWN.wordings[code].text,
        search=SideSearch(unit=session, tool=read_library(str(folder)), side="pro"),
    )
    debater = Agent4Debate(place, OPTIONS)
    drafts = [
        await debater.speak(Turn(stage=stage, disclosed=speeches(SEEN["pro", stage])))
        for stage in STAGES
    ]
    assert all(draft.text for draft in drafts)
    searches = [step for step in drafts[0].trace if step["agent"] == "Searcher"]
    assert searches and all(step["steps"] <= 4 for step in searches)
    assert drafts[0].known
