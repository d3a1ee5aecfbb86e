"""How often each participant of a question contest answers correctly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from arena.store import Store
from ratings import mean_interval

#: Right answers have the highest mark of a ballot, wrong ones the lowest.
_ANSWERS = """
    SELECT p.name AS participant, d.motion_id AS question,
           if(p.participant_id = d.pro, s.pro_mark, s.con_mark) = 10 AS correct
    FROM debates d
    JOIN ballots b USING (debate_id)
    JOIN ballot_scores s USING (ballot_id)
    JOIN participants p ON p.tournament = d.tournament AND p.participant_id IN (d.pro, d.con)
    WHERE d.tournament = $tournament AND b.bench = $bench AND b.status = 'valid'
      AND s.dimension = 'overall'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """One participant's answers.

    Attributes:
        accuracy: share that is right, 0 to 1.
        lower, upper: 95 % interval by a bootstrap over questions (answers to one question are
            not independent); NaN with a single question.
    """

    participant: str
    accuracy: float
    lower: float
    upper: float
    answers: int
    questions: int


def accuracies(store: Store, tournament: str, *, bench: str, seed: int) -> list[Accuracy]:
    """The accuracy of every participant that has answered, the best first.

    Args:
        store: where the tournament is stored.
        tournament: its name.
        bench: one whose judge compares with the accepted answers.
        seed: of the bootstrap.
    """
    frame = store.read(_ANSWERS, {"tournament": tournament, "bench": bench})
    rows = [
        _accuracy(str(name), group, np.random.default_rng([seed, place]))
        for place, (name, group) in enumerate(frame.groupby("participant"))
    ]
    return sorted(rows, key=lambda one: (-one.accuracy, one.participant))


def _accuracy(name: str, answers: pd.DataFrame, rng: np.random.Generator) -> Accuracy:
    by_question = answers.groupby("question")["correct"].agg(["sum", "count"]).to_numpy(float)
    lower, upper = mean_interval(by_question[:, 0], by_question[:, 1], rng)
    return Accuracy(
        participant=name,
        accuracy=float(answers["correct"].mean()),
        lower=lower,
        upper=upper,
        answers=len(answers),
        questions=len(by_question),
    )
