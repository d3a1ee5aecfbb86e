"""Disagreement, bias and diversity of answers that were made in rounds.

The definitions follow Liang et al. 2023 (arXiv 2305.19118): disagreement per iteration
(Figure 1 of the first version), disagreement by level (Figure 4), whose answer the judge
takes (Table 7), and bias and diversity (Table 4 of the version at EMNLP 2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from arena.answers import normalise
from arena.debaters.mad_rounds import diversity
from arena.languages import language
from arena.report.rounds.quality import mean_chrf
from arena.report.rounds.work import (
    InnerWork,
    Iteration,
    MadeAnswer,
    by_participant,
    mean_or_nan,
)
from ratings import clustered_mean, clustered_share

#: The verdicts of an inner judge: whose answer it took.
VERDICTS = ("affirmative", "negative", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationDisagreement:
    """How much a participant's inner voices disagree in one iteration.

    Attributes:
        disagreement: mean of stated stances, 0 (all agree) to 1; NaN where none was stated.
        lower, upper: its 95 % interval, clustered by questions; NaN where there is none.
        differing: share of answers that differ from the one before, 0 to 1.
        answers: the number of speeches or answers it is a mean of.
    """

    participant: str
    iteration: int
    disagreement: float
    lower: float
    upper: float
    differing: float
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What all answers of a participant came to.

    Attributes:
        accuracy: share that the bench finds right, 0 to 1; NaN where it judged none.
        lower, upper: its 95 % interval, clustered by questions.
        chrf: mean chrF of its translations to a right reference, 0 to 100; NaN without any.
        disagreement: mean over the answers of that of all their positions, 0 to 1.
        rounds: mean number of rounds.
        verdicts: how many answers became the speech, by whose they were.
        bias: percentage of answers that the bench finds wrong, 0 to 100.
        diversity: 100 - BLEU of the first answer and the last response to it, 0 to 100.
        final_diversity: the same of the first answer and the one that was delivered.
        answers: the number of answers.
        questions: the number of different questions or motions.
    """

    participant: str
    accuracy: float
    lower: float
    upper: float
    chrf: float
    disagreement: float
    rounds: float
    verdicts: Mapping[str, int]
    bias: float
    diversity: float
    final_diversity: float
    answers: int
    questions: int


def wrong_questions(made: Iterable[MadeAnswer], participant: str) -> set[tuple[str, str]]:
    """Return the questions (id and language) more than half of whose answers are wrong.

    Args:
        made: the answers of a tournament.
        participant: whose answers count, by its name.
    """
    shares: dict[tuple[str, str], list[float]] = {}
    for answer in made:
        if answer.participant == participant and answer.correct is not None:
            shares.setdefault(answer.question, []).append(answer.correct)
    return {question for question, values in shares.items() if fmean(values) < 0.5}


def answers_to(
    made: Iterable[MadeAnswer], questions: Collection[tuple[str, str]]
) -> list[MadeAnswer]:
    """Return the answers to some questions."""
    return [answer for answer in made if answer.question in questions]


def disagreement_by_iteration(made: Sequence[MadeAnswer]) -> list[IterationDisagreement]:
    """Return the disagreement in each iteration of every participant that works in rounds.

    The value of an answer is the mean of its positions in the iteration. An answer that a critic
    accepted stands, which counts as agreement in all later iterations; a debate that its judge
    ended has no later ones.
    """
    return [row for name, works in _works(made) for row in _disagreements(name, works)]


def _disagreements(
    name: str, works: Sequence[tuple[str, InnerWork]]
) -> Iterator[IterationDisagreement]:
    for number in range(1, 1 + max(len(work.iterations) for _, work in works)):
        rounds = [
            (question, work.iterations[number - 1 : number])
            for question, work in works
            if len(work.iterations) >= number or work.accepted
        ]
        stances = [(question, _disagreement(iterations)) for question, iterations in rounds]
        stated = [(question, stance) for question, stance in stances if stance is not None]
        differing = [share for _, played in rounds if (share := _differing(played)) is not None]
        rng = np.random.default_rng(0)
        mean = clustered_mean(
            [stance for _, stance in stated], [question for question, _ in stated], rng
        )
        yield IterationDisagreement(
            participant=name,
            iteration=number,
            disagreement=mean.mean,
            lower=mean.lower,
            upper=mean.upper,
            differing=mean_or_nan(differing),
            answers=len(rounds),
        )


def _disagreement(iterations: Sequence[Iteration]) -> float | None:
    """Return the mean of the stances stated in some rounds; None where none was.

    Without a round an accepted answer stands, which is agreement: 0.
    """
    if not iterations:
        return 0.0
    stances = [
        position.disagreement
        for iteration in iterations
        for position in iteration.positions
        if position.disagreement is not None
    ]
    return fmean(stances) if stances else None


def _differing(iterations: Sequence[Iteration]) -> float | None:
    """Return the share of answers that differ from the one before; 0 where there is no round."""
    changes = [
        float(normalise(position.answer) != normalise(position.before))
        for iteration in iterations
        for position in iteration.positions
    ]
    return fmean(changes) if changes else None if iterations else 0.0


def outcomes(made: Sequence[MadeAnswer]) -> list[Outcome]:
    """Return the outcome of every participant that works in rounds, by name."""
    return [
        _outcome(name, [answer for answer in group if answer.work])
        for name, group in by_participant(made)
        if any(answer.work for answer in group)
    ]


def _outcome(name: str, answers: Sequence[MadeAnswer]) -> Outcome:
    works = [answer.work for answer in answers if answer.work]
    judged = [(answer.correct, answer) for answer in answers if answer.correct is not None]
    share = clustered_share(
        [right for right, _ in judged], [answer.cluster for _, answer in judged]
    )
    stated = [mean for work in works if (mean := _disagreement(work.iterations)) is not None]
    tally = Counter(work.verdict for work in works)
    return Outcome(
        participant=name,
        accuracy=share.mean,
        lower=share.lower,
        upper=share.upper,
        chrf=mean_chrf(answers, [answer.text for answer in answers]),
        disagreement=mean_or_nan(stated),
        rounds=mean_or_nan([float(len(work.iterations)) for work in works]),
        verdicts={verdict: tally[verdict] for verdict in VERDICTS},
        bias=100 * (1 - share.mean),
        diversity=mean_or_nan(
            [_distance(answer, work.last_response) for answer, work in _made(answers)]
        ),
        final_diversity=mean_or_nan(
            [_distance(answer, answer.text) for answer, _ in _made(answers)]
        ),
        answers=len(answers),
        questions=len({answer.question for answer in answers}),
    )


def _distance(answer: MadeAnswer, text: str) -> float:
    assert answer.work is not None
    return diversity(answer.work.first, text, language(answer.question[1]))


def _made(answers: Iterable[MadeAnswer]) -> Iterator[tuple[MadeAnswer, InnerWork]]:
    for answer in answers:
        if answer.work:
            yield answer, answer.work


def _works(made: Sequence[MadeAnswer]) -> Iterator[tuple[str, list[tuple[str, InnerWork]]]]:
    """Yield the participants with their work in rounds, each with the name of its question."""
    for name, group in by_participant(made):
        works = [(answer.cluster, work) for answer, work in _made(group) if work.iterations]
        if works:
            yield name, works
