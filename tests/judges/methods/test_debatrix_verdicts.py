"""`debatrix`: what becomes of its answers: outcomes and marks, repairs, failed runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from arena.errors import ContentFault, InfrastructureFault, UnparseableReply
from arena.judge import Judgement
from arena.languages import language
from arena.llm.request import Completion, Request
from arena.prompts import find_quotes
from judges.methods.debatrix import DIMENSIONS, Mode, Options
from ratings import PRO_WINS
from tests.support.debate_seats import paths, request_at, texts
from tests.support.debatrix_script import COMPARISONS, Bench, judge, verdict
from tests.support.scripted_backend import ScriptedBackend, completion


def outcomes(judgement: Judgement) -> dict[str, float]:
    return {one.dimension: one.outcome for one in judgement.verdicts}


@pytest.mark.parametrize(
    ("winner", "marks", "outcome"),
    [("Pro", (8.5, 3), 1.0), ("Pro", (6, 6), 1.0), ("tie", (3, 8.5), 0.5), ("Con", (3, 8.5), 0.0)],
)
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_winner_is_an_outcome_for_pro(
    winner: str, marks: tuple[float, float], outcome: float, code: str, tmp_path: Path
) -> None:
    answers = {"source/compare": verdict(winner, *marks, "So."), "overall/panel": verdict(winner)}
    judged = await judge(ScriptedBackend(Bench(answers)), tmp_path, code=code)
    assert [one.dimension for one in judged.verdicts] == [*DIMENSIONS, "overall"]
    by_default = dict.fromkeys(DIMENSIONS, 1.0)
    assert outcomes(judged) == by_default | {"source": outcome, "overall": outcome}
    source = judged.verdicts[DIMENSIONS.index("source")]
    assert (source.pro_mark, source.con_mark, source.comment) == (*marks, "So.")
    assert judged.rationale == judged.verdicts[-1].comment == "Because."


INVALID = {
    "a mark above ten": verdict(pro=11),
    "a mark below one": verdict(con=0.5),
    "a mark in words": verdict().replace("7", '"seven"'),
    "a participant's name": verdict(winner="gpt-4o"),
    "a side with a remark": verdict(winner="Pro, narrowly"),
    "a side in Chinese": verdict(winner="正方"),
    "no judgement": verdict(why=""),
    "a winner with the lower mark": verdict("Pro", 4, 6),
    "a loser with the higher mark": verdict("Con", 7, 6.5),
    "no winner": '{"judgement": "So.", "pro_mark": 5, "con_mark": 5}',
    "prose": "Pro wins.",
}


@pytest.mark.parametrize("answer", INVALID.values(), ids=INVALID)
@pytest.mark.parametrize("place", ["argument/compare", "overall/panel"])
async def test_an_invalid_verdict_is_asked_again_and_then_fails(
    answer: str, place: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Bench({f"{place}#0": answer, f"{place}#1": verdict("Con")}))
    judged = await judge(backend, tmp_path / "repaired")
    assert outcomes(judged)[place.partition("/")[0]] == 0.0
    (quoted,) = find_quotes(request_at(backend, place, attempt=1).text())
    assert quoted.text == answer
    with pytest.raises(UnparseableReply):
        await judge(ScriptedBackend(Bench({place: answer})), tmp_path / "failed")


async def test_a_tie_is_offered_everywhere_in_the_arenas_preset(tmp_path: Path) -> None:
    ties = {
        path: verdict("tie") for path in [*(f"{n}/compare" for n in DIMENSIONS), "overall/panel"]
    }
    backend = ScriptedBackend(Bench(ties))
    judged = await judge(backend, tmp_path)
    assert set(outcomes(judged).values()) == {0.5}
    assert all(offers_a_tie(backend, path) for path in ties)


async def test_no_tie_on_argument_and_overall_in_the_originals_preset(tmp_path: Path) -> None:
    ties = {
        **dict.fromkeys(COMPARISONS, verdict("tie")),
        "argument/compare#0": verdict("tie"),
        "argument/compare#1": verdict("Con"),
        "overall/panel#0": verdict("tie"),
        "overall/panel#1": verdict("Pro"),
    }
    backend = ScriptedBackend(Bench(ties))
    judged = await judge(backend, tmp_path, Options(preset="debatrix"))
    assert outcomes(judged) == dict.fromkeys(DIMENSIONS, 0.5) | {"argument": 0.0, "overall": 1.0}
    offered = {
        path: offers_a_tie(backend, path) for path in paths(backend) if "analyse" not in path
    }
    assert offered == dict.fromkeys(COMPARISONS, True) | {
        "argument/compare": False,
        "overall/panel": False,
    }


def offers_a_tie(backend: ScriptedBackend, path: str) -> bool:
    """Whether prompt and schema offer a tie; both or neither."""
    request = request_at(backend, path)
    assert request.schema is not None
    offered = '"tie"' in request.schema.text()
    assert request.schema.text() in request.text()
    assert offered == ('`"tie"`' in request.text())
    return offered


async def test_a_repair_says_that_the_winner_has_the_lower_mark(tmp_path: Path) -> None:
    answers = {"overall/panel#0": verdict("Pro", 4, 6), "overall/panel#1": verdict("Con", 4, 6)}
    backend = ScriptedBackend(Bench(answers))
    judged = await judge(backend, tmp_path)
    assert outcomes(judged)["overall"] == 0.0
    repair = request_at(backend, "overall/panel", attempt=1)
    assert "could not be read: the winner has the lower mark\n" in repair.messages[-1].text


async def test_a_tie_that_is_insisted_on_fails(tmp_path: Path) -> None:
    backend = ScriptedBackend(Bench({"overall/panel": verdict("tie")}))
    with pytest.raises(UnparseableReply, match="`winner`: the schema offers no such value"):
        await judge(backend, tmp_path, Options(preset="debatrix"))


REFUSED = completion("No comment.", finish="refusal")


@pytest.mark.parametrize("answer", [REFUSED, "", completion("<think>cut", finish="length")])
@pytest.mark.parametrize("place", ["source/compare", "overall/panel"])
async def test_a_judge_that_gives_no_answer_fails(
    answer: str | Completion, place: str, tmp_path: Path
) -> None:
    with pytest.raises(ContentFault):
        await judge(ScriptedBackend(Bench({place: answer})), tmp_path)


@pytest.mark.parametrize("answer", [REFUSED, ""])
@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("mode", ["full", "non_iterative"])
async def test_it_goes_on_without_an_analysis_of_each_side(
    answer: str | Completion, code: str, mode: Mode, tmp_path: Path
) -> None:
    missing = ["source/analyse/2", "source/analyse/3"]
    backend = ScriptedBackend(Bench(dict.fromkeys(missing, answer)))
    judged = await judge(backend, tmp_path, Options(mode=mode), code=code)
    assert outcomes(judged)["source"] == PRO_WINS
    label = language(code).terms["analysis"]
    kept = texts(request_at(backend, "source/compare"), label)
    note = {"en": "(This analysis is missing.", "zh": "（缺少这份分析。"}[code]
    assert [text.startswith(note) for text in kept] == [False, True, True, False, False, False]
    assert [step["path"] for step in judged.trace] == missing
    assert ", ".join(missing) in judged.rationale
    assert "missing" not in judged.verdicts[-1].comment


async def test_a_side_needs_half_of_its_analyses(tmp_path: Path) -> None:
    unread = {f"source/analyse/{number}": "" for number in (2, 4)}  # two of Con's three
    with pytest.raises(ContentFault):
        await judge(ScriptedBackend(Bench(unread)), tmp_path)


@pytest.mark.parametrize("fault", [None, InfrastructureFault("down")], ids=["content", "network"])
async def test_a_failed_dimension_leaves_no_call_running(
    fault: Exception | None, tmp_path: Path
) -> None:
    def script(request: Request) -> str | Completion:
        if not request.path.startswith("argument/analyse/"):
            return Bench()(request)
        if fault is not None:
            raise fault
        return REFUSED

    backend = ScriptedBackend(script)
    with pytest.raises(type(fault) if fault else ContentFault):
        await judge(backend, tmp_path)
    asked = len(backend.requests)
    left = asyncio.all_tasks() - {asyncio.current_task()}
    if left:
        await asyncio.wait(left)
    # The unit's journal is closed as soon as a run is over: nobody may still write to it.
    assert len(backend.requests) == asked
