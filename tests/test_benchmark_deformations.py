"""Debates and ballots of a good model whose answers are deformed, once or always."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from arena.debates.correction import clean_speech
from arena.languages import LANGUAGES, language
from arena.llm.answers import read_composition, read_form
from arena.llm.request import Request
from arena.llm.schemas import schema_of
from arena.llm.thinking import strip_thinking
from arena.records import Sampling
from benchmarks import deformations
from benchmarks.answer_kinds import KINDS
from benchmarks.debaters import debaters
from benchmarks.deformations import (
    JUDGES,
    Outcome,
    check_kind,
    judge,
    make_backend,
    play,
    uneven_debate,
)
from benchmarks.deforming import DEFORMATIONS, Answer, read_answer
from tests.support.case_lists import for_every

#: Deformations that leave the whole answer there.
WHOLE = [kind for kind in DEFORMATIONS if kind != "cut tail"]


class Decision(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    reasoning: str
    marker: str
    mark: int
    points: list[str]


DECISION = Decision(
    reasoning="Costs fall, and time is saved.", marker="no", mark=7, points=["One point, well put."]
)
SPEECH = {
    "en": "Costs fall [P1]. Time is saved.\n\nThat is why we support the motion.",
    "zh": "成本下降[正1]。时间节省。\n\n因此我方支持这一辩题。",
}


def request(code: str, *, structured: bool) -> Request:
    return Request(
        model="offline/good",
        messages=(),
        task="write",
        language=code,
        schema=schema_of(Decision) if structured else None,
        sampling=Sampling(),
        path="pro/x",
        seed=1,
    )


@for_every(WHOLE, LANGUAGES)
def test_a_deformed_object_means_what_it_meant(kind: str, code: str) -> None:
    text = json.dumps(DECISION.model_dump(), ensure_ascii=False)
    deformed = DEFORMATIONS[kind](read_answer(text, request(code, structured=True)))
    value = read_form(deformed, Decision).value
    if kind == "raw line break":
        assert value.reasoning.replace("\n", "") == DECISION.reasoning
    else:
        assert value == DECISION
    assert deformed != text or kind == "letter case"  # there is no choice in this form


@for_every(WHOLE, SPEECH.items())
def test_a_speech_after_a_deformed_object_is_the_speech(kind: str, code: str, text: str) -> None:
    answer = Answer(text=text, fields=DECISION.model_dump(), schema={}, language=code)
    composed = read_composition(DEFORMATIONS[kind](answer), Decision)
    assert composed.form is not None and composed.form.mark == 7
    assert clean_speech(composed.text, language(code)).text == text


@for_every(WHOLE, SPEECH.items())
def test_what_is_around_a_plain_speech_is_taken_off(kind: str, code: str, text: str) -> None:
    deformed = DEFORMATIONS[kind](read_answer(text, request(code, structured=False)))
    assert deformed != text
    cleaned = clean_speech(deformed, language(code)).text
    assert cleaned.split() == text.split() or kind == "raw line break"
    assert "".join(cleaned.split()) == "".join(text.split())


#: Kinds that are an answer, as a text.
READABLE = {name: kind for name, kind in KINDS.items() if not kind.cause and kind.family != "place"}


def test_there_are_many_kinds() -> None:
    assert len(KINDS) >= 120
    assert {kind.family for kind in KINDS.values() if kind.cause} == {"none"}


@for_every(READABLE)
def test_an_object_of_every_kind_means_what_it_meant(name: str) -> None:
    text = json.dumps(DECISION.model_dump(), ensure_ascii=False)
    value = read_form(changed(name, text, structured=True), Decision).value
    assert plain_reasoning(value) == plain_reasoning(DECISION)
    others = {"points", "reasoning"} if name.endswith("raw line break") else {"reasoning"}
    assert value.model_dump(exclude=others) == DECISION.model_dump(exclude=others)


@for_every(READABLE, SPEECH.items())
def test_a_speech_of_every_kind_is_the_speech(name: str, code: str, text: str) -> None:
    plain = strip_thinking(changed(name, text, code=code))[0]
    cleaned = clean_speech(plain, language(code)).text.replace('"so" ', "")
    assert "".join(cleaned.split()) == "".join(text.split())
    head = json.dumps(DECISION.model_dump(), ensure_ascii=False)
    composed = read_composition(changed(name, f"{head}\n\n{text}", structured=True), Decision)
    spoken = clean_speech(composed.text, language(code)).text.replace('"so" ', "")
    assert "".join(spoken.split()) == "".join(text.split())
    assert composed.form is not None and composed.form.mark == DECISION.mark


def changed(name: str, text: str, *, code: str = "en", structured: bool = False) -> str:
    changed = KINDS[name].change(read_answer(text, request(code, structured=structured)))
    assert isinstance(changed, str)
    return changed


def plain_reasoning(decision: Decision) -> str:
    """The reasoning without what some kinds put into it: line breaks, a quotation."""
    return "".join(decision.reasoning.replace('"so" ', "").split())


@pytest.mark.parametrize("name", ["thinking: [THINK]", "field: body", "place: tool_calls"])
def test_a_row_of_the_matrix_is_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deformations, "debaters", lambda: ["cot"])
    monkeypatch.setattr(deformations, "JUDGES", {"single": {}})
    assert check_kind(name, "en") == [("cot", "finished", ""), ("single", "valid", "")]


@pytest.mark.parametrize("name", ["none: a placeholder", "none: nothing", "none: reasoning alone"])
def test_no_answer_ends_with_its_cause(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deformations, "debaters", lambda: ["cot"])
    monkeypatch.setattr(deformations, "JUDGES", {"single": {}})
    assert check_kind(name, "en") == [("cot", "forfeit", ""), ("single", "failed", "")]


#: All debaters and judges, under every deformation: in one language each time, in all more seldom.
MARKED_LANGUAGES = [
    pytest.param(code, marks=pytest.mark.slow if code == "en" else pytest.mark.deep)
    for code in LANGUAGES
]


async def finished(name: str, kind: str, code: str, folder: Path, *, always: bool) -> Outcome:
    backend = make_backend(kind, code, always=always)
    outcome = await play(name, backend, code, folder / f"{name} {kind} {code} {always}")
    assert outcome.status == "finished", f"{name}, {kind}, {always}: {outcome.reason}"
    assert len(outcome.speeches) == 6 and backend.deformed.total()
    for speech in outcome.speeches:
        assert speech.words >= 10, speech.text
        assert not any(
            mark in speech.text for mark in ("```", "think>", "Sure, here", "以下是我的")
        )
        assert not speech.text.startswith(("{", "[{", "#", "- "))
    return outcome


@pytest.mark.parametrize("code", LANGUAGES)
async def test_some_debater_finishes_under_every_deformation(code: str, tmp_path: Path) -> None:
    for name, kind in zip(cycle(debaters()), DEFORMATIONS, strict=False):
        await finished(name, kind, code, tmp_path, always=True)


@pytest.mark.parametrize("code", MARKED_LANGUAGES)
@pytest.mark.parametrize("name", debaters())
async def test_every_debater_finishes_under_every_deformation(
    name: str, code: str, tmp_path: Path
) -> None:
    for kind in DEFORMATIONS:
        for always in (False, True):
            outcome = await finished(name, kind, code, tmp_path, always=always)
            if kind != "cut tail":
                assert (outcome.unreadable, outcome.fallbacks) == (0, 0), kind


async def check_judge(name: str, code: str, folder: Path) -> None:
    """A judge's ballots are valid, or failed where the answer is not whole, and never others."""
    speeches = await uneven_debate(code, folder / "uneven")
    plain = await judge(name, make_backend("", code), code, speeches, folder / "plain")
    for kind in DEFORMATIONS:
        for always in (False, True):
            place = folder / f"{kind} {always}"
            backend = make_backend(kind, code, always=always, structured_only=True)
            bent = await judge(name, backend, code, speeches, place / "structured")
            every = make_backend(kind, code, always=always)
            outcome = await judge(name, every, code, speeches, place / "all")
            assert backend.deformed.total()
            if kind == "cut tail" and always:
                assert (bent.status, outcome.status) == ("failed", "failed")
                continue
            assert outcome.status == "valid", f"{kind}, {always}: {outcome.reason}"
            if kind != "cut tail":  # a repeated request is answered anew
                assert bent.winners == plain.winners, f"{kind}, {always}"


async def test_a_judges_ballots_mean_what_it_meant(tmp_path: Path) -> None:
    await check_judge("single", "en", tmp_path)


@pytest.mark.parametrize("code", MARKED_LANGUAGES)
@pytest.mark.parametrize("name", JUDGES)
async def test_every_judges_ballots_mean_what_it_meant(
    name: str, code: str, tmp_path: Path
) -> None:
    await check_judge(name, code, tmp_path)
