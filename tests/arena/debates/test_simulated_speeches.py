"""Nothing is taken off the speeches of simulated models, and none of them is a refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.debaters.direct import Direct
from arena.debates.protocol import play
from arena.debates.refusals import is_refusal
from arena.debates.speech_text import clean_speech
from arena.languages import LANGUAGES, SIDES, language
from arena.simulator import OfflineBackend
from motions import load
from tests.commands import ask
from tests.seats import language_model, seat


def check(text: str, code: str) -> None:
    cleaned = clean_speech(text, language(code))
    assert (cleaned.text, cleaned.removed) == (text, ())
    assert not is_refusal(text, language(code))


@pytest.mark.parametrize("code", LANGUAGES)
async def test_speeches_on_every_motion_stay_as_they_are(code: str, tmp_path: Path) -> None:
    motions = load("arena66").motions
    model = language_model(OfflineBackend(motions), tmp_path, name="offline/fair")
    for motion in motions:
        wording = motion.wordings[code]
        debaters = {}
        for side in SIDES:
            place = seat(model.under(f"{motion.motion_id}/"), side=side, code=code)
            debaters[side] = Direct(replace(place, motion=wording.text), Direct.Options())
        played = await play(debaters)
        assert played.status == "finished"
        for speech in played.speeches:
            check(speech.text, code)
            assert all(step.get("action") != "clean" for step in speech.trace)


def test_speeches_of_a_played_tournament_stay_as_they_are(small_database: Path) -> None:
    stored = ask(
        small_database, "SELECT text, language FROM speeches JOIN debates USING (debate_id)"
    )
    assert len(stored) == 36
    for text, code in stored:
        check(str(text), str(code))
