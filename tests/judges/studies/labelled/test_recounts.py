"""The studies of the paper's section 3.3, against tables worked by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.llm.request import Completion, Request
from arena.records import Bench
from judges.studies.labelled.recounts import rank_jurors, score_jurors
from judges.studies.labelled.score_gaps import compare_iterations, iterations_table
from tests.judges.studies.labelled.test_score_gaps import judged
from tests.support.command_line import done
from tests.support.evaluations import bench, evaluated, evaluation, write_pairs
from tests.support.paired_answers import pair_card
from tests.support.probes import ask

MORE = Bench(name="m", judge="more", model="offline/good", options={"advocates": 3})
SAMRE = Bench(
    name="s", judge="samre", model="offline/good", options={"early_stop": False, "jurors": 0}
)


def rounds(*gaps: float) -> tuple[tuple[float, float], ...]:
    return tuple((60.0 + gap * 114, 60.0) for gap in gaps)


def test_rounds_until_a_gap_are_compared_pair_by_pair() -> None:
    verdicts = [
        judged("m", "1", rounds=(rounds(0.2, 0.2),)),
        judged("m", "2", rounds=(rounds(0.01, 0.06),)),
        judged("m", "3", rounds=(rounds(0.01, 0.01),)),
        judged("s", "1", rounds=(rounds(0.01, 0.06, 0.3),)),
        judged("s", "2", rounds=(rounds(0.01, 0.07, 0.07),)),
        judged("s", "3", rounds=(rounds(0.01, 0.2, 0.2),)),
    ]
    first, second, third = compare_iterations([MORE, SAMRE], verdicts)
    assert (first.least, first.rounds, first.pairs) == (0.05, 2, 3)
    assert (first.more_reached, first.samre_reached) == pytest.approx((2 / 3, 1.0))
    # rounds of MORE 1, 2, none in two; of SAMRE 2, 2, 2
    assert (first.more_mean, first.samre_mean) == pytest.approx((2.0, 2.0))
    assert (first.more_sooner, first.samre_sooner, first.p) == (1, 1, 1.0)
    assert (second.more_sooner, second.samre_sooner) == (1, 1)
    # a gap of 0.2: MORE 1, none, none; SAMRE none, none, 2
    assert (third.more_mean, third.samre_mean) == pytest.approx((7 / 3, 8 / 3))
    assert iterations_table([first]).rows[0][3:] == (
        "2", "0.05", "3", "67%", "100%", "2.00", "2.00", "1", "1", "1.0000",
    )  # fmt: skip


def test_more_in_one_round_is_compared_within_that_round() -> None:
    verdicts = [
        judged("m", "1", gap=0.1 * 114),
        judged("m", "2", gap=0.01 * 114),
        judged("s", "1", rounds=(rounds(0.01, 0.3),)),
        judged("s", "2", rounds=(rounds(0.06, 0.06),)),
    ]
    first = next(compare_iterations([MORE, SAMRE], verdicts))
    assert (first.rounds, first.more_reached, first.samre_reached) == (1, 0.5, 0.5)
    assert (first.more_sooner, first.samre_sooner) == (1, 1)


def test_a_samre_that_stops_or_scores_something_else_is_not_compared() -> None:
    verdicts = [judged("m", "1"), judged("s", "1", rounds=(rounds(0.1),))]
    stops = Bench(name="s", judge="samre", model="offline/good", options={"early_stop": True})
    others = replace(SAMRE, options={"early_stop": False, "scores": "defences"})
    for samre in (stops, others):
        assert not list(compare_iterations([MORE, samre], verdicts))


def test_jurors_marks_are_ranked_and_averaged() -> None:
    steps: list[dict[str, Any]] = [
        {"agent": "judge", "round": 1, "pro": 70.0, "con": 60.0},
        {"agent": "juror", "pro_score": 80.0, "con_score": 60.0},
        {"agent": "juror", "pro_score": 60.0, "con_score": 63.0},
        {"agent": "juror", "pro_score": 60.0, "con_score": 63.0},
        {"agent": "juror", "missing": "EmptyReply"},
    ]
    assert rank_jurors(steps) == -1.0 and score_jurors(steps) == pytest.approx(14 / 3)
    assert rank_jurors([{"agent": "juror", "winner": "Pro"}]) is None


BENCHES = (
    bench("soft", "more", options={"aggregate": "softmax", "tau": 0.05}),
    bench("votes", "samre", options={"rounds": 1, "jurors": 3}),
    bench("marks", "samre", options={"rounds": 1, "jurors": 3, "juror_mode": "score"}),
)
ROWS = [(question, "One.", "Two.", winner)
        for question, winner in (("Why?", "a"), ("How?", "b"), ("Who?", "tie"))]  # fmt: skip


def judging(request: Request) -> str | Completion:
    """Three advocates get 12:10, 12:10 and 9:13; one juror is for B by far, two for A by little."""
    number = request.path.rpartition("/")[2]
    if request.task == "judge.criteria":
        return pair_card(9, 13) if number == "3" else pair_card(12, 10)
    if request.task == "judge.round":
        return pair_card(12, 10, a_feedback="More.", b_feedback="More.")
    marks = {"1": (40, 90)}.get(number, (62, 60))
    if "juror/" in request.path and request.task != "judge.vote":
        return json.dumps({"judgement": "So.", "a_score": marks[0], "b_score": marks[1]})
    if "juror/" in request.path:
        return json.dumps({"judgement": "So.", "winner": "AB"[marks[1] > marks[0]]})
    return "Said."


def test_the_sweep_and_scoring_against_ranking_use_stored_ballots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = ask(monkeypatch, judging)
    place = write_pairs(tmp_path, ROWS, *BENCHES)
    content = evaluated(place)
    asked = len(backend.requests)
    (sweep,) = content["sweeps"]
    assert (sweep["pairs"], sweep["decided"], sweep["single_gap"]) == (3, 2, pytest.approx(16))
    highest, mean = sweep["rows"][0], sweep["rows"][-1]
    # the best of A have 72, the best of B 78: B in all; the means are 66 each: a tie in all
    assert (highest["aggregate"], highest["tau"], highest["gap"]) == ("highest", None, 6)
    assert (highest["right"], highest["ties"], mean["ties"]) == (0.5, 0, 2)
    assert (mean["aggregate"], mean["gap"]) == ("mean", pytest.approx(0))
    own = next(row for row in sweep["rows"] if row["tau"] == 0.05)
    assert own["changed"] == 0 and own["log_sum_exp_gap"] is not None
    same, two = content["rankings"]
    assert (same["ranking"], same["scoring"]) == ("marks", "marks")
    assert (same["ranking_right"], same["scoring_right"]) == (0.5, 0.5)
    assert (same["pairs"], same["different"], same["only_ranking"]) == (2, 2, 1)
    assert (two["ranking"], two["scoring"], two["different"]) == ("votes", "marks", 2)
    shown = done(*evaluation(place, "--format", "markdown"))
    assert "**Aggregation of advocates by softmax: soft**" in shown
    assert r"| 0.05 \* |" in shown and "**Scoring against ranking**" in shown
    assert len(backend.requests) == asked, "nothing is asked for these tables"


@pytest.mark.slow
def test_the_shipped_benches_of_section_33_show_all_of_it(tmp_path: Path) -> None:
    shown = done("judges", "evaluate", "pairs16", "--benches", "advocates", "--yes", "--db",
                 tmp_path / "x.duckdb", "--format", "markdown")  # fmt: skip
    for title in (
        "Rounds until a gap",
        "How the gap evolves: more-rounds",
        "Aggregation of advocates by softmax: more-softmax",
        "Scoring against ranking",
    ):
        assert f"**{title}" in shown
    assert "| juries | juries |" in shown
