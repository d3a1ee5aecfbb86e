"""Figures and tables of rounds against values worked by hand."""

from __future__ import annotations

import math

from arena.papers.rounds.measures import (
    Outcome,
    disagreement_by_iteration,
    outcomes,
    quality_by_iteration,
    wrong_questions,
)
from arena.papers.rounds.tables import (
    DEGENERATION,
    DISAGREEMENT,
    LEVELS,
    QUALITY,
    VERDICT_COUNTS,
    by_level,
)
from arena.papers.rounds.work import InnerWork, Iteration, LaterAnswer, MadeAnswer
from arena.records import Participant
from motions import Answers
from ratings import clustered_share

NUMBER = Answers(accepted=("96",), wrong=("100",))
READING = Answers(
    accepted=("He was fired last month.",),
    wrong=("Last month he was fried.",),
    translation=True,
)


def rounds(
    *parts: tuple[str, list[tuple[str, str, float | None]], str | None],
) -> tuple[Iteration, ...]:
    """Rounds from their positions (answer, answer before, disagreement) and their last answer."""
    return tuple(
        Iteration(
            number=number,
            positions=tuple(
                LaterAnswer(answer=answer, before=before, disagreement=stance, responds=who == "n")
                for who, (answer, before, stance) in zip(voices, positions, strict=True)
            ),
            answer=last,
        )
        for number, (voices, positions, last) in enumerate(parts, start=1)
    )


def made(  # noqa: PLR0913
    participant: str,
    question: str,
    text: str,
    correct: float | None,
    work: InnerWork | None = None,
    *,
    debater: str = "mad",
    expected: Answers | None = NUMBER,
) -> MadeAnswer:
    return MadeAnswer(
        participant=participant,
        debater=debater,
        question=(question, "en"),
        text=text,
        correct=correct,
        expected=expected,
        work=work,
    )


#: Of the first question two rounds, of the second one round in which both agree.
LONG = InnerWork(
    first="100",
    iterations=rounds(
        ("n", [("96", "100", 1.0)], "100"),
        ("an", [("98", "96", 0.5), ("96", "98", 1.0)], "96"),
    ),
    verdict="negative",
)
SHORT = InnerWork(first="96", iterations=rounds(("n", [("96", "96", 0.0)], "96")), verdict="none")
DEBATES = [made("mad", "q1", "96", 1.0, LONG), made("mad", "q2", "96", 1.0, SHORT)]
#: Revised once and accepted; accepted at once, though it is wrong.
REVISED = InnerWork(
    first="100",
    iterations=rounds(("n", [("96", "100", 1.0)], "96"), ("n", [("96", "96", 0.0)], "96")),
    accepted=True,
)
KEPT = InnerWork(first="100", iterations=rounds(("n", [("100", "100", 0.0)], "100")), accepted=True)
REFLECTIONS = [
    made("reflect", "q1", "96", 1.0, REVISED, debater="self_reflect"),
    made("reflect", "q2", "100", 0.0, KEPT, debater="self_reflect"),
]


def test_disagreement_is_a_mean_of_means_per_iteration() -> None:
    rows = disagreement_by_iteration([*REFLECTIONS, *DEBATES])
    table = DISAGREEMENT.fill(rows, title="t", questions="All.")
    assert table.head == (
        *("participant", "iteration", "disagreement", "95 % interval", "other answer", "answers"),
    )
    assert table.rows == (
        # 1 and 0; 96 after 100, and 96 after 96
        ("mad", "1", "0.500", "0.00 to 1.00", "50.0%", "2"),
        # the mean of 0.5 and 1, of the long debate alone: no interval of one question
        ("mad", "2", "0.750", "-", "100.0%", "1"),
        ("reflect", "1", "0.500", "0.00 to 1.00", "50.0%", "2"),  # 1 and 0
        # accepted, and accepted before: it stands
        ("reflect", "2", "0.000", "0.00 to 0.00", "0.0%", "2"),
    )


def test_stances_that_were_not_stated_count_for_nothing() -> None:
    work = InnerWork(first="1", iterations=rounds(("n", [("2", "1", None)], None)))
    (row,) = disagreement_by_iteration([made("mad", "q", "2", 1.0, work)])
    assert math.isnan(row.disagreement) and row.differing == 1.0 and row.answers == 1


def test_quality_counts_what_stood_after_each_iteration() -> None:
    rows = quality_by_iteration([*DEBATES, *REFLECTIONS])
    table = QUALITY.fill(rows, title="t")
    assert table.head == (
        *("participant", "after iteration", "accuracy", "95 % interval", "answers"),
    )
    half = clustered_share([1, 0], ["q1", "q2"])
    assert {row[3] for row in table.rows if row[2] == "50.0%"} == {
        f"{half.lower:.0%} to {half.upper:.0%}"
    }
    assert without_interval(table.rows, 3) == (
        ("mad", "0", "50.0%", "2"),  # 100 is wrong, 96 right
        ("mad", "1", "50.0%", "2"),  # the judge took 100 after the first round
        ("mad", "2", "100.0%", "2"),  # then 96; the short debate's answer stands
        ("mad", "delivered", "100.0%", "2"),
        ("reflect", "0", "0.0%", "2"),
        ("reflect", "1", "50.0%", "2"),
        ("reflect", "2", "50.0%", "2"),
        ("reflect", "delivered", "50.0%", "2"),
    )


def test_a_judge_that_may_end_the_debate_gives_no_answer_per_round() -> None:
    adaptive = InnerWork(first="100", iterations=LONG.iterations, adaptive=True)
    rows = quality_by_iteration([made("mad", "q1", "96", 1.0, adaptive)])
    assert [(row.iteration, row.accuracy) for row in rows] == [(0, 0.0), (None, 1.0)]


def test_translations_have_a_mean_chrf() -> None:
    work = InnerWork(
        first="Last month he was fried.",
        iterations=rounds(
            ("n", [("He was fired last month.", "Last month he was fried.", 1.0)], None)
        ),
    )
    answers = [made("mad", "q", "He was fired last month.", 1.0, work, expected=READING)]
    first, after, delivered = quality_by_iteration(answers)
    assert first.accuracy == 0.0 and 0 < first.chrf < 100
    assert (after.accuracy, after.chrf) == (delivered.accuracy, delivered.chrf) == (1.0, 100.0)
    assert "chrF" in QUALITY.fill([first], title="t").head


def without_interval(rows: tuple[tuple[str, ...], ...], place: int) -> tuple[tuple[str, ...], ...]:
    return tuple((*row[:place], *row[place + 1 :]) for row in rows)


def row_of(answers: list[MadeAnswer], **options: object) -> Outcome:
    first = answers[0]
    participant = Participant(
        name=first.participant, debater=first.debater, model="offline/good", options=options
    )
    (outcome,) = outcomes(answers, [participant])
    return outcome


def test_levels_are_in_order_with_the_disagreement_of_whole_debates() -> None:
    high, low = row_of(DEBATES, level=3), row_of([DEBATES[1]], level=0)
    table = LEVELS.fill(by_level([high, low, row_of(REFLECTIONS)]), title="t")
    assert table.head == (
        *("participant", "level", "accuracy", "95 % interval", "disagreement", "rounds", "answers"),
    )
    assert without_interval(table.rows, 3) == (
        ("mad", "0", "100.0%", "0.000", "1.0", "1"),
        # (1 + 0.5 + 1) / 3 and 0, of which the mean is 0.417; 2 rounds and 1
        ("mad", "3", "100.0%", "0.417", "1.5", "2"),
    )


def verdicts(affirmative: int, negative: int, none: int) -> list[MadeAnswer]:
    tally = {"affirmative": affirmative, "negative": negative, "none": none}
    return [
        made(
            "mad", f"{verdict}{n}", "96", 0.5, InnerWork(first="96", iterations=(), verdict=verdict)
        )
        for verdict, count in tally.items()
        for n in range(count)
    ]


def test_verdicts_stand_beside_the_models_and_the_judges_own() -> None:
    models = {"affirmative": "offline/strong", "negative": None, "judge": "offline/strong"}
    own = row_of(verdicts(3, 1, 2), models=models)
    same = row_of(verdicts(1, 1, 0), models=dict.fromkeys(models))
    neither = row_of(verdicts(1, 0, 0), models={"judge": "offline/weak"})
    table = VERDICT_COUNTS.fill([own, same, neither], title="t")
    assert table.head[1:9] == (
        *("affirmative model", "negative model", "judge"),
        *("affirmative", "negative", "none", "own model", "accuracy"),
    )
    assert table.rows[0][1:9] == (
        *("offline/strong", "offline/good", "offline/strong"),
        *("3", "1", "2"),
        "75.0%",  # 3 of the 4 answers that are a debater's
        "50.0%",
    )
    assert [row[7] for row in table.rows] == ["75.0%", "-", "-"]


def test_bias_is_the_share_of_wrong_answers_and_diversity_is_from_the_first() -> None:
    table = DEGENERATION.fill([row_of(DEBATES), row_of(REFLECTIONS)], title="t")
    assert table.head == ("participant", "debater", "bias", "diversity", "delivered", "answers")
    assert table.rows == (
        # nothing wrong; 96 after 100 has nothing of it (100), 96 after 96 all (0)
        ("mad", "mad", "0.0", "50.0", "50.0", "2"),
        ("reflect", "self_reflect", "50.0", "50.0", "50.0", "2"),
    )


def test_a_question_is_wrong_where_most_answers_are() -> None:
    answers = [
        *(made("cot", "q1", "x", correct) for correct in (0.0, 0.0, 1.0)),
        *(made("cot", "q2", "x", correct) for correct in (0.0, 1.0)),
        made("cot", "q3", "x", None),
        made("mad", "q2", "x", 0.0),
    ]
    assert wrong_questions(answers, "cot") == {("q1", "en")}


def test_without_rounds_a_table_says_why() -> None:
    (note,) = DISAGREEMENT.fill([], title="t", questions="All.").notes
    assert note.startswith("No rounds are stored")
