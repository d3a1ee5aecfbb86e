"""`baseline`: one search, its raw results in the prompt, one call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.debater import Draft, Turn
from arena.debaters.baseline import Baseline
from arena.debaters.knowledge_base import LONGEST_QUERY, opening
from arena.languages import SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Request
from arena.records import Reference
from arena.search.tool import Finding
from tests.support.debate_seats import (
    MOTION,
    ORDER,
    SEEN,
    SLIDE,
    Shelf,
    language_model,
    seat,
    speech,
    speeches,
    texts,
)
from tests.support.scripted_backend import ScriptedBackend

ONE = Finding(origin="Report A", excerpt="Hours fell by a tenth.")
TWO = Finding(origin="Study B", excerpt="Output stayed the same.")
CON_SPOKE = "The constructive of con as it was spoken."
CON_ENDED = "The summary of con as it was spoken."

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


def answer(request: Request) -> str:
    return f"Speech of {request.path} [1, 7]."


def turn(side: Side, stage: Stage) -> Turn:
    return Turn(stage=stage, disclosed=speeches(SEEN[side, stage]))


class AtWork:
    """A baseline with its backend and its shelf."""

    def __init__(
        self, folder: Path, side: Side = "pro", code: str = "en", shelf: Shelf | None = None
    ) -> None:
        self.side: Side = side
        self.backend = ScriptedBackend(answer)
        self.shelf = shelf or Shelf()
        model = language_model(self.backend, folder)
        self.debater = Baseline(
            seat(model, side=side, code=code, search=self.shelf), Baseline.Options()
        )

    async def speak(self, stage: Stage) -> Draft:
        return await self.debater.speak(turn(self.side, stage))


@pytest.mark.parametrize(
    ("side", "stage", "query"),
    [
        ("pro", "constructive", MOTION),
        ("con", "constructive", MOTION),
        ("pro", "rebuttal", "The constructive of con as it was spoken."),
        ("con", "rebuttal", "The rebuttal of pro as it was spoken."),
        ("con", "summary", "The rebuttal of pro as it was spoken."),
        ("pro", "summary", "The summary of con as it was spoken."),
    ],
)
async def test_it_searches_for_the_motion_then_for_the_opponents_last_speech(
    side: Side, stage: Stage, query: str, tmp_path: Path
) -> None:
    work = AtWork(tmp_path, side)
    await work.speak(stage)
    assert [asked for _, asked in work.shelf.asked] == [query]


@in_both_languages
@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_the_call_shows_the_disclosed_debate_and_the_raw_results(
    side: Side, stage: Stage, code: str, tmp_path: Path
) -> None:
    work = AtWork(tmp_path, side, code)
    await work.speak(stage)
    (request,) = work.backend.requests
    spoken = language(code)
    assert (request.language, request.task) == (code, f"write.{stage}")
    assert MOTION in request.messages[0].text and SLIDE in request.messages[0].text
    assert request.variables["side"] == spoken.sides[side]
    assert request.variables["opponent"] == spoken.sides[other_side(side)]
    shown = [one.text for one in speeches(SEEN[side, stage])]
    assert texts(request, spoken.terms["speech"]) == shown
    ((_, query),) = work.shelf.asked
    assert texts(request, spoken.terms["results"]) == [
        f"[{spoken.marks[side]}1] origin of {query} — excerpt of {query}"
    ]


async def test_results_are_numbered_through_the_whole_debate(tmp_path: Path) -> None:
    shelf = Shelf({MOTION: (ONE,), CON_SPOKE: (TWO, ONE), CON_ENDED: ()})
    work = AtWork(tmp_path, shelf=shelf)
    drafts = {stage: await work.speak(stage) for stage in STAGES}
    assert [texts(request, "results") for request in work.backend.requests] == [
        ["[P1] Report A — Hours fell by a tenth."],
        ["[P2] Study B — Output stayed the same.\n[P1] Report A — Hours fell by a tenth."],
        ["(Nothing was found.)"],
    ]
    first, second = (
        Reference(number=number, origin=one.origin, excerpt=one.excerpt, side="pro")
        for number, one in ((1, ONE), (2, TWO))
    )
    assert list(drafts["summary"].known) == [first, second]


async def test_the_trace_says_what_was_searched_found_and_used(tmp_path: Path) -> None:
    shelf = Shelf({MOTION: (ONE, TWO)})
    draft = await AtWork(tmp_path, shelf=shelf).speak("constructive")
    assert draft.trace == [
        {
            "agent": "Search",
            "query": MOTION,
            "results": [
                {"number": 1, "origin": "Report A", "excerpt": "Hours fell by a tenth."},
                {"number": 2, "origin": "Study B", "excerpt": "Output stayed the same."},
            ],
            "used": [1],
        },
        {"agent": "Writer", "marker": "finished"},
    ]
    assert json.loads(json.dumps(draft.trace)) == draft.trace


@in_both_languages
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("failure", ["", "no quota is left"])
async def test_a_search_that_fails_or_finds_nothing_changes_the_trace_and_no_more(
    failure: str, side: Side, code: str, tmp_path: Path
) -> None:
    work = AtWork(tmp_path, side, code, Shelf({}, failure=failure))
    for stage in STAGES:
        draft = await work.speak(stage)
        assert draft.text == f"Speech of {side}/{stage}/writer/1 [1, 7]."
        step = draft.trace[0]
        assert (step["results"], step["used"]) == ([], [])
        assert step.get("failed", "") == failure
        assert list(draft.known) == []
    spoken = language(code)
    for request in work.backend.requests:
        assert texts(request, spoken.terms["results"]) == [spoken.terms["nothing_found"]]
        assert "no quota" not in request.text()


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Wages rise [1]. So does\noutput [2, 3].", "Wages rise. So does output."),
        ("工资上涨[1]。产出也上涨。", "工资上涨。产出也上涨。"),
        ("It said “no.” Twice.", "It said “no.” Twice."),
        ("x" * 999, "x" * LONGEST_QUERY),
        (f"Short one. {'y' * 500}. Late one.", "Short one."),
        ("Wages rise [P1]. So does output [c2, 3].", "Wages rise. So does output."),
        ("工资上涨[正1]。产出也上涨【反2】。", "工资上涨。产出也上涨。"),
        ("[1]", ""),
    ],
)
def test_a_query_is_the_opening_of_a_speech_without_its_marks(message: str, query: str) -> None:
    assert opening(message) == query


async def test_where_the_opponent_said_nothing_searchable_the_motion_is_the_query(
    tmp_path: Path,
) -> None:
    work = AtWork(tmp_path)
    disclosed = (speech("pro", "constructive"), speech("con", "constructive", "[1]"))
    await work.debater.speak(Turn(stage="rebuttal", disclosed=disclosed))
    assert [query for _, query in work.shelf.asked] == [MOTION]
