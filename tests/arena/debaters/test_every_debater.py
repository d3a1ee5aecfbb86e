"""What holds for every debater: it sees what it may, for its side, in its language, and no more."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest

from arena.debater import Debater
from arena.languages import LANGUAGES, SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Request
from arena.plugins import debater_class
from tests.command_line import done
from tests.commands import ask
from tests.every import for_every
from tests.making import Answer, AtWork, form, never_settles
from tests.seats import MOTION, ORDER, SAMPLING, SEEN, SLIDE, neutral, speeches, texts, unquoted

pytestmark = pytest.mark.usefixtures("no_stored_boards")

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
#: Debaters that the scripts of `tests.making` can answer; `agent4debate` has tests of its own.
NAMES = ["cot", "self_reflect", "self_consistency", "rerank", "americano", "mad", "debate_to_write"]
#: Lets every prompt be rendered.
BUSY: dict[str, Answer] = {
    "reviewer": form(marker="revise", suggestions=["More."]),
    "judge": never_settles,
}


def framework(name: str) -> type[Debater]:
    return debater_class(name)


#: What was asked, by debater, side, language and stages; tests only read it.
_ASKED: dict[tuple[str, Side, str, tuple[Stage, ...]], list[Request]] = {}


async def requests(name: str, folder: Path, side: Side, code: str, *stages: Stage) -> list[Request]:
    key = (name, side, code, stages or STAGES)
    if key not in _ASKED:
        made = AtWork(framework(name), BUSY)
        _ASKED[key] = (await made.play(folder, *key[-1], side=side, code=code)).backend.requests
    return _ASKED[key]


def about_speeches(made: list[Request]) -> list[Request]:
    """The requests about a speech; a team is chosen for the motion, before there is any."""
    early = ("personas", "selector")
    return [request for request in made if request.path.split("/")[2] not in early]


def test_the_built_in_debaters_are_registered_like_a_strangers() -> None:
    registered = {point.name for point in entry_points(group="arena.debaters")}
    assert registered >= {"direct", "agent4debate", *NAMES}


@for_every(NAMES, LANGUAGES, ORDER)
async def test_every_call_shows_the_motion_the_side_and_the_debate_so_far(
    name: str, code: str, side: Side, stage: Stage, tmp_path: Path
) -> None:
    spoken = language(code)
    for request in await requests(name, tmp_path, side, code, stage):
        text = request.text()
        assert request.language == code
        assert request.sampling == SAMPLING
        assert MOTION in text and SLIDE in text
        assert request.variables["side"] == spoken.sides[side]
        assert request.variables["opponent"] == spoken.sides[other_side(side)]
    for request in about_speeches(await requests(name, tmp_path / "again", side, code, stage)):
        shown = texts(request, spoken.terms["speech"])
        assert shown == [speech.text for speech in speeches(SEEN[side, stage])]


@for_every(NAMES, LANGUAGES)
async def test_the_sides_prompts_differ_in_the_sides_words_only(
    name: str, code: str, tmp_path: Path
) -> None:
    read = {
        side: [
            neutral(request, side, code)
            for request in await requests(name, tmp_path / side, side, code)
        ]
        for side in SIDES
    }
    assert read["pro"]
    for pro, con in zip(read["pro"], read["con"], strict=True):
        assert pro == con
        assert "mine" in pro


@for_every(NAMES)
async def test_both_languages_make_the_same_calls(name: str, tmp_path: Path) -> None:
    made = {code: await requests(name, tmp_path / code, "con", code) for code in LANGUAGES}
    calls = {code: [(request.path, request.task) for request in made[code]] for code in LANGUAGES}
    assert calls["en"] == calls["zh"]
    for request in made["zh"]:
        plain = unquoted(request).replace(MOTION, "").replace(SLIDE, "")
        plain = re.sub(r"`[^`]*`", "", plain)  # JSON and its field names
        if request.schema is not None:
            plain = plain.replace(request.schema.text(), "")
        assert re.findall(r"[A-Za-z]{2,}", plain) == []


@for_every(NAMES)
async def test_a_limit_and_the_stages_duties_stand_in_every_call(name: str, tmp_path: Path) -> None:
    for request in about_speeches(await requests(name, tmp_path, "pro", "en")):
        assert "At most 600 words" in request.text()
        stage = request.path.split("/")[1]
        duties = {
            "constructive": "Define the terms that matter",
            "rebuttal": "Take up Con's most important points",
            "summary": "Make no new arguments",
        }
        assert [key for key, duty in duties.items() if duty in request.text()] == [stage]


@for_every(NAMES)
async def test_later_calls_of_a_speech_begin_as_earlier_ones(name: str, tmp_path: Path) -> None:
    # What differs comes last, so that providers can bill a common beginning less.
    made = await requests(name, tmp_path, "pro", "en", "summary")
    dialogues = [request for request in made if "dialogue" in request.variables]
    for earlier, later in pairwise(dialogues):
        start = earlier.text().index(earlier.variables["dialogue"])
        assert later.text()[:start] == earlier.text()[:start]


TOURNAMENT = """
[tournament]
name = "every"
languages = ["en", "zh"]
[schedule]
kind = "gauntlet"
newcomers = ["direct"]
matchups_per_pair = 2
"""
PARTICIPANT = """
[[participants]]
name = "{name}"
debater = "{name}"
model = "offline/fair"
"""
BENCH = """
[[benches]]
name = "debatrix"
judge = "debatrix"
model = "offline/fair"
options = { mode = "single_pass" }
runs = 1
"""


@pytest.mark.slow
def test_an_offline_tournament_of_one_of_each_plays_through(tmp_path: Path) -> None:
    file, db = tmp_path / "every.toml", tmp_path / "every.duckdb"
    others = [*NAMES, "agent4debate", "baseline", "cot_plan"]
    entered = "".join(PARTICIPANT.format(name=name) for name in ["direct", *others])
    file.write_text(TOURNAMENT + entered + BENCH, "utf-8")
    done("run", file, "--yes", "--db", db)
    played = 2 * 2 * len(others)
    assert ask(db, "SELECT status, count(*) FROM debates GROUP BY 1") == [("finished", played)]
    assert ask(db, "SELECT count(*) FROM speeches WHERE words = 0 OR words > 960") == [(0,)]
    assert ask(db, "SELECT DISTINCT status FROM ballots") == [("valid",)]
    spoken = (
        "SELECT count(*) FROM speeches WHERE contains(text, '{{') OR contains(text, '\"speech\"')"
    )
    assert ask(db, spoken) == [(0,)]
    query = "SELECT language, text FROM speeches JOIN debates USING (debate_id)"
    texts = [(language, str(text)) for language, text in ask(db, query)]
    assert {language for language, _ in texts} == {"en", "zh"}
    assert all(bool(_IDEOGRAPH.search(text)) == (language == "zh") for language, text in texts)
