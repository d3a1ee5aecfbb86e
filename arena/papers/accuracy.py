"""How often each participant of a question contest answers correctly."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pandas as pd

from arena.answers import chrf
from arena.errors import ConfigError
from arena.papers.published import published_table
from arena.people.sessions import from_stored
from arena.store.database import Store
from arena.translation.estimators import Estimator, Translation, source_of
from ratings import clustered_share

#: Right answers have the highest mark of a ballot, wrong ones the lowest.
_ANSWERS = """
    SELECT p.name AS participant, p.debater, d.motion_id AS question, speech.text, m.answers,
           if(speech.side = 'pro', s.pro_mark, s.con_mark) = 10 AS correct,
           if(speech.side = 'pro', q.pro_mark, q.con_mark) AS quality, m.text AS asked
    FROM debates d
    JOIN ballots b USING (debate_id)
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    LEFT JOIN ballot_scores q ON q.ballot_id = b.ballot_id AND q.dimension = 'quality'
    JOIN speeches speech ON speech.debate_id = d.debate_id
    JOIN participants p ON p.tournament = d.tournament
        AND p.participant_id = if(speech.side = 'pro', d.pro, d.con)
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    WHERE d.tournament = $tournament AND b.bench = $bench AND b.status = 'valid'
      AND s.dimension = 'overall'
"""

#: The published tables of right answers: to questions, and (by people) of translations.
_PUBLISHED_TABLES = {False: "T5", True: "T3"}
_PUBLISHED_DIRECT = "GPT-3.5-Turbo"
_PUBLISHED_GPT_4 = "GPT-4"


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
    estimates: Mapping[str, float] = field(default_factory=dict)


def accuracies(
    store: Store, tournament: str, *, bench: str, estimators: Sequence[Estimator] = ()
) -> list[AnswerAccuracy]:
    """Return the accuracy of every participant that has answered, the best first.

    Args:
        bench: whose verdicts count.
        estimators: that score translations besides chrF.

    Raises:
        ConfigError: estimators are named and no translation is asked for, or one fails.
    """
    frame = store.read(_ANSWERS, {"tournament": tournament, "bench": bench})
    for estimator in estimators:
        frame[estimator.label] = _estimate(frame, estimator)
    names = [estimator.label for estimator in estimators]
    rows = [_accuracy(str(name), group, names) for name, group in frame.groupby("participant")]
    return sorted(rows, key=lambda row: (-row.accuracy, row.participant))


def _estimate(frame: pd.DataFrame, estimator: Estimator) -> pd.Series:
    """Score the translations of a frame of answers, equal ones once; NaN for other answers."""
    accepted = {key: json.loads(key) for key in frame["answers"].unique()}
    keys = [
        (str(asked), str(text), str(answers))
        for asked, text, answers in zip(
            frame["asked"], frame["text"], frame["answers"], strict=True
        )
    ]
    translations = {
        (asked, text, answers): Translation(
            source=source_of(asked), text=text, references=tuple(accepted[answers]["accepted"])
        )
        for asked, text, answers in keys
        if accepted[answers].get("translation")
    }
    if len(frame) and not translations:
        raise ConfigError(
            f"{estimator.label} scores translations, and this tournament asks for none. Leave out "
            "--metric, or name another tournament."
        )
    scores = dict(zip(translations, estimator.score(list(translations.values())), strict=True))
    return pd.Series([scores.get(key, math.nan) for key in keys], index=frame.index, dtype=float)


def _accuracy(name: str, answers: pd.DataFrame, estimates: Sequence[str]) -> AnswerAccuracy:
    share = clustered_share(answers["correct"], answers["question"])
    similarity = _mean_chrf(answers)
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
    """Return the published shares of right answers by debater, with GPT-3.5-Turbo, 0 to 1.

    They are for orientation: other questions and models (Liang et al. 2023, arXiv 2305.19118).

    >>> published_accuracies(translations=False)["mad"]
    0.36

    Args:
        translations: whether of translations, judged by people, instead of questions.
    """
    shares = _published_shares(translations=translations)
    return {
        "direct" if name == _PUBLISHED_DIRECT else name: share
        for name, share in shares.items()
        if name != _PUBLISHED_GPT_4
    }


def published_gpt_4(*, translations: bool) -> float:
    """Return the published share of right answers of GPT-4, asked directly, 0 to 1."""
    return _published_shares(translations=translations)[_PUBLISHED_GPT_4]


def _published_shares(*, translations: bool) -> dict[str, float]:
    table = published_table("mad", _PUBLISHED_TABLES[translations])
    return {name: percent / 100 for name, percent in table.numbers("accuracy").items()}


def _mean_chrf(answers: pd.DataFrame) -> float:
    """Return the mean chrF of the translations among some answers; NaN if there are none."""
    accepted: dict[str, Any] = {key: json.loads(key) for key in answers["answers"].unique()}
    scores = [
        chrf(text, accepted[key]["accepted"])
        for text, key in zip(answers["text"], answers["answers"], strict=True)
        if accepted[key].get("translation")
    ]
    return fmean(scores) if scores else math.nan
