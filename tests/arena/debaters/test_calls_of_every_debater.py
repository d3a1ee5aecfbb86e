"""Who is asked when, of every debater at its caps: in both languages, on both sides, and blind.

The sequences are written down from the descriptions of the systems, not from what runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path

from arena.languages import LANGUAGES, SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Request
from tests.every import for_every
from tests.every_debater import CASES, at_work
from tests.making import AtWork
from tests.seats import MOTION, SEEN, SLIDE, neutral, speeches, texts

#: By their first letters: Searcher, Analyzer, Writer, Reviewer, Chooser or Composer, Affirmative,
#: Negative, Judge, Planner, Member; `X` is the Critic, `P` before members the pool of personas,
#: `T` the choice of the team.
_ASKED = "SSSW"  # a search (queries, their correction, the synthesis), then the Writer again
_REVIEWED = "RWRWRW"  # three reviews, so four drafts
_TALK = "MMMX" * 3  # three rounds of three members and the critic

#: The first stage, and the later ones where they differ.
CALLS: Mapping[str, tuple[str, str]] = {
    "direct": ("W", ""),
    "cot": ("W", ""),
    "cot_plan": ("PW", ""),
    "baseline": ("W", ""),
    "agent4debate": ("SSSAW" + 3 * _ASKED + _REVIEWED, "AW" + 3 * _ASKED + _REVIEWED),
    "without searcher": ("AW" + _REVIEWED, ""),
    "without analyzer": ("SSSW" + 3 * _ASKED + _REVIEWED, "W" + 3 * _ASKED + _REVIEWED),
    "without reviewer": ("SSSAW" + 3 * _ASKED, "AW" + 3 * _ASKED),
    "self_reflect": ("W" + _REVIEWED, ""),
    "self_consistency": ("WWWWWC", ""),
    "rerank": ("WWWWC", ""),
    "americano": ("WRWWRWWRWC", ""),
    "mad": ("ANJANJANJJ", ""),
    "mad, all rounds": ("ANJANJANJ", ""),
    "debate_to_write": ("PT" + _TALK + "PW", _TALK + "PW"),
    "without personas": (_TALK + "PW", ""),
}
#: Searches of a speech: the queries that a case asks of the search tool, by stage.
SEARCHES: Mapping[str, tuple[int, int]] = {
    "baseline": (1, 1),
    "agent4debate": (4, 3),
    "without analyzer": (4, 3),
    "without reviewer": (4, 3),
}
_LETTERS = {"critic": "X", "selector": "T"}


def letters(made: AtWork, stage: Stage, side: Side) -> str:
    agents = [path.split("/")[0] for path in made.calls(stage, side)]
    return "".join(_LETTERS.get(agent, agent[0].upper()) for agent in agents)


#: What was played, by case, side and language; tests only read it.
_PLAYED: dict[tuple[str, Side, str], AtWork] = {}


async def played(case: str, folder: Path, side: Side, code: str) -> AtWork:
    key = (case, side, code)
    if key not in _PLAYED:
        _PLAYED[key] = await at_work(case).play(folder, *STAGES, side=side, code=code)
    return _PLAYED[key]


def test_no_debater_is_missing() -> None:
    own = {
        point.name
        for point in entry_points(group="arena.debaters")
        if point.value.startswith("arena.debaters.") and "debate" in point.load().contests
    }
    assert {name for name, _ in CASES.values()} == own - {"human"}
    assert set(CALLS) == set(CASES)


@for_every(CASES, LANGUAGES, SIDES)
async def test_who_is_asked_when(case: str, code: str, side: Side, tmp_path: Path) -> None:
    made = await played(case, tmp_path, side, code)
    first, later = CALLS[case]
    for stage in STAGES:
        asked = first if stage == "constructive" else later or first
        assert letters(made, stage, side) == asked, stage
        searched = [path for path, _ in made.shelf.asked if path.startswith(f"{stage}/")]
        assert len(searched) == SEARCHES.get(case, (0, 0))[stage != "constructive"], stage


@for_every(CASES, LANGUAGES, SIDES)
async def test_a_call_shows_what_was_disclosed_and_nothing_that_was_not(
    case: str, code: str, side: Side, tmp_path: Path
) -> None:
    spoken = language(code)
    made = await played(case, tmp_path, side, code)
    for request in made.backend.requests:
        stage = next(stage for stage in STAGES if f"/{stage}/" in request.path)
        disclosed = [speech.text for speech in speeches(SEEN[side, stage])]
        assert texts(request, spoken.terms["speech"]) in (disclosed, [])
        hidden = [speech.text for speech in speeches() if speech.text not in disclosed]
        assert not any(text in request.text() for text in hidden), request.path
        assert request.language == code and MOTION in request.text()
        if request.schema is None or request.task.startswith(("write", "plan", "choose")):
            assert SLIDE in request.text(), request.path


@for_every(CASES, LANGUAGES, SIDES)
async def test_no_call_names_a_side_wrongly(
    case: str, code: str, side: Side, tmp_path: Path
) -> None:
    words = language(code).sides
    for request in (await played(case, tmp_path, side, code)).backend.requests:
        named = request.variables
        assert named.get("side", words[side]) == words[side], request.path
        assert named.get("opponent", words[other_side(side)]) == words[other_side(side)]


@for_every(CASES, LANGUAGES)
async def test_the_sides_are_asked_the_same_with_their_words_exchanged(
    case: str, code: str, tmp_path: Path
) -> None:
    asked: dict[Side, list[Request]] = {}
    for side in SIDES:
        asked[side] = (await played(case, tmp_path / side, side, code)).backend.requests
    for pro, con in zip(asked["pro"], asked["con"], strict=True):
        assert pro.path.removeprefix("pro/") == con.path.removeprefix("con/")
        assert neutral(pro, "pro", code) == neutral(con, "con", code), pro.path


@for_every(CASES, SIDES)
async def test_both_languages_lead_to_the_same_calls(case: str, side: Side, tmp_path: Path) -> None:
    made = [
        [
            (request.path, request.task, request.schema.name if request.schema else "")
            for request in (await played(case, tmp_path / code, side, code)).backend.requests
        ]
        for code in LANGUAGES
    ]
    assert made[0] == made[1]
