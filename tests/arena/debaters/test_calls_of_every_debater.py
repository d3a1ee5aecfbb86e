"""Who is asked when, of every debater at its caps: in both languages, on both sides, and blind.

The sequences are written down from the descriptions of the systems, not from what runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

from arena.debater import Debater
from arena.debates.protocol import PlayedDebate, play
from arena.languages import LANGUAGES, SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Completion, Request
from arena.plugins import debater_class
from tests.support.case_lists import for_every
from tests.support.debate_seats import (
    MOTION,
    SAMPLING,
    SEEN,
    SLIDE,
    neutral,
    seats,
    speeches,
    texts,
)
from tests.support.debaters_at_work import AtWork
from tests.support.registered_debaters import CASES, at_work, saying
from tests.support.scripted_backend import ScriptedBackend, completion

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
    "cot_plan as in the paper": ("PW", ""),
    "baseline": ("W", ""),
    "agent4debate": ("SSSAW" + 3 * _ASKED + _REVIEWED, "AW" + 3 * _ASKED + _REVIEWED),
    # The last revision is reviewed too.
    "agent4debate, paper": (
        "SSSAW" + 3 * _ASKED + _REVIEWED + "R",
        "AW" + 3 * _ASKED + _REVIEWED + "R",
    ),
    # A query, the end and the synthesis.
    "searching in steps": ("SSSAW" + 3 * _ASKED + _REVIEWED, "AW" + 3 * _ASKED + _REVIEWED),
    "without searcher": ("AW" + _REVIEWED, ""),
    "without analyzer": ("SSSW" + 3 * _ASKED + _REVIEWED, "W" + 3 * _ASKED + _REVIEWED),
    "without reviewer": ("SSSAW" + 3 * _ASKED, "AW" + 3 * _ASKED),
    "self_reflect": ("W" + _REVIEWED, ""),
    "self_consistency": ("WWWWWC", ""),
    "rerank": ("WWWWC", ""),
    "americano": ("WRWWRWWRWC", ""),
    "mad": ("ANJANJANJJ", ""),
    "mad, all rounds": ("ANJANJANJ", ""),
    "mad, paper": ("ANJANJANJJJ", ""),
    "debate_to_write": ("PT" + _TALK + "PW", _TALK + "PW"),
    "without personas": (_TALK + "PW", ""),
}
#: Searches of a speech: the queries that a case asks of the search tool, by stage.
SEARCHES: Mapping[str, tuple[int, int]] = {
    "baseline": (1, 1),
    "agent4debate": (4, 3),
    "agent4debate, paper": (4, 3),
    "searching in steps": (4, 3),
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
        # A team is chosen for the motion, before there is any speech.
        early = request.path.split("/")[2] in ("personas", "selector")
        assert texts(request, spoken.terms["speech"]) == ([] if early else disclosed)
        assert request.variables.get("stage", spoken.stages[stage]) == spoken.stages[stage]
        hidden = [speech.text for speech in speeches() if speech.text not in disclosed]
        assert not any(text in request.text() for text in hidden), request.path
        assert request.language == code and MOTION in request.text()
        assert request.sampling == SAMPLING
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
        own = neutral(pro, "pro", code)
        assert own == neutral(con, "con", code), pro.path
        assert "mine" in own, pro.path


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


@for_every(CASES)
async def test_the_forecast_brackets_the_busiest(case: str, tmp_path: Path) -> None:
    name, options = CASES[case]
    framework = debater_class(name)
    low, likely, high = framework.forecast(framework.Options.model_validate(options), 600).calls
    assert low <= likely <= high
    assert low <= len((await played(case, tmp_path, "pro", "en")).backend.requests) <= high


Model: TypeAlias = Callable[[Request], str | Completion]

ENGLISH = (
    "A shorter week keeps people healthy, because rest prevents the errors that tired staff make; "
    "the trials that were run in offices and in workshops found the same output in fewer hours, "
    "and fewer days of sick leave, so nobody loses and most people gain a great deal from it."
)
CHINESE = (
    "缩短工作周能让人保持健康，因为休息可以避免疲劳造成的失误；"
    "在办公室和车间进行的试点都发现，工时减少而产量不变，病假也更少，"
    "所以没有人吃亏，大多数人都从中受益，社会也因此更加稳定而富有活力。"
)
RIGHT = {"en": ENGLISH, "zh": CHINESE}
BOTH = {"en": f"Pro: {ENGLISH}\nCon: {ENGLISH}", "zh": f"正方：{CHINESE}\n反方：{CHINESE}"}


def refusing(code: str) -> Model:
    return lambda request: completion("I would rather not.", finish="refusal")


def silent(code: str) -> Model:
    return lambda request: ""


def foreign(code: str) -> Model:
    return saying(RIGHT["zh" if code == "en" else "en"])


def two_faced(code: str) -> Model:
    return saying(BOTH[code])


#: What a model does, and the errors by which the forfeit may be called.
BAD: Mapping[str, tuple[Callable[[str], Model], tuple[str, ...]]] = {
    "refuses": (refusing, ("Refusal",)),
    "says nothing": (silent, ("EmptyReply", "UnparseableReply")),
    "speaks another language": (foreign, ("WrongLanguage",)),
    "speaks for both": (two_faced, ("BothSides",)),
}

IN_BOTH: Sequence[tuple[str, Side]] = [("en", "pro"), ("zh", "con")]


async def against(case: str, bad: Model, folder: Path, side: Side, code: str) -> PlayedDebate:
    """A debate in which one side's model is bad, against a plain debater with a good one."""
    good = saying(RIGHT[code])
    backend = ScriptedBackend(
        lambda request: (bad if request.path.startswith(f"{side}/") else good)(request)
    )
    name, options = CASES[case]
    places = seats(backend, folder, code=code)
    debaters: dict[Side, Debater] = {}
    for seat_side in SIDES:
        framework = debater_class(name if seat_side == side else "direct")
        checked = framework.Options.model_validate(options if seat_side == side else {})
        debaters[seat_side] = framework(places[seat_side], checked)
    return await play(debaters)


@for_every(CASES, BAD, IN_BOTH)
async def test_a_bad_model_forfeits_by_the_name_of_its_fault(
    case: str, fault: str, code: str, side: Side, tmp_path: Path
) -> None:
    bad, names = BAD[fault]
    result = await against(case, bad(code), tmp_path, side, code)
    assert (result.status, result.forfeited) == ("forfeit", side)
    assert any(f"constructive: {name}" in result.reason for name in names), result.reason
    assert [speech.side for speech in result.speeches] == [other_side(side)]


@for_every(CASES, IN_BOTH)
async def test_a_good_one_finishes(case: str, code: str, side: Side, tmp_path: Path) -> None:
    result = await against(case, saying(RIGHT[code]), tmp_path, side, code)
    assert result.status == "finished" and len(result.speeches) == 6
    own = {speech.text for speech in result.speeches if speech.side == side}
    assert own == {RIGHT[code]}


@for_every(CASES, IN_BOTH)
async def test_a_speech_that_is_mended_is_noted_in_the_trace(
    case: str, code: str, side: Side, tmp_path: Path
) -> None:
    wrong, right = foreign(code), saying(RIGHT[code])

    def mends(request: Request) -> str | Completion:
        return (right if request.path.endswith("/again") else wrong)(request)

    result = await against(case, mends, tmp_path, side, code)
    assert result.status == "finished"
    for speech in result.speeches:
        if speech.side != side:
            continue
        again = [step for step in speech.trace if step.get("action") == "again"]
        assert [step["fault"] for step in again] == ["WrongLanguage"]
        assert speech.text == RIGHT[code]
