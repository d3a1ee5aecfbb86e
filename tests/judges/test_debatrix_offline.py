"""`debatrix` with simulated judges: every mode, both languages, and the better side wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.judge import Hearing, Judgement
from arena.languages import language
from arena.llm.offline import OfflineBackend
from arena.records import Speech
from judges.debatrix import Debatrix, Options
from judges.debatrix_reading import Mode
from tests.seats import MOTION, ORDER, SLIDE, language_model, speech

REASONED = {
    "en": (
        "Shade lowers summer temperatures in dense districts, because leaves evaporate water. "
        "Measurements in Lyon found streets four degrees cooler.\n\n"
        "Roots slow storm water, so that sewers overflow less often. For example, Portland "
        "reported fewer floods after a planting programme."
    ),
    "zh": (
        "树荫能降低密集城区夏季的气温，因为叶片会蒸发水分。里昂的测量发现街道气温低了四度。\n\n"
        "树根能减缓雨水径流，因此下水道较少溢流。例如，波特兰在植树计划之后报告内涝减少。"
    ),
}
EMPTY = {
    "en": "We like it. It is good. It is good. It is good.",
    "zh": "我们喜欢它。它很好。它很好。",
}


def said(code: str, better: str) -> list[Speech]:
    """Six speeches, those of one side reasoned and those of the other empty."""
    return [
        speech(side, stage, (REASONED if side == better else EMPTY)[code]) for side, stage in ORDER
    ]


async def judged(mode: Mode, code: str, better: str, folder: Path) -> Judgement:
    hearing = Hearing(
        motion=MOTION,
        info_slide=SLIDE,
        language=language(code),
        speeches=said(code, better),
        model=language_model(OfflineBackend(), folder, name="offline/strong"),
    )
    return await Debatrix(Options(mode=mode)).judge(hearing)


@pytest.mark.parametrize("mode", ["full", "non_iterative", "single_pass"])
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_side_that_argues_wins_in_every_mode(
    mode: Mode, code: str, tmp_path: Path
) -> None:
    for better, outcome in (("pro", 1.0), ("con", 0.0)):
        found = await judged(mode, code, better, tmp_path / better)
        assert {one.dimension: one.outcome for one in found.verdicts} == {
            "argument": outcome,
            "source": 0.5,
            "language": outcome,
            "overall": outcome,
        }
