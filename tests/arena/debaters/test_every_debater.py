"""What holds for every debater: it sees what it may, for its side, in its language, and no more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.debater import Debater, Turn
from arena.debates.protocol import play
from arena.languages import LANGUAGES, STAGES, Side, Stage
from arena.llm.request import Completion, Request
from arena.plugins import debater_class
from arena.records import Speech
from tests.support.case_lists import for_every
from tests.support.debate_seats import (
    MOTION,
    SLIDE,
    language_model,
    request_at,
    seat,
    seats,
    unquoted,
)
from tests.support.debaters_at_work import Answer, AtWork, form, never_settles, said
from tests.support.registered_debaters import CASES, SPEAKERS, at_work
from tests.support.scripted_backend import ScriptedBackend

_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
#: Debaters that the scripts of `debaters_at_work` can answer; `agent4debate` has tests of its own.
NAMES = ["cot", "self_reflect", "self_consistency", "rerank", "americano", "mad", "debate_to_write"]
#: Lets every prompt be rendered.
BUSY: dict[str, Answer] = {
    "reviewer": form(marker="revise", suggestions=["More."]),
    "judge": never_settles,
    "critic": form(objection="Not yet.", marker="objects"),
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


#: Sampling at first, and options that are refused.
SAMPLED = dict.fromkeys(("direct", "cot", "baseline", "cot_plan", "agent4debate"), (0.2, 0.75))
SAMPLED |= dict.fromkeys(("mad", "maps"), (0.0, 1.0)) | {"debate_to_write": (1.0, 1.0)}
SAMPLED |= dict.fromkeys(("rerank", "self_consistency"), (0.7, 1.0))
REFUSED: Mapping[str, list[Mapping[str, object]]] = {
    **dict.fromkeys(("direct", "cot", "baseline", "cot_plan"), [{"searcher": True}]),
    "agent4debate": [
        {"search": True},
        {"max_revisions": -1},
        {"max_searches": 21},
        {"reviewer": "perhaps"},
    ],
    "mad": [{"level": 4}, {"debaters": 1}, {"max_rounds": 0}, {"models": {"jury": "openai/o1"}}],
    "maps": [
        {"aspects": []},
        {"aspects": ["topics", "topics"]},
        {"aspects": ["style"]},
        {"estimator": "bleurt:x"},
    ],
    "debate_to_write": [{"n_personas": 0}, {"n_personas": 11}, {"max_rounds": 0}, {"critic": True}],
}


@pytest.mark.parametrize("name", SAMPLED)
def test_the_sampling_is_that_of_the_papers(name: str) -> None:
    sampling = framework(name).sampling
    assert (sampling.temperature, sampling.top_p) == SAMPLED[name]


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_make_no_sense_are_refused(name: str) -> None:
    for options in REFUSED[name]:
        with pytest.raises(ValidationError):
            framework(name).Options.model_validate(options)


FORECAST: list[tuple[str, Mapping[str, object]]] = [
    *(("mad", options) for options in ({}, {"max_rounds": 1}, {"debaters": 3})),
    *(("debate_to_write", options) for options in ({}, {"n_personas": 5, "max_rounds": 2})),
    ("debate_to_write", {"personas": False}),
    *((name, {"max_revisions": n}) for name in ("self_reflect", "americano") for n in (0, 1, 3)),
    *((name, {"samples": n}) for name in ("self_consistency", "rerank") for n in (1, 2, 7)),
]


@pytest.mark.parametrize("busy", [False, True], ids=["content", "never"])
@pytest.mark.parametrize(("name", "options"), FORECAST)
async def test_the_forecast_brackets_what_it_takes(
    name: str, options: Mapping[str, object], busy: bool, tmp_path: Path
) -> None:
    made = await AtWork(framework(name), BUSY if busy else {}, **options).play(tmp_path, *STAGES)
    checked = framework(name).Options.model_validate(options)
    low, likely, high = framework(name).forecast(checked, 600).calls
    assert low <= len(made.backend.requests) <= high
    assert low <= likely <= high


@for_every(NAMES)
async def test_a_chinese_prompt_has_no_english_words(name: str, tmp_path: Path) -> None:
    for request in await requests(name, tmp_path, "con", "zh"):
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


#: As a participant has it where nothing is set.
_MOST = 4096
#: What was asked for one speech, by case, language and words; tests only read it.
_LIMITED: dict[tuple[str, str, int], list[Request]] = {}


async def asked(case: str, folder: Path, code: str, words: int) -> list[Request]:
    key = (case, code, words)
    if key not in _LIMITED:
        _LIMITED[key] = await ask_once(case, folder, code, words)
    return _LIMITED[key]


async def ask_once(case: str, folder: Path, code: str, words: int) -> list[Request]:
    name, options = CASES[case]
    made = at_work(case)
    model = language_model(made.backend, folder)
    model = replace(model, sampling=replace(model.sampling, max_tokens=_MOST))
    framework = debater_class(name)
    place = seat(model, code=code, words=words, search=made.shelf)
    debater = framework(place, framework.Options.model_validate(options))
    await debater.speak(Turn(stage="constructive", disclosed=()))
    return made.backend.requests


@for_every(CASES, LANGUAGES)
async def test_every_call_has_a_limit_of_its_own(case: str, code: str, tmp_path: Path) -> None:
    for request in await asked(case, tmp_path, code, 400):
        assert request.sampling.max_tokens < _MOST, request.path


@for_every(CASES)
async def test_the_limit_of_a_speech_grows_with_the_speech(case: str, tmp_path: Path) -> None:
    limits = []
    for words in (100, 400):
        requests = await asked(case, tmp_path / str(words), "en", words)
        speaking = [request for request in requests if request.path.split("/")[2] in SPEAKERS[case]]
        limits.append([request.sampling.max_tokens for request in speaking])
    assert limits[0] and all(few < many for few, many in zip(*limits, strict=True))


@for_every(CASES, LANGUAGES)
async def test_a_limit_has_room_for_what_the_prompt_allows(
    case: str, code: str, tmp_path: Path
) -> None:
    allowed = re.compile(r"(?:at most|不超过)\s*(\d+)\s*(?:words|个字)")
    for request in await asked(case, tmp_path, code, 400):
        caps = [int(number) for number in allowed.findall(request.messages[-1].text)]
        assert request.sampling.max_tokens >= 1.5 * max([*caps, 0] if caps else [0])


LONG = "We say it briefly, we say. " * 8
SHORT = "We say it briefly."
MORE = form(reasoning="", marker="revise", suggestions=["Say it well."])
FINE = form(reasoning="", marker="accept", suggestions=[])
#: Paths of the review of a shortened constructive, and of the rewrite after it.
AFTER = {
    "agent4debate": ("pro/constructive/reviewer/2", "pro/constructive/writer/2"),
    "self_reflect": ("pro/constructive/reviewer/2", "pro/constructive/writer/2"),
}

with_a_reviewer = pytest.mark.parametrize("name", AFTER)


class Shortened:
    """A debate in which Pro's first speech is too long; its Reviewer accepted the long one."""

    def __init__(self, name: str, review: str, rewrite: str = "") -> None:
        self.name, self.answers = name, dict(zip(AFTER[name], (review, rewrite), strict=True))
        self.backend = ScriptedBackend(self._answer)

    async def play(self, folder: Path, **options: object) -> Speech:
        places = seats(self.backend, folder, words=12)
        debaters = {}
        names: dict[Side, str] = {"pro": self.name, "con": "direct"}
        for side, name in names.items():
            framework = debater_class(name)
            given = {"searcher": False, "analyzer": False} if name == "agent4debate" else {}
            chosen = (given | options) if side == "pro" else {}
            debaters[side] = framework(places[side], framework.Options.model_validate(chosen))
        played = await play(debaters)
        assert played.status == "finished", played.reason
        return played.speeches[0]

    def asked(self) -> list[str]:
        """The calls of Pro's constructive, without attempts."""
        start = "pro/constructive/"
        paths = [request.path for request in self.backend.requests]
        return [path.removeprefix(start) for path in paths if path.startswith(start)]

    def _answer(self, request: Request) -> str | Completion:
        if request.path in self.answers:
            return self.answers[request.path]
        if request.path == "pro/constructive/writer/1":
            return LONG
        return FINE if "reviewer" in request.path else SHORT


@with_a_reviewer
async def test_the_reviewer_sees_what_was_shortened(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, FINE)
    speech = await debate.play(tmp_path)
    assert debate.asked() == ["writer/1", "reviewer/1", "shorten", "reviewer/2"]
    assert said(request_at(debate.backend, AFTER[name][0]))[-1] == ("Writer", SHORT)
    assert "has 4 words" in request_at(debate.backend, AFTER[name][0]).text()
    assert speech.text == SHORT
    agents = [step["agent"] for step in speech.trace]
    assert agents == ["Writer", "Reviewer", "protocol", "Reviewer"]


@with_a_reviewer
async def test_the_writer_revises_once_with_the_count(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, MORE, "We say it briefly and well.")
    speech = await debate.play(tmp_path)
    assert debate.asked() == ["writer/1", "reviewer/1", "shorten", "reviewer/2", "writer/2"]
    assert "has 4 words" in request_at(debate.backend, AFTER[name][1]).text()
    assert (speech.text, speech.trimmed) == ("We say it briefly and well.", False)


@with_a_reviewer
async def test_a_revision_that_is_too_long_again_is_cut_at_a_sentence(
    name: str, tmp_path: Path
) -> None:
    speech = await Shortened(name, MORE, "We say it well. " * 4).play(tmp_path)
    assert (speech.text, speech.trimmed) == (
        "We say it well. We say it well. We say it well.",
        True,
    )


@with_a_reviewer
@pytest.mark.parametrize("review", ["The draft is fine.", MORE])
async def test_a_muddle_leaves_the_shortened_speech(name: str, review: str, tmp_path: Path) -> None:
    speech = await Shortened(name, review, rewrite="").play(tmp_path)
    assert speech.text == SHORT


@with_a_reviewer
async def test_without_a_reviewer_nobody_is_asked(name: str, tmp_path: Path) -> None:
    debate = Shortened(name, MORE)
    speech = await debate.play(tmp_path, max_revisions=0)
    assert (speech.text, debate.asked()) == (SHORT, ["writer/1", "shorten"])
