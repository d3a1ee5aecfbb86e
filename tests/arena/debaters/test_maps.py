"""`maps`: what is studied, which answers the notes lead to, and which one is delivered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.debater import Draft, Turn
from arena.debaters.agent_dialogue import LEFT_OUT
from arena.debaters.maps import Maps, Options
from arena.errors import Refusal
from arena.languages import language
from arena.llm.request import Completion, Request
from tests.support.debate_seats import MOTION, paths, seats, texts
from tests.support.scripted_backend import ScriptedBackend, completion
from tests.support.translation_estimators import installed

QUESTION = Turn(stage="answer", disclosed=())
REFUSED = completion("No.", finish="refusal")
REPLIES: Mapping[str, object] = {
    "analyst/1": {"keywords": [{"source": "炒鱿鱼", "meaning": "to be dismissed"}]},
    "analyst/2": {"topics": ["Work", "Everyday speech"]},
    "analyst/3": {"demonstrations": [{"question": "他下课了。", "answer": "He lost his post."}]},
    "writer/1": {"answer": "He was fried with squid."},
    "writer/2": {"answer": "He was fired."},
    "writer/3": {"answer": "He lost his squid."},
    "writer/4": {"answer": "He was dismissed."},
    "chooser/1": {
        "marks": [{"draft": n, "reason": "So.", "mark": 9 - 2 * (n == 1) - n} for n in (1, 2, 3, 4)]
    },
}

in_both_languages = pytest.mark.parametrize("code", ["en", "zh"])


async def answered(
    folder: Path, changes: Mapping[str, object] = {}, *, code: str = "en", **options: object
) -> tuple[Draft, ScriptedBackend]:
    replies = {**REPLIES, **changes}

    def script(request: Request) -> str | Completion:
        answer = replies[request.path.removeprefix("pro/answer/")]
        return answer if isinstance(answer, Completion) else json.dumps(answer)

    backend = ScriptedBackend(script)
    seat = seats(backend, folder, code=code)["pro"]
    return await Maps(seat, Options.model_validate(options)).speak(QUESTION), backend


@in_both_languages
async def test_each_aspect_leads_to_an_answer_and_the_best_is_delivered(
    code: str, tmp_path: Path
) -> None:
    draft, backend = await answered(tmp_path, code=code)
    assert draft.text == "He was fired."
    assert paths(backend) == [f"pro/answer/{place}" for place in REPLIES]
    terms = language(code).terms
    by_path = {request.path.removeprefix("pro/answer/"): request for request in backend.requests}
    notes = {
        place: texts(by_path[place], terms["material"]) for place in by_path if "writer" in place
    }
    assert notes == {
        "writer/1": [],
        "writer/2": ["炒鱿鱼 = to be dismissed"],
        "writer/3": ["Work\nEveryday speech"],
        "writer/4": ["他下课了。 => He lost his post."],
    }
    assert texts(by_path["chooser/1"], terms["draft"]) == [
        REPLIES[f"writer/{n}"]["answer"]  # type: ignore[index]
        for n in (1, 2, 3, 4)
    ]
    for request in backend.requests:
        assert MOTION in request.text() and request.language == code


async def test_the_trace_keeps_notes_and_answers(tmp_path: Path) -> None:
    draft, _ = await answered(tmp_path)
    aspects = [step["aspect"] for step in draft.trace if step["agent"] == "Analyst"]
    assert aspects == ["keywords", "topics", "demonstrations"]
    written = [
        (step["draft"], step["aspect"], step["answer"])
        for step in draft.trace
        if step["agent"] == "Writer"
    ]
    assert written[0] == (1, "plain", "He was fried with squid.")
    assert written[3] == (4, "demonstrations", "He was dismissed.")
    assert draft.trace[-1] == {"agent": "Chooser", "chosen": 2, "of": 4}


async def test_equal_answers_need_no_choice(tmp_path: Path) -> None:
    same = {f"writer/{n}": {"answer": "He was fired. "} for n in (1, 2, 3, 4)}
    draft, backend = await answered(tmp_path, same)
    assert draft.text.strip() == "He was fired."
    assert len(backend.requests) == 7


async def test_aspects_can_be_left_out(tmp_path: Path) -> None:
    replies = {"analyst/1": REPLIES["analyst/2"]}
    draft, backend = await answered(tmp_path, replies, aspects=["topics"])
    assert [path.split("/")[2] for path in paths(backend)] == [
        "analyst",
        "writer",
        "writer",
        "chooser",
    ]
    assert draft.text == "He was fired."


async def test_notes_and_answers_of_no_use_are_left_out(tmp_path: Path) -> None:
    changes = {
        "analyst/1": REFUSED,
        "analyst/2": {"topics": [" "]},
        "writer/2": REFUSED,
    }
    draft, backend = await answered(tmp_path, changes)
    assert draft.text == "He was fried with squid."
    assert len(backend.requests) == 5, "three notes, and answers without and with examples"
    fallbacks = [(step["agent"], step["fallback"]) for step in draft.trace if "fallback" in step]
    assert fallbacks == [("Analyst", "no notes on keywords"), ("Writer", LEFT_OUT)]


async def test_a_trained_estimator_may_choose_among_translations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in counts the words that a translation shares with its source."""
    translations = {
        f"writer/{n}": {"answer": text}
        for n, text in enumerate(("what", "er lange", "nobody", "lange"), start=1)
    }

    def script(request: Request) -> str:
        replies = {**REPLIES, **translations}
        return json.dumps(replies[request.path.removeprefix("pro/answer/")])

    backend = ScriptedBackend(script)
    seat = replace(
        seats(backend, tmp_path)["pro"], motion="Translate this sentence: er schwieg lange"
    )
    options = Options(estimator="comet:Unbabel/wmt22-cometkiwi-da")
    with installed(tmp_path, monkeypatch):
        draft = await Maps(seat, options).speak(QUESTION)
    assert draft.text == "er lange"
    assert draft.trace[-2]["estimator"] == "COMET (Unbabel/wmt22-cometkiwi-da)"
    assert len(backend.requests) == 7, "nobody is asked for marks"


def test_the_preset_names_the_estimator_of_the_paper() -> None:
    plain, paper = Options(), Options(preset="paper")
    assert plain.model_dump().keys() == {"aspects"}
    assert paper == Options(preset="paper", estimator="comet:zwhe99/wmt21-comet-qe-da")
    assert paper.aspects == plain.aspects


async def test_where_every_answer_is_refused_the_refusal_is_raised(tmp_path: Path) -> None:
    with pytest.raises(Refusal):
        await answered(tmp_path, {f"writer/{n}": REFUSED for n in (1, 2, 3, 4)})


async def test_a_choice_of_no_use_takes_the_first_answer(tmp_path: Path) -> None:
    draft, _ = await answered(tmp_path, {"chooser/1": REFUSED})
    assert draft.text == "He was fried with squid."


async def test_the_forecast_brackets_what_it_takes(tmp_path: Path) -> None:
    _, backend = await answered(tmp_path)
    low, likely, high = Maps.forecast(Options(), 600).calls
    assert low <= len(backend.requests) <= high and low <= likely <= high


def test_it_answers_questions_only() -> None:
    assert Maps.contests == ("question",)
