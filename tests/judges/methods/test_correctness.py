"""`correctness`: right beats wrong, and nothing else counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.debater import NoOptions
from arena.judge import Hearing
from arena.languages import SIDES, language
from arena.llm.model import LanguageModel
from arena.records import Speech
from judges.methods.correctness import Correctness
from motions import Answers
from tests.support.debate_seats import SAMPLING
from tests.support.scripted_backend import ScriptedAccess, ScriptedBackend, unit


def hearing(folder: Path, *texts: str, answers: Answers | None) -> Hearing:
    speeches = [
        Speech(side=side, stage="answer", text=text, words=1)
        for side, text in zip(SIDES, texts, strict=True)
    ]
    access = ScriptedAccess(ScriptedBackend(lambda request: pytest.fail("a model was asked")))
    model = LanguageModel(unit=unit(access, folder), model="", sampling=SAMPLING)
    return Hearing(
        motion="What is 2 + 2?",
        info_slide="",
        language=language("en"),
        speeches=speeches,
        model=model,
        answers=answers,
    )


@pytest.mark.parametrize(
    ("pro", "con", "outcome", "marks"),
    [
        ("4", "22", 1.0, (10, 1)),
        ("five", "Four.", 0.0, (1, 10)),
        ("4", "four", 0.5, (10, 10)),
        ("5", "22", 0.5, (1, 1)),
    ],
)
async def test_the_verdict_is_by_correctness(
    tmp_path: Path, pro: str, con: str, outcome: float, marks: tuple[float, float]
) -> None:
    heard = hearing(tmp_path, pro, con, answers=Answers(accepted=("4", "four")))
    judged = await Correctness(NoOptions()).judge(heard)
    (verdict,) = judged.verdicts
    assert (verdict.dimension, verdict.outcome) == ("overall", outcome)
    assert (verdict.pro_mark, verdict.con_mark) == marks
    assert judged.rationale == "Accepted: 4, four"


async def test_a_debate_has_no_accepted_answers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="accepted answers"):
        await Correctness(NoOptions()).judge(hearing(tmp_path, "4", "4", answers=None))


async def test_a_translation_is_decided_by_chrf(tmp_path: Path) -> None:
    read = Answers(
        accepted=("He gets jealous easily.",), wrong=("He likes vinegar.",), translation=True
    )
    heard = hearing(tmp_path, "He likes to have vinegar.", "He is easily jealous.", answers=read)
    judged = await Correctness(NoOptions()).judge(heard)
    assert judged.verdicts[0].outcome == 0.0
    assert [(step["side"], step["right"]) for step in judged.trace] == [
        ("pro", False),
        ("con", True),
    ]
    assert all(step["chrf_wrong"] > step["chrf"] or step["right"] for step in judged.trace)
