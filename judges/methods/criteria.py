"""Six criteria, each scored 1 to 20 for both sides: the scores of `single`, `more` and `samre`.

Source: the paper of MORE and SAMRE, "Adversarial Multi-Agent Evaluation of Large Language Models
through Iterative Debates" (Bandi and Harrasse 2024, arXiv 2410.04663): totals run from 6 to 120.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field

from arena.judge import Hearing
from arena.languages import Language
from arena.prompts import Prompts
from arena.records import Verdict
from judges.methods.pair_forms import PAIRED
from judges.methods.setting import pair_prompts
from ratings import outcome_of

CRITERIA = ("relevance", "accuracy", "depth", "clarity", "reasoning", "effectiveness")
DIMENSIONS = (*CRITERIA, "overall")
_DEBATES = Prompts(files("judges") / "prompts" / "criteria")

#: The lowest and the highest score of a criterion, and total.
SCORE = (1.0, 20.0)
TOTAL = (6.0, 120.0)
#: The lowest and the highest stored mark.
_MARK = (1.0, 10.0)


class Scores(BaseModel):
    """One side's scores on the six criteria."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    relevance: float = Field(ge=1, le=20)
    accuracy: float = Field(ge=1, le=20)
    depth: float = Field(ge=1, le=20)
    clarity: float = Field(ge=1, le=20)
    reasoning: float = Field(ge=1, le=20)
    effectiveness: float = Field(ge=1, le=20)

    @property
    def total(self) -> float:
        """The sum of the scores, 6 to 120."""
        return float(sum(getattr(self, name) for name in CRITERIA))


class Reasons(BaseModel):
    """A judge's reasons, which stand before its scores."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    judgement: str = Field(min_length=1)


class Card(Reasons):
    """A judge's scores of both sides."""

    pro: Scores
    con: Scores


class PairCard(Card):
    """A judge's scores of a pair of answers."""

    model_config = PAIRED


def prompts(hearing: Hearing) -> Prompts:
    """Return the prompts for debates, or those for pairs of answers."""
    return pair_prompts(hearing) if hearing.pair else _DEBATES


def mark(score: float, scale: tuple[float, float]) -> float:
    """Map a score linearly to a mark from 1 to 10, as ballots store it.

    >>> mark(63, TOTAL), mark(20, SCORE)
    (5.5, 10.0)

    Args:
        score: on its own scale.
        scale: its lowest and highest value.
    """
    return _MARK[0] + (score - scale[0]) * (_MARK[1] - _MARK[0]) / (scale[1] - scale[0])


def total(stored: float) -> float:
    """Return the total, 6 to 120, that a stored mark stands for: the inverse of `mark`.

    >>> total(mark(84, TOTAL))
    84.0
    """
    return round(TOTAL[0] + (stored - _MARK[0]) * (TOTAL[1] - TOTAL[0]) / (_MARK[1] - _MARK[0]), 9)


def verdicts(cards: Sequence[Card], language: Language) -> tuple[Verdict, ...]:
    """Return a verdict on each criterion and overall, by the mean scores of some cards.

    The higher score wins; equal scores are a tie.

    Args:
        cards: on one debate; the comment of the overall verdict is the last one's.
        language: of the comments.
    """
    by_criterion = tuple(
        _verdict(
            name,
            fmean(getattr(card.pro, name) for card in cards),
            fmean(getattr(card.con, name) for card in cards),
            language=language,
        )
        for name in CRITERIA
    )
    pro, con = (fmean(card.pro.total for card in cards), fmean(card.con.total for card in cards))
    judgement = cards[-1].judgement
    return (*by_criterion, _verdict("overall", pro, con, language=language, judgement=judgement))


def _verdict(
    dimension: str, pro: float, con: float, *, language: Language, judgement: str = ""
) -> Verdict:
    scale = TOTAL if dimension == "overall" else SCORE
    scores = f"{language.sides['pro']} {pro:g}, {language.sides['con']} {con:g} (/{scale[1]:g})"
    return Verdict(
        dimension=dimension,
        outcome=outcome_of(round(pro - con, 9)),
        pro_mark=mark(pro, scale),
        con_mark=mark(con, scale),
        comment=f"{judgement}\n{scores}".strip(),
    )
