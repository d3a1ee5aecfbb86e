"""`self_consistency` and `rerank`: drafts side by side, a choice, and what becomes of bad ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.debater import Debater, Turn
from arena.debaters.best_of_n import BestOfN
from arena.debaters.rerank import Rerank
from arena.debaters.self_consistency import SelfConsistency
from arena.languages import STAGES, Stage
from arena.llm.request import Request
from tests.support.debate_seats import GatheringBackend, language_model, seat
from tests.support.debaters_at_work import Answer, AtWork, form, said
from tests.support.scripted_backend import completion
from tests.support.translation_estimators import installed

FRAMEWORKS: list[tuple[type[BestOfN], int, str]] = [
    (SelfConsistency, 5, "choose.common"),
    (Rerank, 4, "choose.best"),
]
each = pytest.mark.parametrize(("framework", "samples", "task"), FRAMEWORKS)
either = pytest.mark.parametrize("framework", [SelfConsistency, Rerank])
REFUSED = completion("No.", finish="refusal")


def marks(*given: tuple[int, int]) -> str:
    return form(marks=[{"draft": n, "reason": "So.", "mark": mark} for n, mark in given])


@each
@pytest.mark.parametrize("stage", STAGES)
async def test_drafts_then_one_choice(
    framework: type[BestOfN], samples: int, task: str, stage: Stage, tmp_path: Path
) -> None:
    made = await AtWork(framework).play(tmp_path, stage)
    drafts = [f"writer/{n}" for n in range(1, samples + 1)]
    assert made.calls(stage) == [*drafts, "chooser/1"]
    requests = made.backend.requests
    assert len({one.messages for one in requests[:-1]}) == 1, "all drafts answer one prompt"
    assert len({one.seed for one in requests[:-1]}) == samples, "each with a seed of its own"
    assert requests[-1].task == task
    shown = [(str(n), f"Text of {stage}/writer/{n}.") for n in range(1, samples + 1)]
    assert said(requests[-1], "draft") == shown
    assert made.drafts[stage].text == f"Text of {stage}/writer/2."
    assert made.steps(stage, "Chooser")[-1] == {"chosen": 2, "of": samples}


@either
async def test_the_drafts_are_written_at_the_same_time(
    framework: type[BestOfN], tmp_path: Path
) -> None:
    def answer(request: Request) -> str:
        return form(reason="", chosen=1) if request.schema else "A draft."

    backend = GatheringBackend(answer, together=3, among=lambda one: "/writer/" in one.path)
    options = framework.Options.model_validate({"samples": 3})
    debater: Debater = framework(seat(language_model(backend, tmp_path)), options)
    await debater.speak(Turn(stage="constructive", disclosed=()))
    assert backend.gathered == 3


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        (((1, 3), (2, 9), (3, 8), (4, 9)), 2),
        (((4, 7), (1, 7)), 1),
        (((3, 10),), 3),
    ],
)
async def test_the_highest_mark_wins_and_the_earlier_of_two(
    given: tuple[tuple[int, int], ...], chosen: int, tmp_path: Path
) -> None:
    made = await AtWork(Rerank, {"chooser": marks(*given)}).play(tmp_path, "summary")
    assert made.drafts["summary"].text == f"Text of summary/writer/{chosen}."
    listed = {str(number): mark for number, mark in sorted(given)}
    assert made.steps("summary", "Chooser")[0] == {"marks": listed}


@either
@pytest.mark.parametrize(
    "answer",
    ["The second.", form(reason="", chosen=9), marks((9, 9)), form(marks=[]), REFUSED],
    ids=["prose", "no-such-draft", "no-such-mark", "no-marks", "refused"],
)
async def test_a_choice_of_nothing_falls_back_to_the_first_draft(
    framework: type[BestOfN], answer: Answer, tmp_path: Path
) -> None:
    made = await AtWork(framework, {"chooser": answer}).play(tmp_path, "rebuttal")
    assert made.drafts["rebuttal"].text == "Text of rebuttal/writer/1."
    fault = "Refusal" if answer is REFUSED else "UnparseableReply"
    first = {"fallback": "the first draft", "fault": fault}
    assert made.steps("rebuttal", "Chooser")[-2] == first


@either
async def test_a_draft_that_fails_is_left_out(framework: type[BestOfN], tmp_path: Path) -> None:
    answers: dict[str, Answer] = {
        "summary/writer/1": REFUSED,
        "summary/writer/3": "  ",
        "chooser": "Either.",
    }
    made = await AtWork(framework, answers, samples=4).play(tmp_path, "summary")
    shown = [(str(n), f"Text of summary/writer/{n}.") for n in (2, 4)]
    assert said(made.at("summary/chooser/1"), "draft") == shown
    assert made.drafts["summary"].text == "Text of summary/writer/2."
    faults = [step for step in made.steps("summary", "Writer") if "fault" in step]
    left_out = "the draft is left out"
    assert faults == [
        {"fallback": left_out, "fault": "Refusal"},
        {"fallback": left_out, "fault": "EmptyReply"},
    ]


@either
async def test_one_draft_needs_no_choice(framework: type[BestOfN], tmp_path: Path) -> None:
    alone = await AtWork(framework, samples=1).play(tmp_path, "summary")
    assert alone.calls("summary") == ["writer/1"]
    answers: dict[str, Answer] = {"summary/writer/1": REFUSED}
    left = await AtWork(framework, answers, samples=2).play(tmp_path / "left", "summary")
    assert left.calls("summary") == ["writer/1", "writer/2"]
    assert left.drafts["summary"].text == "Text of summary/writer/2."


SENTENCE = "Translate this sentence: er schwieg lange"


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [
        (("he said nothing", "er schwieg", "er lange"), 2),
        (("he said nothing", "that is all", "lange"), 3),
    ],
)
async def test_an_estimator_without_references_chooses_the_translation(
    answers: tuple[str, ...], chosen: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Request) -> str:
        number = int(request.path.rpartition("/")[2])
        return form(reasoning="So.", answer=answers[number - 1])

    backend = GatheringBackend(answer, together=1, among=lambda one: True)
    options = Rerank.Options(samples=3, estimator="comet:Unbabel/wmt22-cometkiwi-da")
    own = replace(seat(language_model(backend, tmp_path)), motion=SENTENCE, contest="question")
    with installed(tmp_path, monkeypatch):
        draft = await Rerank(own, options).speak(Turn(stage="answer", disclosed=()))
    assert draft.text == answers[chosen - 1]
    *_, estimates, choice = draft.trace
    assert estimates["estimator"] == "COMET (Unbabel/wmt22-cometkiwi-da)"
    assert set(estimates["estimates"]) == {"1", "2", "3"}
    assert choice == {"agent": "Chooser", "chosen": chosen, "of": 3}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_preset_samples_plain_answers_and_asks_nobody_for_marks(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = GatheringBackend(
        lambda request: form(answer=f"er {request.path[-1]}"), together=1, among=lambda one: True
    )
    own = replace(seat(language_model(backend, tmp_path), code=code), motion=SENTENCE)
    options = Rerank.Options(preset="paper")
    with installed(tmp_path, monkeypatch):
        draft = await Rerank(own, options).speak(Turn(stage="answer", disclosed=()))
    assert [one.path for one in backend.requests] == [f"pro/answer/writer/{n}" for n in range(1, 5)]
    schemas = [one.schema.body["properties"] for one in backend.requests if one.schema]
    assert [list(fields) for fields in schemas] == [["answer"]] * 4, "no reasoning is asked for"
    assert draft.trace[-2]["estimator"] == "COMET (zwhe99/wmt21-comet-qe-da)"
    assert draft.text == "er 1"
    other = Rerank.Options(preset="paper", estimator="comet:x")
    assert other.model_dump() == {"samples": 4, "estimator": "comet:x", "preset": "paper"}


def test_an_estimator_is_stored_only_where_it_is_named() -> None:
    assert Rerank.Options().model_dump() == {"samples": 4}
    named = Rerank.Options(estimator="comet:x")
    assert named.model_dump() == {"samples": 4, "estimator": "comet:x"}
    for text, message in (("bleurt:x", "compares with a reference"), ("x", "for example comet:")):
        with pytest.raises(ValidationError, match=message):
            Rerank.Options(estimator=text)
