"""`agent4debate`: what its Searcher does, what the team keeps of it, and what the trace says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.languages import SIDES, STAGES, Side
from arena.llm.request import Request
from arena.records import Reference
from arena.search.tool import Finding
from tests.support.agent4debate_script import TeamAtWork, compiled, needs, queries, revise, turns
from tests.support.debate_seats import MOTION, Shelf, texts
from tests.support.debaters_at_work import Answer

ONE = Finding(origin="Report A", excerpt="Hours fell by a tenth.")
TWO = Finding(origin="Study B", excerpt="Output stayed the same.")
THREE = Finding(origin="Case C", excerpt="A town tried it.")

SHELF = {"hours": (ONE, TWO), "output": (TWO, THREE), "towns": (THREE,)}


def reference(number: int, finding: Finding) -> Reference:
    return Reference(number=number, origin=finding.origin, excerpt=finding.excerpt, side="pro")


def told(number: int, finding: Finding) -> dict[str, object]:
    """A finding as the trace tells it."""
    return {"number": number, "origin": finding.origin, "excerpt": finding.excerpt}


async def test_findings_are_numbered_once_in_the_order_of_finding(tmp_path: Path) -> None:
    answers = {"search.queries": queries("hours", "output")}
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert texts(team.at("constructive/searcher/3"), "results") == [
        "Query 1: hours\n"
        "[P1] Report A — Hours fell by a tenth.\n"
        "[P2] Study B — Output stayed the same.\n"
        "Query 2: output\n"
        "[P2] Study B — Output stayed the same.\n"
        "[P3] Case C — A town tried it."
    ]
    known = [reference(1, ONE), reference(2, TWO), reference(3, THREE)]
    assert list(team.drafts["constructive"].known) == known


async def test_the_synthesis_carries_excerpts_word_for_word(tmp_path: Path) -> None:
    answers = {
        "search.queries": queries("hours", "towns"),
        "search.compile": compiled({2: [3], 1: [1]}, "Hours can fall [1].", others=[2]),
    }
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert turns(team.at("constructive/analyzer/1")) == [
        (
            "Searcher",
            "Query 2: towns\n"
            "[P3] Case C — A town tried it.\n"
            "Query 1: hours\n"
            "[P1] Report A — Hours fell by a tenth.\n"
            "Conclusions: Hours can fall [1].\n"
            "Others\n"
            "[P2] Study B — Output stayed the same.",
        )
    ]


async def test_numbers_that_nothing_was_found_under_are_left_out(tmp_path: Path) -> None:
    answers = {
        "search.queries": queries("hours"),
        "search.compile": compiled({1: [2, 9, 0, -1, 2], 5: [1], 0: [1]}, "So.", others=[77]),
    }
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive", "rebuttal")
    ((_, said),) = turns(team.at("constructive/analyzer/1"))
    assert said == (
        "Query 1: hours\n[P2] Study B — Output stayed the same.\nConclusions: So.\nOthers"
    )
    assert team.drafts["constructive"].trace[0]["kept"] == [2]


async def test_marks_are_read_where_only_their_numbers_should_stand(tmp_path: Path) -> None:
    named = {"kept": [{"query": 1, "numbers": ["P2"]}], "conclusions": "So.", "others": ["[p1]"]}
    answers = {"search.queries": queries("hours"), "search.compile": json.dumps(named)}
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert team.drafts["constructive"].trace[0]["kept"] == [2, 1]


async def test_what_was_kept_stays_available_under_its_number(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "constructive/searcher/1": queries("hours"),
        "constructive/searcher/3": compiled({1: [2]}),
        "rebuttal/writer/1": needs("Towns tried it."),
        "rebuttal/searcher/1": queries("output"),
        "rebuttal/searcher/3": compiled({1: [3]}),
    }
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, *STAGES)
    material = {stage: texts(team.at(f"{stage}/analyzer/1"), "material") for stage in STAGES}
    second = "[P2] Study B — Output stayed the same."
    assert material == {
        "constructive": ["(Nothing yet.)"],
        "rebuttal": [second],
        "summary": [f"{second}\n[P3] Case C — A town tried it."],
    }
    known = [reference(1, ONE), reference(2, TWO), reference(3, THREE)]
    assert list(team.drafts["summary"].known) == known


async def test_two_sides_have_knowledge_of_their_own(tmp_path: Path) -> None:
    pro = await TeamAtWork().play(tmp_path / "pro", *STAGES)
    con = await TeamAtWork({"search.queries": queries("elsewhere")}).play(
        tmp_path / "con", *STAGES, side="con"
    )
    assert "origin of first query" in pro.at("summary/writer/1").text()
    assert "origin of first query" not in con.at("summary/writer/1", "con").text()


async def test_the_searcher_is_passive_unless_the_writer_asks(tmp_path: Path) -> None:
    answers = {"summary/writer/1": needs("It pays.")}
    team = await TeamAtWork(answers).play(tmp_path, *STAGES)
    assert [path for path, _ in team.shelf.asked] == ["constructive/search/1", "summary/search/1"]
    assert "searcher/1" not in team.calls("rebuttal")


async def test_queries_are_corrected_at_most_once(tmp_path: Path) -> None:
    answers = {
        "search.queries": queries("hours"),
        "search.correct": queries("output", "hours", "towns"),
    }
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert team.shelf.asked == [
        ("constructive/search/1", "hours"),
        ("constructive/search/2", "output"),
        ("constructive/search/3", "towns"),
    ]
    assert team.calls("constructive")[:4] == [
        "searcher/1",
        "searcher/2",
        "searcher/3",
        "analyzer/1",
    ]
    (results,) = texts(team.at("constructive/searcher/3"), "results")
    assert [line for line in results.splitlines() if line.startswith("Query")] == [
        "Query 1: hours",
        "Query 2: output",
        "Query 3: towns",
    ]


async def test_blank_and_repeated_queries_are_not_asked(tmp_path: Path) -> None:
    answers = {"search.queries": queries("hours", " hours ", "", "  ")}
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert team.shelf.asked == [("constructive/search/1", "hours")]


@pytest.mark.parametrize("asked", [queries("unheard of"), queries()])
async def test_where_nothing_is_found_nothing_is_compiled_and_it_says_so(
    asked: str, tmp_path: Path
) -> None:
    answers = {"search.queries": asked}
    team = await TeamAtWork(answers, shelf=Shelf({})).play(tmp_path, "constructive", "rebuttal")
    assert team.calls("constructive") == [
        "searcher/1",
        "searcher/2",
        "analyzer/1",
        "writer/1",
        "reviewer/1",
    ]
    assert turns(team.at("constructive/analyzer/1")) == [("Searcher", "(Nothing was found.)")]
    step = next(one for one in team.drafts["constructive"].trace if "queries" in one)
    tried = json.loads(asked)["queries"] or [MOTION]
    assert (step["agent"], step["queries"], step["kept"]) == ("Searcher", tried, [])
    assert step["found"] == [[] for _ in tried]
    assert list(team.drafts["constructive"].known) == []
    assert texts(team.at("rebuttal/writer/1"), "material") == ["(Nothing yet.)"]


@pytest.mark.parametrize("side", SIDES)
async def test_a_search_that_fails_is_told_in_the_trace_and_the_speech_is_made(
    side: Side, tmp_path: Path
) -> None:
    answers: dict[str, Answer] = {
        "search.queries": queries("hours"),
        "search.correct": queries("towns"),
        "rebuttal/writer/1": needs("It pays."),
    }
    shelf = Shelf(failure="no quota is left")
    team = await TeamAtWork(answers, shelf=shelf).play(
        tmp_path, "constructive", "rebuttal", side=side
    )
    assert team.drafts["constructive"].text == f"Draft of {side}/constructive/writer/1."
    assert "no quota" not in team.at("constructive/writer/1", side).text()
    step = team.drafts["constructive"].trace[0]
    assert step["failed"] == {"hours": "no quota is left", "towns": "no quota is left"}
    assert (step["found"], step["kept"], step["results"]) == ([[], []], [], [])
    assert team.drafts["rebuttal"].trace[2]["failed"] == {
        "hours": "no quota is left",
        "towns": "no quota is left",
    }
    assert list(team.drafts["rebuttal"].known) == []


async def test_a_correction_finds_what_the_first_query_missed(tmp_path: Path) -> None:
    answers = {"search.queries": queries("unheard of"), "search.correct": queries("towns")}
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    (before,) = texts(team.at("constructive/searcher/2"), "results")
    assert before == "Query 1: unheard of\n(Nothing was found.)"
    assert "searcher/3" in team.calls("constructive")


async def test_more_than_five_queries_are_asked_again(tmp_path: Path) -> None:
    def many(request: Request) -> str:
        return queries(*"abcdef") if request.attempt == 0 else queries(*"abcde")

    team = await TeamAtWork({"search.queries": many}).play(tmp_path, "constructive")
    assert [query for _, query in team.shelf.asked] == list("abcde")


async def test_the_trace_tells_every_step(tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "constructive/searcher/1": queries("hours"),
        "constructive/searcher/2": queries("towns"),
        "constructive/searcher/3": compiled({1: [2]}, others=[3]),
        "constructive/writer/1": needs("It pays."),
        "constructive/searcher/4": queries("wages"),
        "constructive/reviewer/1": revise("Shorter."),
    }
    team = await TeamAtWork(answers, shelf=Shelf(SHELF)).play(tmp_path, "constructive")
    assert list(team.drafts["constructive"].trace) == [
        {
            "agent": "Searcher",
            "question": "This house would shorten the working week.",
            "queries": ["hours", "towns"],
            "found": [[1, 2], [3]],
            "kept": [2, 3],
            "results": [told(1, ONE), told(2, TWO), told(3, THREE)],
        },
        {"agent": "Analyzer", "marker": "finished"},
        {"agent": "Writer", "marker": "needs_material", "claim": "It pays.", "reasoning": ""},
        {
            "agent": "Searcher",
            "question": "It pays.",
            "queries": ["wages"],
            "found": [[]],
            "kept": [],
            "results": [],
        },
        {"agent": "Writer", "marker": "finished", "claim": "", "reasoning": ""},
        {
            "agent": "Reviewer",
            "reasoning": "",
            "marker": "revise",
            "suggestions": ["Shorter."],
        },
        {"agent": "Writer", "marker": "finished", "claim": "", "reasoning": ""},
        {"agent": "Reviewer", "reasoning": "", "marker": "accept", "suggestions": []},
    ]
