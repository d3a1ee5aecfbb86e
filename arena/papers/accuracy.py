"""How often each participant of a question contest answers correctly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import pandas as pd

from arena.papers.judged_speeches import RIGHT, read_judged_speeches
from arena.papers.metrics import estimate, mean_chrf
from arena.papers.published import published_table
from arena.people.sessions import from_stored
from arena.store.database import Store
from arena.translation.estimators import Estimator
from ratings import clustered_share


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAccuracy:
    """How often one participant answers correctly.

    Attributes:
        accuracy: share of right answers, 0 to 1.
        lower, upper: 95 % interval, clustered by questions: answers to one question are not
            independent.
        chrf: mean chrF to the closest right reference, 0 to 100, over its translations; NaN
            if it was asked for none.
        published: share published of its debater on GPT-3.5-Turbo, on other questions or
            translations, 0 to 1; NaN for none.
        mark: mean of the marks that people gave its answers, 1 to 5; NaN if they gave none.
        estimates: mean score of its translations by each estimator, by the estimator's label.
    """

    participant: str
    accuracy: float
    lower: float
    upper: float
    answers: int
    questions: int
    chrf: float
    published: float
    mark: float
    estimates: Mapping[str, float]


def accuracies(
    store: Store, tournament: str, *, bench: str, estimators: Sequence[Estimator] = ()
) -> list[AnswerAccuracy]:
    """Return the accuracy of every participant that has answered, the best first.

    Args:
        bench: whose verdicts count.
        estimators: that score translations besides chrF.
    """
    columns = ["participant", "debater", "question", "answered", "correct", "quality"]
    rows = (
        (each.participant, each.debater, each.debate.motion_id, answered, mark == RIGHT, quality)
        for each in read_judged_speeches(store, tournament, bench=bench)
        for answered in [(each.speech.text, each.debate.motion, each.expected)]
        for mark, quality in zip_longest(each.marks("overall"), each.marks("quality"))
    )
    frame = pd.DataFrame(rows, columns=columns)
    for estimator in estimators:
        frame[estimator.label] = estimate(estimator, list(frame["answered"]))
    names = [estimator.label for estimator in estimators]
    shares = [_accuracy(str(name), group, names) for name, group in frame.groupby("participant")]
    return sorted(shares, key=lambda row: (-row.accuracy, row.participant))


def _accuracy(name: str, answers: pd.DataFrame, estimates: Sequence[str]) -> AnswerAccuracy:
    share = clustered_share(answers["correct"], answers["question"])
    similarity = mean_chrf(answers["answered"])
    published = published_accuracies(translations=not math.isnan(similarity))
    return AnswerAccuracy(
        participant=name,
        accuracy=share.mean,
        lower=share.lower,
        upper=share.upper,
        answers=len(answers),
        questions=share.clusters,
        chrf=similarity,
        published=published.get(str(answers["debater"].iloc[0]), math.nan),
        mark=from_stored(float(answers["quality"].astype(float).mean())),
        estimates={name: float(answers[name].mean()) for name in estimates},
    )


def published_accuracies(*, translations: bool) -> dict[str, float]:
    """Return published shares of right answers by debater with GPT-3.5-Turbo, and of `GPT-4` alone.

    They are for orientation: other questions and models (Liang et al. 2023, arXiv 2305.19118).

    >>> published_accuracies(translations=False)["mad"]
    0.36

    Args:
        translations: whether of translations, judged by people, instead of questions.
    """
    table = published_table("mad", "T3" if translations else "T5")
    percentages = table.numbers("accuracy").items()
    return {
        "direct" if name == "GPT-3.5-Turbo" else name: percent / 100
        for name, percent in percentages
    }
