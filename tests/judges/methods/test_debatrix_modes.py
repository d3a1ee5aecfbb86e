"""`debatrix` in its other modes: what is read, and who waits for whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.languages import language
from arena.llm.request import Request
from judges.methods.debatrix import Debatrix, Options
from tests.support.debate_seats import GatheringBackend, paths, quoted, request_at, speeches, texts
from tests.support.debatrix_script import DIMENSIONS, Bench, judge, verdict
from tests.support.scripted_backend import ScriptedBackend

APART = Options(mode="non_iterative")
AT_ONCE = Options(mode="single_pass")
OTHER_MODES = pytest.mark.parametrize("options", [APART, AT_ONCE], ids=["apart", "at-once"])


async def test_apart_each_speech_is_read_with_the_raw_ones_before_it(tmp_path: Path) -> None:
    for code in ("en", "zh"):
        backend = ScriptedBackend(Bench())
        await judge(backend, tmp_path / code, APART, code=code)
        spoken, said = language(code), [one.text for one in speeches()]
        for name in DIMENSIONS:
            for number in range(1, 7):
                request = request_at(backend, f"{name}/analyse/{number}")
                assert texts(request, spoken.terms["speech"]) == said[:number]
                assert texts(request, spoken.terms["analysis"]) == []
                assert (spoken.terms["nothing_said"] in request.text()) == (number == 1)
                assert request.variables["number"] == str(number)


async def test_apart_the_comparison_sees_the_analyses_and_no_speech(tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path, APART)
    for name in DIMENSIONS:
        request = request_at(backend, f"{name}/compare")
        assert texts(request, "analysis") == [
            f"Analysis at {name}/analyse/{k}." for k in range(1, 7)
        ]
        assert texts(request, "speech") == []
    asked = [f"{name}/analyse/{k}" for name in DIMENSIONS for k in range(1, 7)]
    asked += [*(f"{name}/compare" for name in DIMENSIONS), "overall/panel"]
    assert sorted(paths(backend)) == sorted(asked)


async def test_apart_nothing_waits_but_for_what_it_reads(tmp_path: Path) -> None:
    def analysis(request: Request) -> bool:
        return request.task == "judge.analyse"

    backend = GatheringBackend(Bench(), together=18, among=analysis)
    await judge(backend, tmp_path, APART)
    assert backend.gathered == 18


async def test_at_once_a_dimension_is_one_call_on_the_whole_debate(tmp_path: Path) -> None:
    for code in ("en", "zh"):
        backend = ScriptedBackend(Bench())
        await judge(backend, tmp_path / code, AT_ONCE, code=code)
        spoken = language(code)
        assert sorted(paths(backend)[:3]) == sorted(f"{name}/compare" for name in DIMENSIONS)
        assert paths(backend)[3:] == ["overall/panel"]
        for name in DIMENSIONS:
            request = request_at(backend, f"{name}/compare")
            shown = quoted(request, spoken.terms["speech"])
            assert [one.text for one in shown] == [one.text for one in speeches()]
            assert [one.words for one in shown] == [
                (spoken.sides[one.side], spoken.stages[one.stage]) for one in speeches()
            ]
            assert texts(request, spoken.terms["analysis"]) == []
            assert request.variables["dimension"] == spoken.terms[name]


@OTHER_MODES
async def test_the_panel_is_the_same_in_every_mode(options: Options, tmp_path: Path) -> None:
    iterative, other = ScriptedBackend(Bench()), ScriptedBackend(Bench())
    await judge(iterative, tmp_path / "iterative")
    await judge(other, tmp_path / "other", options)
    panels = [request_at(one, "overall/panel").text() for one in (iterative, other)]
    assert panels[0] == panels[1]
    assert len(other.requests) == Debatrix.forecast(options, 600).calls[0]


@OTHER_MODES
async def test_a_forbidden_tie_is_asked_again_in_every_mode(
    options: Options, tmp_path: Path
) -> None:
    answers = {"argument/compare#0": verdict("tie"), "argument/compare#1": verdict("Con")}
    backend = ScriptedBackend(Bench(answers))
    judged = await judge(backend, tmp_path, Options(mode=options.mode, preset="debatrix"))
    assert [one.outcome for one in judged.verdicts] == [0.0, 1.0, 1.0, 1.0]


def test_a_mode_that_reads_more_is_expected_to_take_more() -> None:
    tokens = {
        mode: Debatrix.forecast(Options(mode=mode), 600).input_tokens
        for mode in ("full", "non_iterative", "single_pass")
    }
    for found in tokens.values():
        assert found[0] < found[1] < found[2]
    assert tokens["single_pass"][1] < tokens["full"][1] < tokens["non_iterative"][1]
