"""The quality of answers after each iteration: Figure 3 of Liang et al. 2023 (2305.19118v1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena.answers import chrf, is_correct
from arena.errors import ConfigError
from arena.report.rounds.work import MadeAnswer, by_participant, mean_or_nan
from arena.translation.estimators import Estimator, Translation, source_of
from motions import Answers
from ratings import clustered_share


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationQuality:
    """How good a participant's answers are after an iteration, if its work ended there.

    Attributes:
        iteration: 0 for the first answer; None for the answer that was delivered.
        accuracy: share of right answers, 0 to 1.
        lower, upper: its 95 % interval, clustered by questions.
        chrf: mean chrF of translations to a right reference, 0 to 100; NaN without any.
        answers: the number of answers.
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
        made: the answers of a tournament.
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
