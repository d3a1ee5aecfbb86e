"""`translation`: which reference a translation has the meaning of, whoever is right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.debater import NoOptions
from arena.errors import UnparseableReply
from arena.judge import Hearing
from arena.languages import SIDES, language
from arena.llm.request import Backend, Request
from arena.records import Speech
from arena.simulator import OfflineBackend
from judges.methods.translation import Translation, shuffle_references
from motions import Answers
from tests.support.debate_seats import language_model, quoted, texts
from tests.support.hostile_texts import HOSTILE
from tests.support.scripted_backend import ScriptedBackend

QUESTION = "Translate this sentence into English: 他很爱吃醋。"
READ = Answers(
    accepted=("He gets jealous easily.", "He is a jealous person."),
    wrong=("He likes to drink vinegar.",),
    translation=True,
)
LABELS = {"en": ("translation", "reference"), "zh": ("译文", "参考译文")}


def hearing(
    backend: Backend,
    folder: Path,
    *said: str,
    code: str = "en",
    answers: Answers | None = READ,
    name: str = "scripted/model",
) -> Hearing:
    return Hearing(
        motion=QUESTION,
        info_slide="",
        language=language(code),
        speeches=[
            Speech(side=side, stage="answer", text=text, words=1)
            for side, text in zip(SIDES, said, strict=True)
        ],
        model=language_model(backend, folder, name=name),
        answers=answers,
    )


def naming(wanted: str) -> ScriptedBackend:
    """A judge that finds the same reference in every translation; `""` is none."""

    def script(request: Request) -> str:
        references = texts(request, LABELS[request.language][1])
        place = references.index(wanted) + 1 if wanted else 0
        return json.dumps({"reason": "So it reads.", "matches": place})

    return ScriptedBackend(script)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_each_call_shows_one_translation_and_all_references(
    code: str, tmp_path: Path
) -> None:
    backend = naming(READ.accepted[1])
    judged = await Translation(NoOptions()).judge(
        hearing(backend, tmp_path, "He is jealous.", f"He? {HOSTILE}", code=code)
    )
    translation, reference = LABELS[code]
    assert sorted(one.path for one in backend.requests) == ["match/con", "match/pro"]
    for request, said in zip(backend.requests, ("He is jealous.", f"He? {HOSTILE}"), strict=True):
        assert request.task == "judge.match"
        assert texts(request, translation) == [said]
        assert texts(request, {"en": "question", "zh": "问题"}[code]) == [QUESTION]
        shown = quoted(request, reference)
        assert [one.text for one in shown] == shuffle_references([*READ.accepted, *READ.wrong])
        assert [one.words for one in shown] == [("1",), ("2",), ("3",)]
    assert judged.verdicts[0].outcome == 0.5 and judged.verdicts[0].pro_mark == 10
    assert [step["matches"] for step in judged.trace] == [READ.accepted[1]] * 2
    assert judged.trace[0]["chrf"] > judged.trace[0]["chrf_wrong"]


@pytest.mark.parametrize("found", [READ.wrong[0], ""], ids=["a wrong one", "none"])
async def test_a_wrong_reading_and_none_are_wrong(found: str, tmp_path: Path) -> None:
    judged = await Translation(NoOptions()).judge(hearing(naming(found), tmp_path, "A.", "B."))
    (verdict,) = judged.verdicts
    assert (verdict.outcome, verdict.pro_mark, verdict.con_mark) == (0.5, 1, 1)


async def test_a_number_that_no_reference_has_is_asked_again_and_then_fails(
    tmp_path: Path,
) -> None:
    backend = ScriptedBackend(lambda request: json.dumps({"reason": "", "matches": 4}))
    with pytest.raises(UnparseableReply):
        await Translation(NoOptions()).judge(hearing(backend, tmp_path, "A.", "B."))
    assert {one.attempt for one in backend.requests} == {0, 1}


async def test_other_questions_are_decided_without_a_call(tmp_path: Path) -> None:
    backend = ScriptedBackend(lambda request: pytest.fail("a model was asked"))
    heard = hearing(backend, tmp_path, "4", "five", answers=Answers(accepted=("4",)))
    assert (await Translation(NoOptions()).judge(heard)).verdicts[0].outcome == 1.0


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_simulated_judge_tells_the_readings_apart(code: str, tmp_path: Path) -> None:
    judged = await Translation(NoOptions()).judge(
        hearing(
            OfflineBackend(),
            tmp_path,
            "He is a rather jealous person.",
            "He likes drinking vinegar.",
            code=code,
            name="offline/strong",
        )
    )
    assert judged.verdicts[0].outcome == 1.0
