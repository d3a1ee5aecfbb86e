"""`debatrix`: who is asked what, in which order, and what each may see, in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.languages import language
from arena.llm.request import Request
from arena.prompts import Quote
from judges.methods.debatrix import DIMENSIONS, Debatrix, Options, Weights
from ratings import CON_WINS
from tests.support.debate_seats import (
    MOTION,
    ORDER,
    SLIDE,
    GatheringBackend,
    paths,
    quoted,
    request_at,
    speeches,
    texts,
)
from tests.support.debatrix_script import ANALYSES, COMPARISONS, Bench, judge, verdict, weighing
from tests.support.scripted_backend import ScriptedBackend


async def test_a_run_is_an_analysis_of_each_speech_and_a_verdict_per_dimension(
    tmp_path: Path,
) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path)
    assert sorted(paths(backend)[:-1]) == sorted((*ANALYSES, *COMPARISONS))
    assert paths(backend)[-1] == "overall/panel"
    assert len(backend.requests) == Debatrix.forecast(Options(), 600).calls[0]


@pytest.mark.parametrize("name", DIMENSIONS)
async def test_a_dimension_is_judged_speech_after_speech(name: str, tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path)
    own = [one for one in backend.requests if one.path.startswith(f"{name}/")]
    assert [one.path for one in own] == [
        *(f"{name}/analyse/{k}" for k in range(1, 7)),
        f"{name}/compare",
    ]
    assert [one.task for one in own] == ["judge.analyse"] * 6 + ["judge.compare"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_analysis_sees_one_speech_and_its_own_earlier_analyses(
    code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path, code=code)
    spoken = language(code)
    output = speeches()
    for name in DIMENSIONS:
        for number, new in enumerate(output, start=1):
            request = request_at(backend, f"{name}/analyse/{number}")
            words = (spoken.sides[new.side], spoken.stages[new.stage])
            assert quoted(request, spoken.terms["speech"]) == [
                Quote(label=spoken.terms["speech"], words=words, text=new.text)
            ]
            assert texts(request, spoken.terms["analysis"]) == [
                f"Analysis at {name}/analyse/{k}." for k in range(1, number)
            ]
            assert not [one for one in output if one is not new and one.text in request.text()]
            assert request.variables["number"] == str(number)
            assert request.variables["dimension"] == spoken.terms[name]
            assert request.variables["description"] == spoken.terms[f"about_{name}"]


async def test_the_first_analysis_is_told_that_there_are_none(tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path)
    for name in DIMENSIONS:
        assert "(Nothing yet.)" in request_at(backend, f"{name}/analyse/1").text()
        assert "(Nothing yet.)" not in request_at(backend, f"{name}/analyse/2").text()


async def test_a_comparison_sees_the_analyses_and_no_speech(tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path)
    for name in DIMENSIONS:
        request = request_at(backend, f"{name}/compare")
        shown = quoted(request, "analysis")
        assert [one.text for one in shown] == [
            f"Analysis at {name}/analyse/{k}." for k in range(1, 7)
        ]
        assert [one.words for one in shown] == [
            (str(k), f"{side.capitalize()}, {stage}") for k, (side, stage) in enumerate(ORDER, 1)
        ]
        assert not [one for one in speeches() if one.text in request.text()]


async def test_every_judge_knows_the_motion_and_how_many_speeches_there_are(
    tmp_path: Path,
) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path)
    for request in backend.requests:
        assert f"Motion: {MOTION}\nBackground: {SLIDE}" in request.messages[0].text
        assert "The 6 speeches stand in this order" in request.messages[0].text


@pytest.mark.parametrize(
    ("weights", "shown"),
    [
        (Weights(), sorted(Weights(), key=lambda weighed: -weighed[1])),
        (Weights(**weighing(argument=1, source=2.5)), [("source", 2.5), ("argument", 1)]),
        (Weights(**weighing(language=1)), [("language", 1)]),
    ],
)
async def test_the_panel_sees_weighted_judgements_heaviest_first(
    weights: Weights, shown: list[tuple[str, float]], tmp_path: Path
) -> None:
    backend = ScriptedBackend(Bench())
    await judge(backend, tmp_path, Options(weights=weights))
    panel = request_at(backend, "overall/panel")
    assert quoted(panel, "judgement") == [
        Quote(
            label="judgement",
            words=(name, f"weight {weight:g}"),
            text=f"Judgement at {name}/compare.",
        )
        for name, weight in shown
    ]
    assert not [one for one in speeches() if one.text in panel.text()]
    assert "Analysis at" not in panel.text()
    assert panel.text().count("Judgement at") == len(shown)


@pytest.mark.parametrize("number", [1, 4, 6])
async def test_the_dimensions_are_judged_side_by_side(number: int, tmp_path: Path) -> None:
    def analysis(request: Request) -> bool:
        return request.path.endswith(f"/analyse/{number}")

    backend = GatheringBackend(Bench(), together=len(DIMENSIONS), among=analysis)
    await judge(backend, tmp_path)
    assert backend.gathered == len(DIMENSIONS)


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
    assert sorted(paths(backend)) == sorted((*ANALYSES, *COMPARISONS, "overall/panel"))


async def test_apart_nothing_waits_but_for_what_it_reads(tmp_path: Path) -> None:
    def analysis(request: Request) -> bool:
        return request.task == "judge.analyse"

    backend = GatheringBackend(Bench(), together=len(ANALYSES), among=analysis)
    await judge(backend, tmp_path, APART)
    assert backend.gathered == len(ANALYSES)


async def test_at_once_a_dimension_is_one_call_on_the_whole_debate(tmp_path: Path) -> None:
    for code in ("en", "zh"):
        backend = ScriptedBackend(Bench())
        await judge(backend, tmp_path / code, AT_ONCE, code=code)
        spoken = language(code)
        assert sorted(paths(backend)[:-1]) == sorted(COMPARISONS)
        assert paths(backend)[-1] == "overall/panel"
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
    lost = [one.dimension for one in judged.verdicts if one.outcome == CON_WINS]
    assert lost == ["argument"] and len(judged.verdicts) == len(DIMENSIONS) + 1


def test_a_mode_that_reads_more_is_expected_to_take_more() -> None:
    tokens = {
        mode: Debatrix.forecast(Options(mode=mode), 600).input_tokens
        for mode in ("full", "non_iterative", "single_pass")
    }
    for found in tokens.values():
        assert found[0] < found[1] < found[2]
    assert tokens["single_pass"][1] < tokens["full"][1] < tokens["non_iterative"][1]
