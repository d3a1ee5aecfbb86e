"""Votes of several people on one pair: what the majority says, and what a word or number says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.battles.columns import WINNERS
from ratings import CON_WINS, PRO_WINS, TIE

#: The numbers of PandaLM's annotators.
_ANNOTATORS: Mapping[str, float] = {"1": PRO_WINS, "2": CON_WINS, "0": TIE}


class UnknownVote(Exception):
    """A vote for neither answer; the message says what is accepted."""


def majority(votes: Sequence[float]) -> float:
    """Return the outcome that has the most votes; a tie where no single one has.

    >>> majority([1.0, 1.0, 0.0]), majority([1.0, 0.5, 0.5]), majority([1.0, 0.5, 0.0])
    (1.0, 0.5, 0.5)
    """
    ranked = Counter(votes).most_common(2)
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return TIE
    return ranked[0][0]


def read_winner(word: str, models: tuple[str, str] = ("", "")) -> float:
    """Return the first answer's outcome by a word, or by the name of the model that won.

    Raises:
        UnknownVote: it names neither answer.
    """
    named = word.strip()
    for model, outcome in zip(models, (PRO_WINS, CON_WINS), strict=True):
        if model and named == model and models[0] != models[1]:
            return outcome
    outcome = WINNERS.get(named.lower(), -1.0)
    if outcome < 0:
        raise UnknownVote(", ".join((*WINNERS, *filter(None, models))))
    return outcome


def read_annotator(word: str) -> float:
    """Return the first answer's outcome by an annotator's number: 1, 2, or 0 for a tie.

    Raises:
        UnknownVote: it is another one.
    """
    outcome = _ANNOTATORS.get(word.strip().removesuffix(".0"), -1.0)
    if outcome < 0:
        raise UnknownVote("1 (the first), 2 (the second), 0 (a tie)")
    return outcome
