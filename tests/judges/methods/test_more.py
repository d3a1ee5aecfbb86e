"""`more`: advocates blind to the other side, then one judge; by softmax, and in rounds."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ContentFault, EmptyReply
from arena.languages import SIDES, Side, language, other_side
from arena.llm.request import Completion, Request
from arena.prompts import Quote
from judges.methods.criteria import total
from judges.methods.more import (
    More,
    Options,
    log_sum_exp_total,
    normalise,
    softmax_weights,
    weighted_total,
)
from ratings import CON_WINS, PRO_WINS
from tests.support.debate_seats import GatheringBackend, paths, quoted, request_at, speeches, texts
from tests.support.score_cards import card, hearing, round_card
from tests.support.scripted_backend import ScriptedBackend, completion

JUDGE = More(Options())


class Court:
    """Every advocate says its own path; the judge scores 12 to 10, or as a test says by path."""

    def __init__(self, answers: Mapping[str, str | Completion] | None = None) -> None:
        self.answers = answers or {}

    def __call__(self, request: Request) -> str | Completion:
        if f"{request.path}#{request.attempt}" in self.answers:
            return self.answers[f"{request.path}#{request.attempt}"]
        formal = request.task in ("judge.criteria", "judge.defences", "judge.round")
        said = card() if formal else f"Said at {request.path}."
        return self.answers.get(request.path, said)


async def test_a_run_is_nine_calls_and_the_judge_is_the_last(tmp_path: Path) -> None:
    backend = ScriptedBackend(Court())
    judged = await JUDGE.judge(hearing(backend, tmp_path))
    advocates = [f"{side}/advocate/{k}" for side in SIDES for k in (1, 2, 3)]
    assert sorted(paths(backend)[:6]) == sorted(advocates)
    assert sorted(paths(backend)[6:8]) == ["con/aggregate", "pro/aggregate"]
    assert paths(backend)[8:] == ["judge"]
    assert len(backend.requests) == More.forecast(Options(), 600).calls[0]
    assert [one.task for one in backend.requests] == [
        *["advocate.defend"] * 6,
        *["advocate.fuse"] * 2,
        "judge.criteria",
    ]
    overall = judged.verdicts[-1]
    assert tuple(one.dimension for one in judged.verdicts) == JUDGE.dimensions
    assert (overall.outcome, total(overall.pro_mark), total(overall.con_mark)) == (1.0, 72, 60)


async def test_all_six_advocates_work_at_once(tmp_path: Path) -> None:
    def advocate(request: Request) -> bool:
        return request.task == "advocate.defend"

    backend = GatheringBackend(Court(), together=6, among=advocate)
    await JUDGE.judge(hearing(backend, tmp_path))
    assert backend.gathered == 6


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("side", SIDES)
async def test_a_side_sees_the_debate_and_nothing_of_the_other_sides_advocates(
    side: Side, code: str, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Court())
    await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken, said = language(code), [one.text for one in speeches()]
    own = [one for one in backend.requests if one.path.startswith(f"{side}/")]
    assert len(own) == 4
    for request in own:
        assert texts(request, spoken.terms["speech"]) == said
        assert request.variables["side"] == spoken.sides[side]
        assert request.variables["opponent"] == spoken.sides[other_side(side)]
        assert f"Said at {other_side(side)}" not in request.text()
    for number in (1, 2, 3):
        request = request_at(backend, f"{side}/advocate/{number}")
        assert texts(request, spoken.terms["defence"]) == []
        assert request.variables["words"] == str(spoken.limit(80))
    fused = request_at(backend, f"{side}/aggregate")
    assert fused.variables["words"] == str(spoken.limit(150))
    assert quoted(fused, spoken.terms["defence"]) == [
        Quote(
            label=spoken.terms["defence"],
            words=(spoken.sides[side], str(number)),
            text=f"Said at {side}/advocate/{number}.",
        )
        for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_judge_sees_the_debate_and_both_fused_defences(code: str, tmp_path: Path) -> None:
    backend = ScriptedBackend(Court())
    await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken, request = language(code), request_at(backend, "judge")
    assert texts(request, spoken.terms["speech"]) == [one.text for one in speeches()]
    assert quoted(request, spoken.terms["defence"]) == [
        Quote(
            label=spoken.terms["defence"],
            words=(spoken.sides[side],),
            text=f"Said at {side}/aggregate.",
        )
        for side in SIDES
    ]
    assert "/advocate/" not in request.text()


@pytest.mark.parametrize("number", [1, 5])
async def test_the_number_of_advocates_is_an_option(number: int, tmp_path: Path) -> None:
    options = Options(advocates=number)
    backend = ScriptedBackend(Court())
    await More(options).judge(hearing(backend, tmp_path))
    assert len(backend.requests) == 2 * number + 3 == More.forecast(options, 600).calls[0]
    assert len(quoted(request_at(backend, "con/aggregate"), "defence")) == number


async def test_a_long_plea_is_cut_at_a_sentence(tmp_path: Path) -> None:
    long = "Ten words stand in this sentence that goes on so. " * 40
    answers: dict[str, str | Completion] = {"pro/advocate/2": long, "con/aggregate": long}
    backend = ScriptedBackend(Court(answers))
    await JUDGE.judge(hearing(backend, tmp_path))
    second = texts(request_at(backend, "pro/aggregate"), "defence")[1]
    assert len(second.split()) == 80 and second.endswith(" so.")
    assert len(texts(request_at(backend, "judge"), "defence")[1].split()) == 150


REFUSED = completion("No.", finish="refusal")


@pytest.mark.parametrize("answer", [REFUSED, ""])
async def test_the_other_advocates_plead_for_one_who_says_nothing(
    answer: str | Completion, tmp_path: Path
) -> None:
    backend = ScriptedBackend(Court({"pro/advocate/2": answer, "pro/advocate/1": ""}))
    judged = await JUDGE.judge(hearing(backend, tmp_path))
    fused = quoted(request_at(backend, "pro/aggregate"), "defence")
    assert [(one.words, one.text) for one in fused] == [(("Pro", "3"), "Said at pro/advocate/3.")]
    assert [one["path"] for one in judged.trace] == ["pro/advocate/1", "pro/advocate/2"]
    assert judged.trace[0]["agent"] == "missing"
    assert str(judged.trace[0]["reason"]).startswith("EmptyReply: ")
    assert judged.rationale == (
        "Because.\n(Judged without what the model did not deliver: pro/advocate/1, pro/advocate/2.)"
    )
    assert judged.verdicts[-1].comment == "Because.\nPro 72, Con 60 (/120)"


async def test_a_side_that_nobody_pleads_for_fails_the_ballot(tmp_path: Path) -> None:
    silent: dict[str, str | Completion] = {f"con/advocate/{number}": "" for number in (1, 2, 3)}
    with pytest.raises(EmptyReply):
        await JUDGE.judge(hearing(ScriptedBackend(Court(silent)), tmp_path))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_defences_that_nobody_fuses_stand_as_they_are_within_the_limit(
    code: str, tmp_path: Path
) -> None:
    long = {
        "en": "Ten words stand in this sentence that goes on so. ",
        "zh": "这句话正好十个字吧。",
    }
    answers: dict[str, str | Completion] = {
        "con/aggregate": REFUSED,
        **{f"con/advocate/{number}": long[code] * 8 for number in (1, 2, 3)},
    }
    backend = ScriptedBackend(Court(answers))
    judged = await JUDGE.judge(hearing(backend, tmp_path, code=code))
    spoken = language(code)
    pro, con = texts(request_at(backend, "judge"), spoken.terms["defence"])
    assert pro == "Said at pro/aggregate."
    assert 0.8 * spoken.limit(150) < spoken.count(con) <= spoken.limit(150)
    assert "con/aggregate" in judged.rationale and len(judged.trace) == 1


PAPERS = More(Options(scores="defences"))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_defences_may_be_what_is_scored(code: str, tmp_path: Path) -> None:
    backends = {}
    for judge in (JUDGE, PAPERS):
        backend = backends[judge] = ScriptedBackend(Court())
        judged = await judge.judge(hearing(backend, tmp_path / judge.options.scores, code=code))
        assert judged.verdicts[-1].outcome == PRO_WINS
        assert len(backend.requests) == 9
    ours, papers = (request_at(backend, "judge") for backend in backends.values())
    assert (ours.task, papers.task) == ("judge.criteria", "judge.defences")
    criteria = {"en": "applied to the defences, not", "zh": "用于双方的辩护，而不是"}[code]
    for request in backends[PAPERS].requests:
        assert criteria in request.text()
    assert not [one for one in backends[JUDGE].requests if criteria in one.text()]


SOFTMAX = More(Options(aggregate="softmax", tau=0.1))
ROUNDS = More(Options(rounds=3, advocates=2))
CARDS = {"judge/1": card(12, 10), "judge/2": card(9, 15), "judge/3": card(13, 10)}


async def test_two_advocates_at_a_time_are_scored_and_their_scores_aggregated(
    tmp_path: Path,
) -> None:
    backend = ScriptedBackend(Court(CARDS))
    judged = await SOFTMAX.judge(hearing(backend, tmp_path))
    advocates = [f"{side}/advocate/{number}" for side in SIDES for number in (1, 2, 3)]
    assert sorted(paths(backend)[:6]) == sorted(advocates)
    assert sorted(paths(backend)[6:]) == ["judge/1", "judge/2", "judge/3"]
    assert len(backend.requests) == More.forecast(SOFTMAX.options, 600).calls[0]
    assert [quote.text for quote in quoted(request_at(backend, "judge/2"), "defence")] == [
        f"Said at {side}/advocate/2." for side in SIDES
    ]
    overall = judged.verdicts[-1]
    pro, con = weighted_total([72, 54, 78], 0.1), weighted_total([60, 90, 60], 0.1)
    assert (total(overall.pro_mark), total(overall.con_mark)) == pytest.approx((pro, con))
    assert overall.outcome == CON_WINS, "its best advocate is the best of all"
    assert [step["pro"] for step in judged.trace] == [72, 54, 78]
    for side in SIDES:
        assert sum(step[f"{side}_weight"] for step in judged.trace) == pytest.approx(1)


async def test_a_high_temperature_takes_the_mean_a_low_one_the_best(tmp_path: Path) -> None:
    cards = {"judge/1": card(12, 10), "judge/2": card(12, 10), "judge/3": card(9, 13)}
    for tau, outcome in ((50, "pro"), (0.001, "con")):
        judge = More(Options(aggregate="softmax", tau=tau))
        debate = hearing(ScriptedBackend(Court(cards)), tmp_path / outcome)
        overall = (await judge.judge(debate)).verdicts[-1]
        marks = (total(overall.pro_mark), total(overall.con_mark))
        assert marks == pytest.approx((66, 66) if outcome == "pro" else (72, 78), abs=0.02)
    assert overall.outcome == CON_WINS


async def test_the_rest_counts_where_an_advocate_or_a_card_is_missing(tmp_path: Path) -> None:
    answers = {**CARDS, "con/advocate/2": "", "judge/3": "Hm."}
    backend = ScriptedBackend(Court(answers))
    judged = await SOFTMAX.judge(hearing(backend, tmp_path))
    heard = quoted(request_at(backend, "judge/3"), "defence")
    assert [quote.text for quote in heard] == ["Said at pro/advocate/3.", "Said at con/advocate/1."]
    steps = [step for step in judged.trace if step["agent"] == "advocates"]
    assert [("con_weight" in step, step["number"]) for step in steps] == [(True, 1), (True, 2)]
    missing = [step["path"] for step in judged.trace if step["agent"] == "missing"]
    assert missing == ["con/advocate/2", "judge/3"]
    unreadable = {f"judge/{number}": "Hm." for number in (1, 3)}
    with pytest.raises(ContentFault):
        await SOFTMAX.judge(hearing(ScriptedBackend(Court(unreadable)), tmp_path / "failed"))


async def test_advocates_plead_in_rounds_with_the_feedback_of_the_last(tmp_path: Path) -> None:
    answers = {f"round/{n}/judge": round_card(10 + n, 10, f"Mind {n}.") for n in (1, 2, 3)}
    backend = ScriptedBackend(Court(answers))
    judged = await ROUNDS.judge(hearing(backend, tmp_path))
    assert len(backend.requests) == More.forecast(ROUNDS.options, 600).calls[0] == 7 + 2 * 9
    second = request_at(backend, "round/2/pro/advocate/2")
    assert texts(second, "feedback") == ["pro: Mind 1."]
    shown = [quote.text for quote in quoted(second, "defence")]
    assert shown == ["Said at round/2/pro/recall.", "Said at round/1/con/aggregate."]
    fused = quoted(request_at(backend, "round/2/con/aggregate"), "defence")
    assert [quote.text for quote in fused] == [
        f"Said at round/2/con/advocate/{number}." for number in (1, 2)
    ]
    judge = quoted(request_at(backend, "round/3/judge"), "defence")
    assert [quote.text for quote in judge] == [f"Said at round/3/{s}/aggregate." for s in SIDES]
    assert [(step["round"], step["pro"], step["con"]) for step in judged.trace] == [
        *((1, 66, 60), (2, 72, 60), (3, 78, 60))
    ]
    overall = judged.verdicts[-1]
    assert (overall.outcome, total(overall.pro_mark)) == (PRO_WINS, 72), "the mean of all rounds"


async def test_all_rounds_are_held_though_two_agree(tmp_path: Path) -> None:
    backend = ScriptedBackend(Court({f"round/{n}/judge": round_card(12, 10) for n in (1, 2, 3)}))
    assert len((await ROUNDS.judge(hearing(backend, tmp_path))).trace) == 3


TOTALS = st.lists(st.floats(6, 120), min_size=1, max_size=9)


def test_the_weights_are_those_of_a_hand() -> None:
    # scores 0.5 and 0.6 of 0 to 1, tau 0.1: exp(5) to exp(6)
    totals = [63.0, 74.4]
    assert normalise(totals).tolist() == pytest.approx([0.5, 0.6])
    heavier = exp(6) / (exp(5) + exp(6))
    assert softmax_weights(totals, 0.1).tolist() == pytest.approx([1 - heavier, heavier])
    assert weighted_total(totals, 0.1) == pytest.approx(63 + 11.4 * heavier)
    assert log_sum_exp_total(totals, 0.1) == pytest.approx(6 + 114 * 0.1 * log(exp(5) + exp(6)))


@given(TOTALS, st.floats(0.01, 10))
def test_the_mean_the_weighted_mean_the_highest_and_the_log_sum_exp_stand_in_this_order(
    totals: list[float], tau: float
) -> None:
    slack = 1e-7
    weighted = weighted_total(totals, tau)
    assert sum(totals) / len(totals) <= weighted + slack
    assert weighted <= max(totals) + slack
    assert max(totals) <= log_sum_exp_total(totals, tau) + slack
    assert log_sum_exp_total(totals, tau) <= max(totals) + 114 * tau * log(len(totals)) + slack


@given(TOTALS)
def test_the_limits_are_the_highest_and_the_mean(totals: list[float]) -> None:
    close = pytest.approx
    highest, mean = max(totals), sum(totals) / len(totals)
    assert log_sum_exp_total(totals, 1e-6) == close(highest, abs=1e-3)
    assert weighted_total(totals, 1e6) == close(mean, abs=1e-3)
    distinct = sorted({round(total) for total in totals})
    assert weighted_total([float(total) for total in distinct], 1e-4) == close(distinct[-1])
