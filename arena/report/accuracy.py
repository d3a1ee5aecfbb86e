"""How often each participant of a question contest answers correctly."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import pandas as pd

from arena.answers import chrf
from arena.report.published import published_table
from arena.store.database import Store
from ratings import clustered_share

#: Right answers have the highest mark of a ballot, wrong ones the lowest.
_ANSWERS = """
    SELECT p.name AS participant, p.debater, d.motion_id AS question, speech.text, m.answers,
           if(speech.side = 'pro', s.pro_mark, s.con_mark) = 10 AS correct
    FROM debates d
    JOIN ballots b USING (debate_id)
    JOIN ballot_scores s USING (ballot_id)
    JOIN speeches speech USING (debate_id)
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
class Accuracy:
    """How often one participant answers correctly.

    Attributes:
        accuracy: share of right answers, 0 to 1.
        lower, upper: 95 % interval, clustered by questions: answers to one question are not
            independent.
        answers: number of answers.
        questions: number of different questions.
        chrf: mean chrF to the closest right reference, 0 to 100, over its translations; NaN
            if it was asked for none.
        published: share published of its debater on GPT-3.5-Turbo, on other questions or
            translations, 0 to 1; NaN for none.
    """

    participant: str
    accuracy: float
    lower: float
    upper: float
    answers: int
    questions: int
    chrf: float
    published: float


def accuracies(store: Store, tournament: str, *, bench: str) -> list[Accuracy]:
    """Return the accuracy of every participant that has answered, the best first.

    Args:
        store: the database.
        tournament: name of a stored tournament.
        bench: whose verdicts count.
    """
    frame = store.read(_ANSWERS, {"tournament": tournament, "bench": bench})
    rows = [_accuracy(str(name), group) for name, group in frame.groupby("participant")]
    return sorted(rows, key=lambda row: (-row.accuracy, row.participant))


def _accuracy(name: str, answers: pd.DataFrame) -> Accuracy:
    share = clustered_share(answers["correct"], answers["question"])
    similarity = _mean_chrf(answers)
    published = published_accuracies(translations=not math.isnan(similarity))
    return Accuracy(
        participant=name,
        accuracy=share.mean,
        lower=share.lower,
        upper=share.upper,
        answers=len(answers),
        questions=share.clusters,
        chrf=similarity,
        published=published.get(str(answers["debater"].iloc[0]), math.nan),
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
