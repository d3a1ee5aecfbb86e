"""Rounds read from traces, as the debaters write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.papers.rounds.work import Iteration, LaterAnswer, read_work

STEP = Mapping[str, Any]


def position(debater: int, number: int, answer: str, stance: str | None) -> STEP:
    agent = "Affirmative" if debater == 1 else "Negative"
    return {
        "agent": agent,
        "debater": debater,
        "round": number,
        "stance": stance,
        "diversity": 0.0,
        "answer": answer,
    }


def judge(number: int, answer: str | None, mode: str = "discriminative") -> STEP:
    return {"agent": "Judge", "mode": mode, "round": number, "answer": answer}


CLOSING: STEP = {"agent": "protocol", "verdict": "negative", "disagreement": 0.5, "diversity": 1.0}
DEBATE = [
    position(1, 1, "100", None),
    position(2, 1, "96", "disagree"),
    judge(1, None),
    position(1, 2, "98", "partly"),
    position(2, 2, "96", "disagree"),
    judge(2, "96"),
    CLOSING,
]


def test_a_debate_is_read_by_rounds() -> None:
    work = read_work("mad", DEBATE)
    assert work is not None
    assert (work.first, work.verdict, work.adaptive, work.accepted) == (
        "100",
        "negative",
        True,
        False,
    )
    assert work.iterations == (
        Iteration(
            number=1,
            positions=(LaterAnswer(answer="96", before="100", disagreement=1.0),),
            answer=None,
        ),
        Iteration(
            number=2,
            positions=(
                LaterAnswer(answer="98", before="96", disagreement=0.5, responds=False),
                LaterAnswer(answer="96", before="98", disagreement=1.0),
            ),
            answer="96",
        ),
    )
    assert work.last_response == "96"
    assert [work.answer_after(number) for number in range(4)] == ["100", "96", "96", "96"]


def test_a_judge_that_ends_nothing_answers_in_every_round() -> None:
    steps = [
        position(1, 1, "100", None),
        position(2, 1, "96", "disagree"),
        judge(1, "100", "extractive"),
        position(1, 2, "96", "agree"),
        position(2, 2, "90", None),
        judge(2, "96", "extractive"),
    ]
    work = read_work("mad", steps)
    assert work is not None and not work.adaptive
    assert [work.answer_after(number) for number in range(3)] == ["100", "100", "96"]
    assert work.iterations[1].positions[1].disagreement is None


def test_a_round_without_an_answer_keeps_the_one_before() -> None:
    steps = [*DEBATE[:2], judge(1, "96", "extractive"), *DEBATE[3:5]]
    work = read_work("mad", steps)
    assert work is not None
    assert work.answer_after(2) == "96"


def draft(number: int, answer: str) -> STEP:
    return {"agent": "Writer", "marker": "finished", "round": number, "answer": answer}


def critique(number: int, marker: str) -> STEP:
    stance = "agree" if marker == "accept" else "disagree"
    return {"agent": "Reviewer", "round": number, "marker": marker, "stance": stance}


def test_a_reflection_is_read_by_critiques() -> None:
    steps = [draft(0, "100"), critique(1, "revise"), draft(1, "96"), critique(2, "accept")]
    work = read_work("self_reflect", steps)
    assert work is not None and work.accepted
    assert work.iterations == (
        Iteration(
            number=1,
            positions=(LaterAnswer(answer="96", before="100", disagreement=1.0),),
            answer="96",
        ),
        Iteration(
            number=2,
            positions=(LaterAnswer(answer="96", before="96", disagreement=0.0),),
            answer="96",
        ),
    )
    assert (work.last_response, work.verdict) == ("96", "")


def test_a_review_after_shortening_is_no_round() -> None:
    shortened = {"agent": "protocol", "action": "shorten", "from": 700}
    again = [shortened, critique(1, "revise"), draft(1, "Shorter.")]
    work = read_work("self_reflect", [draft(0, "Long."), critique(1, "accept"), *again])
    assert work is not None
    assert [round_.answer for round_ in work.iterations] == ["Long."]


def test_where_no_answers_are_stored_there_are_no_rounds() -> None:
    old = [{key: value for key, value in step.items() if key != "answer"} for step in DEBATE]
    assert read_work("mad", old) is None
    assert read_work("self_reflect", [{"agent": "Writer", "marker": "finished"}]) is None
    assert read_work("cot", DEBATE) is None
