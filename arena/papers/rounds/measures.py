"""Disagreement, bias and diversity of answers that were made in rounds.

The definitions follow Liang et al. 2023 (arXiv 2305.19118): disagreement per iteration
(Figure 1 of the first version), disagreement by level (Figure 4), whose answer the judge
takes (Table 7), and bias and diversity (Table 4 of the version at EMNLP 2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from arena.answers import chrf, is_correct, normalise
from arena.debaters.mad import diversity
from arena.errors import ConfigError
from arena.languages import language
from arena.papers.rounds.work import (
    InnerWork,
    Iteration,
    MadeAnswer,
    by_participant,
    mean_or_nan,
)
from arena.translation.estimators import Estimator, Translation, source_of
from motions import Answers
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


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationQuality:
    """How good a participant's answers are after an iteration, if its work ended there.

    Attributes:
        iteration: 0 for the first answer; None for the answer that was delivered.
        accuracy: share of right answers, 0 to 1.
        lower, upper: its 95 % interval, clustered by questions.
        chrf: mean chrF of translations to a right reference, 0 to 100; NaN without any.
        estimates: mean score of the translations by each estimator, by the estimator's label.
    """

    participant: str
    iteration: int | None
    accuracy: float
    lower: float
    upper: float
    chrf: float
    answers: int
    estimates: Mapping[str, float] = field(default_factory=dict)


def quality_by_iteration(
    made: Sequence[MadeAnswer], estimators: Sequence[Estimator] = ()
) -> list[IterationQuality]:
    """Return the quality of the first answers, after each iteration, and of those delivered.

    What is right is decided by the accepted answers (or by chrF, of translations), without a model:
    no judge has seen the answers in between. An answer stands after its last iteration. A judge
    that may end the debate gives no answer in every round, so there are only the first answer and
    the delivered one.

    Args:
        estimators: that score translations besides chrF.

    Raises:
        ConfigError: estimators are named and no translation is asked for, or one fails.
    """
    rows: list[IterationQuality] = []
    for name, group in by_participant(made):
        answers = [answer for answer in group if answer.work and answer.expected]
        if answers:
            rows += _qualities(name, answers, estimators)
    return rows


def mean_chrf(answers: Sequence[MadeAnswer], texts: Sequence[str]) -> float:
    """Return the mean chrF of the translations among some answers, 0 to 100; NaN without any.

    Args:
        answers: say what is expected.
        texts: (answers,) that are scored, the answers' own or earlier ones.
    """
    return mean_or_nan(
        [chrf(text, expected.accepted) for text, _, expected in _translations(answers, texts)]
    )


def _qualities(
    name: str, answers: Sequence[MadeAnswer], estimators: Sequence[Estimator]
) -> Iterator[IterationQuality]:
    works = [answer.work for answer in answers if answer.work]
    adaptive = any(work.adaptive for work in works)
    most = 0 if adaptive else max(len(work.iterations) for work in works)
    stages: dict[int | None, list[str]] = {
        number: [work.answer_after(number) for work in works] for number in range(most + 1)
    }
    stages[None] = [answer.text for answer in answers]
    for number, texts in stages.items():
        right = [
            float(is_correct(text, answer.expected))
            for text, answer in zip(texts, answers, strict=True)
            if answer.expected
        ]
        share = clustered_share(right, [answer.cluster for answer in answers])
        yield IterationQuality(
            participant=name,
            iteration=number,
            accuracy=share.mean,
            lower=share.lower,
            upper=share.upper,
            chrf=mean_chrf(answers, texts),
            answers=len(right),
            estimates={
                estimator.label: _estimate(estimator, answers, texts) for estimator in estimators
            },
        )


def _estimate(estimator: Estimator, answers: Sequence[MadeAnswer], texts: Sequence[str]) -> float:
    translations = [
        Translation(source=source_of(asked), text=text, references=tuple(expected.accepted))
        for text, asked, expected in _translations(answers, texts)
    ]
    if not translations:
        raise ConfigError(
            f"{estimator.label} scores translations, and this tournament asks for none. Leave out "
            "--metric, or name another tournament."
        )
    return mean_or_nan(estimator.score(translations))


def _translations(
    answers: Sequence[MadeAnswer], texts: Sequence[str]
) -> list[tuple[str, str, Answers]]:
    """Return the translations, each with its question and what is expected."""
    return [
        (text, answer.asked, answer.expected)
        for text, answer in zip(texts, answers, strict=True)
        if answer.expected and answer.expected.translation
    ]
