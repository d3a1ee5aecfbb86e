"""`direct`: one call per speech, with nothing but the debate in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.debater import Turn
from arena.debaters.direct import Direct
from arena.languages import SIDES, STAGES, Side, Stage, language, other_side
from arena.llm.request import Request
from tests.scripted import ScriptedBackend
from tests.seats import (
    MOTION,
    ORDER,
    SAMPLING,
    SEEN,
    SLIDE,
    Shelf,
    language_model,
    paths,
    seat,
    speeches,
    texts,
)


def answer(request: Request) -> str:
    return f"Speech of {request.path}."


def direct(backend: ScriptedBackend, folder: Path, side: Side = "pro", code: str = "en") -> Direct:
    return Direct(seat(language_model(backend, folder), side=side, code=code), Direct.Options())


def turn(side: Side, stage: Stage) -> Turn:
    return Turn(stage=stage, disclosed=speeches(SEEN[side, stage]))


@pytest.mark.parametrize(("side", "stage"), ORDER)
async def test_a_speech_is_one_call(side: Side, stage: Stage, tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    draft = await direct(backend, tmp_path, side).speak(turn(side, stage))
    assert paths(backend) == [f"{side}/{stage}/writer/1"]
    (request,) = backend.requests
    assert request.task == f"write.{stage}"
    assert request.schema is None
    assert request.sampling == SAMPLING
    assert draft.text == f"Speech of {side}/{stage}/writer/1."
    assert draft.trace == [{"agent": "Writer", "marker": "finished"}]
    assert not draft.known


@pytest.mark.parametrize(("side", "stage"), ORDER)
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_call_shows_motion_side_stage_and_the_debate_so_far(
    side: Side, stage: Stage, code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(answer)
    await direct(backend, tmp_path, side, code).speak(turn(side, stage))
    (request,) = backend.requests
    spoken = language(code)
    assert request.language == code
    assert MOTION in request.messages[0].text
    assert SLIDE in request.messages[0].text
    assert request.variables["side"] == spoken.sides[side]
    assert request.variables["opponent"] == spoken.sides[other_side(side)]
    assert request.variables["stage"] == spoken.stages[stage]
    assert request.variables["words"] == "600" and "600" in request.messages[1].text
    shown = [one.text for one in speeches(SEEN[side, stage])]
    assert texts(request, spoken.terms["speech"]) == shown


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_sides_read_the_same_prompt_with_their_words_exchanged(
    stage: Stage, code: str, tmp_path: Path
) -> None:
    read: list[str] = []
    for side in SIDES:
        backend = ScriptedBackend(answer)
        disclosed = speeches(0 if stage == "constructive" else 4)
        made = direct(backend, tmp_path / side, side, code)
        await made.speak(Turn(stage=stage, disclosed=disclosed))
        (request,) = backend.requests
        speaks = {
            "en": "speak for {}; your opponent speaks for {}.",
            "zh": "代表{}发言；对手代表{}",
        }
        words = language(code).sides
        assert speaks[code].format(words[side], words[other_side(side)]) in request.text()
        read.append(_marked(request))
    assert read[0] == read[1]


def _marked(request: Request) -> str:
    # The lines that name one side, with "mine" and "theirs" in place of the words.
    mine, theirs = request.variables["side"], request.variables["opponent"]
    lines = [line for line in request.text().splitlines() if not line.startswith("<")]
    rules = [line for line in lines if "first)" in line or "先发言）" in line]
    own = [line.replace(mine, "mine").replace(theirs, "theirs") for line in lines]
    assert len(rules) == 1
    return "\n".join(line for line, raw in zip(own, lines, strict=True) if raw not in rules)


async def test_it_never_searches(tmp_path: Path) -> None:
    shelf = Shelf()
    model = language_model(ScriptedBackend(answer), tmp_path)
    made = Direct(seat(model, search=shelf), Direct.Options())
    for stage in STAGES:
        await made.speak(turn("pro", stage))
    assert shelf.asked == []


def test_it_has_no_options() -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Direct.Options.model_validate({"searcher": True})


def test_its_default_sampling_is_the_papers() -> None:
    assert (Direct.sampling.temperature, Direct.sampling.top_p) == (0.2, 0.75)


async def test_the_forecast_brackets_what_it_takes(tmp_path: Path) -> None:
    backend = ScriptedBackend(answer)
    made = direct(backend, tmp_path)
    for stage in STAGES:
        await made.speak(turn("pro", stage))
    low, likely, high = Direct.forecast(Direct.Options(), 600).calls
    assert low <= len(backend.requests) <= high
    assert low <= likely <= high
