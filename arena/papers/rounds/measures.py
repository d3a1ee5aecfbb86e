"""Disagreement, bias and diversity of answers that were made in rounds.

The definitions follow Liang et al. 2023 (arXiv 2305.19118): disagreement per iteration
(Figure 1 of the first version), disagreement by level (Figure 4), whose answer the judge
takes (Table 7), and bias and diversity (Table 4 of the version at EMNLP 2024).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from arena.answers import is_correct, normalise
from arena.debaters.mad import diversity
from arena.languages import language
from arena.papers.metrics import estimate, mean_chrf, mean_or_nan
from arena.papers.rounds.work import MAD, InnerWork, Iteration, MadeAnswer, by_participant
from arena.records import Participant
from arena.translation.estimators import Estimator
from ratings import clustered_mean, clustered_share

#: The verdicts of an inner judge: whose answer it took.
VERDICTS = ("affirmative", "negative", "none")
_SIDES = VERDICTS[:2]


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
        level: of disagreement that is asked for, of `mad`; None for other debaters.
        models: of affirmative, negative and judge; those of other debaters are all the same.
        accuracy: share that the bench finds right, 0 to 1; NaN where it judged none.
        lower, upper: its 95 % interval, clustered by questions.
        chrf: mean chrF of its translations to a right reference, 0 to 100; NaN without any.
        disagreement: mean over the answers of that of all their positions, 0 to 1.
        rounds: mean number of rounds.
        verdicts: how many answers became the speech, by whose they were.
        bias: percentage of answers that the bench finds wrong, 0 to 100.
        diversity: 100 - BLEU of the first answer and the last response to it, 0 to 100.
        final_diversity: the same of the first answer and the one that was delivered.
    """

    participant: str
    debater: str
    level: int | None
    models: Mapping[str, str]
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

    @property
    def own_model(self) -> float:
        """The share of verdicts for the one debater that has the judge's model; else NaN."""
        same = [role for role in _SIDES if self.models[role] == self.models["judge"]]
        decided = sum(self.verdicts[role] for role in _SIDES)
        return self.verdicts[same[0]] / decided if len(same) == 1 and decided else math.nan


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


def disagreement_by_iteration(made: Sequence[MadeAnswer]) -> list[IterationDisagreement]:
    """Return the disagreement in each iteration of every participant that works in rounds.

    The value of an answer is the mean of its positions in the iteration. An answer that a critic
    accepted stands, which counts as agreement in all later iterations; a debate that its judge
    ended has no later ones.
    """
    rows: list[IterationDisagreement] = []
    for name, group in by_participant(made):
        works = [(answer.cluster, work) for answer, work in _made(group) if work.iterations]
        most = max((len(work.iterations) for _, work in works), default=0)
        rows += [_disagreement_in(name, works, number) for number in range(1, most + 1)]
    return rows


def _disagreement_in(
    name: str, works: Sequence[tuple[str, InnerWork]], number: int
) -> IterationDisagreement:
    rounds = [
        (question, work.iterations[number - 1 : number])
        for question, work in works
        if len(work.iterations) >= number or work.accepted
    ]
    stated = [
        (stance, question)
        for question, iterations in rounds
        if (stance := _disagreement(iterations)) is not None
    ]
    mean = clustered_mean(
        [stance for stance, _ in stated],
        [question for _, question in stated],
        np.random.default_rng(0),
    )
    differing = [share for _, played in rounds if (share := _differing(played)) is not None]
    return IterationDisagreement(
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
    stances = [
        position.disagreement
        for iteration in iterations
        for position in iteration.positions
        if position.disagreement is not None
    ]
    return fmean(stances) if stances else None if iterations else 0.0


def _differing(iterations: Sequence[Iteration]) -> float | None:
    """Return the share of answers that differ from the one before; 0 where there is no round."""
    changes = [
        float(normalise(position.answer) != normalise(position.before))
        for iteration in iterations
        for position in iteration.positions
    ]
    return fmean(changes) if changes else None if iterations else 0.0


def outcomes(made: Sequence[MadeAnswer], participants: Iterable[Participant]) -> list[Outcome]:
    """Return the outcome of every participant that works in rounds, by name.

    Args:
        participants: all that answered.
    """
    by_name = {participant.name: participant for participant in participants}
    works = ((by_name[name], list(_made(group))) for name, group in by_participant(made))
    return [_outcome(participant, own) for participant, own in works if own]


def _outcome(participant: Participant, made: Sequence[tuple[MadeAnswer, InnerWork]]) -> Outcome:
    options = participant.options
    models = options.get("models") or {}
    judged = [(answer.correct, answer) for answer, _ in made if answer.correct is not None]
    share = clustered_share(
        [right for right, _ in judged], [answer.cluster for _, answer in judged]
    )
    tally = Counter(work.verdict for _, work in made)
    stated = (_disagreement(work.iterations) for _, work in made)
    return Outcome(
        participant=participant.name,
        debater=participant.debater,
        level=options.get("level") if participant.debater == MAD else None,
        models={role: models.get(role) or participant.model for role in (*_SIDES, "judge")},
        accuracy=share.mean,
        lower=share.lower,
        upper=share.upper,
        chrf=mean_chrf((answer.text, answer.asked, answer.expected) for answer, _ in made),
        disagreement=mean_or_nan([mean for mean in stated if mean is not None]),
        rounds=mean_or_nan([float(len(work.iterations)) for _, work in made]),
        verdicts={verdict: tally[verdict] for verdict in VERDICTS},
        bias=100 * (1 - share.mean),
        diversity=_mean_distance((answer, work, work.last_response) for answer, work in made),
        final_diversity=_mean_distance((answer, work, answer.text) for answer, work in made),
        answers=len(made),
    )


def _mean_distance(made: Iterable[tuple[MadeAnswer, InnerWork, str]]) -> float:
    """Return the mean diversity of first answers and later texts."""
    return mean_or_nan(
        [diversity(work.first, text, language(answer.question[1])) for answer, work, text in made]
    )


def _made(answers: Iterable[MadeAnswer]) -> Iterator[tuple[MadeAnswer, InnerWork]]:
    for answer in answers:
        if answer.work:
            yield answer, answer.work


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
    estimates: Mapping[str, float]


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
    """
    rows: list[IterationQuality] = []
    for name, group in by_participant(made):
        answers = [answer for answer in group if answer.work and answer.expected]
        if answers:
            rows += _qualities(name, answers, estimators)
    return rows


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
        answered = [
            (text, answer.asked, answer.expected)
            for text, answer in zip(texts, answers, strict=True)
        ]
        right = [float(is_correct(text, expected)) for text, _, expected in answered if expected]
        share = clustered_share(right, [answer.cluster for answer in answers])
        estimates = {
            estimator.label: [
                score for score in estimate(estimator, answered) if not math.isnan(score)
            ]
            for estimator in estimators
        }
        yield IterationQuality(
            participant=name,
            iteration=number,
            accuracy=share.mean,
            lower=share.lower,
            upper=share.upper,
            chrf=mean_chrf(answered),
            answers=len(right),
            estimates={label: mean_or_nan(scores) for label, scores in estimates.items()},
        )
