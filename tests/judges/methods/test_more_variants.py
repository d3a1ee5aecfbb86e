"""`more` by softmax and in rounds: who is asked what, and how the scores come together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError

from arena.errors import ContentFault
from arena.languages import SIDES
from arena.llm.request import Completion, Request
from arena.simulator import OfflineBackend
from judges.methods.criteria import total
from judges.methods.more import More, Options, weighted_total
from ratings import CON_WINS, PRO_WINS
from tests.support.debate_seats import paths, quoted, request_at, texts
from tests.support.one_sided_debates import one_sided
from tests.support.score_cards import card, hearing, round_card
from tests.support.scripted_backend import ScriptedBackend

SOFTMAX = More(Options(aggregate="softmax", tau=0.1))
ROUNDS = More(Options(rounds=3, advocates=2))


class Court:
    """Every advocate says its own path; a judge's card is told by path."""

    def __init__(self, answers: Mapping[str, str | Completion]) -> None:
        self.answers = answers

    def __call__(self, request: Request) -> str | Completion:
        formal = request.task in ("judge.criteria", "judge.round")
        return self.answers.get(request.path, card() if formal else f"Said at {request.path}.")


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


def test_benches_from_before_keep_their_identity() -> None:
    assert Options().model_dump(mode="json") == {"advocates": 3}
    assert Options(aggregate="softmax").model_dump(mode="json") == {
        "advocates": 3,
        "aggregate": "softmax",
    }
    assert Options(rounds=2).model_dump(mode="json") == {"advocates": 3, "rounds": 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 0.2}, 'tau needs aggregate = "softmax"'),
        ({"aggregate": "softmax", "tau": 0}, "greater than or equal to 0.001"),
        ({"aggregate": "softmax", "rounds": 2}, 'rounds needs aggregate = "fuse"'),
        ({"aggregate": "mean"}, "'fuse' or 'softmax'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        Options.model_validate(options)


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("judge", [SOFTMAX, ROUNDS], ids=["softmax", "rounds"])
async def test_simulated_models_play_every_part(code: str, judge: More, tmp_path: Path) -> None:
    for better, outcome in (("pro", PRO_WINS), ("con", CON_WINS)):
        debate = hearing(
            OfflineBackend(),
            tmp_path / better,
            code=code,
            said=one_sided(code, better),
            model="offline/good",
        )
        assert (await judge.judge(debate)).verdicts[-1].outcome == outcome
