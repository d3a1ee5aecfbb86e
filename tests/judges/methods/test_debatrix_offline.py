"""`debatrix` with simulated judges: every mode, both languages, and the better side wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.judge import Hearing, Judgement
from arena.languages import language
from arena.simulator import OfflineBackend
from judges.methods.debatrix import Debatrix, Mode, Options
from tests.support.debate_seats import MOTION, SLIDE, language_model
from tests.support.one_sided_debates import one_sided


async def judged(mode: Mode, code: str, better: str, folder: Path) -> Judgement:
    hearing = Hearing(
        motion=MOTION,
        info_slide=SLIDE,
        language=language(code),
        speeches=one_sided(code, better),
        model=language_model(OfflineBackend(), folder, name="offline/strong"),
    )
    return await Debatrix(Options(mode=mode)).judge(hearing)


@pytest.mark.parametrize("mode", ["full", "non_iterative", "single_pass"])
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_side_that_argues_wins_in_every_mode(
    mode: Mode, code: str, tmp_path: Path
) -> None:
    for better, outcome in (("pro", 1.0), ("con", 0.0)):
        result = await judged(mode, code, better, tmp_path / better)
        assert {one.dimension: one.outcome for one in result.verdicts} == {
            "argument": outcome,
            "source": 0.5,
            "language": outcome,
            "overall": outcome,
        }
