"""Token limits: of every call of every debater they follow from what the call asks for."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from arena.debater import Turn
from arena.languages import LANGUAGES
from arena.llm.request import Request
from arena.plugins import debater_class
from tests.every import for_every
from tests.every_debater import CASES, SPEAKERS, at_work
from tests.seats import language_model, seat

#: As a participant has it where nothing is set.
_MOST = 4096
#: What was asked for one speech, by case, language and words; tests only read it.
_ASKED: dict[tuple[str, str, int], list[Request]] = {}


async def asked(case: str, folder: Path, code: str, words: int) -> list[Request]:
    key = (case, code, words)
    if key not in _ASKED:
        _ASKED[key] = await ask(case, folder, code, words)
    return _ASKED[key]


async def ask(case: str, folder: Path, code: str, words: int) -> list[Request]:
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
