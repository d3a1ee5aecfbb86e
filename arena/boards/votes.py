"""The ballots of a bench on one debate, counted: the score, the majority, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from arena.languages import Side
from arena.text import counted
from ratings import CON_WINS, PRO_WINS, TIE

#: The highest score, and the number of runs up to which a score is a sum.
FULL_SCORE = 3
#: The range of a voter's confidence: 1 (a guess) to 5 (certain).
CONFIDENCE = (1, 5)


def scores(outcomes: Sequence[float]) -> tuple[float, float]:
    """Return the scores of Pro and Con, from 0 to 3.

    The score is the sum of the outcomes; of more than three votes, 3 × their mean.

    >>> scores([1.0, 0.5, 1.0])
    (2.5, 0.5)
    """
    won = sum(outcomes)
    scale = FULL_SCORE / len(outcomes) if len(outcomes) > FULL_SCORE else 1.0
    return won * scale, (len(outcomes) - won) * scale


def majority(outcomes: Sequence[float]) -> float | None:
    """Return the outcome that more than half of the votes have; `None` where there is none.

    >>> majority([1.0, 0.5, 1.0]), majority([1.0, 0.5, 0.0])
    (1.0, None)
    """
    ((most, votes),) = Counter(outcomes).most_common(1)
    return most if 2 * votes > len(outcomes) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchResult:
    """What the ballots of a bench on one debate come to.

    Attributes:
        outcome: Pro's: 1, ½ or 0.
        pro, con: the scores, 0 to 3.
        ballots: that were counted; 0 where that is not said.
    """

    outcome: float
    pro: float
    con: float
    ballots: int = 0

    @property
    def winner(self) -> Side | None:
        """The side that won; `None` for a tie."""
        return {PRO_WINS: "pro", CON_WINS: "con"}.get(self.outcome)  # type: ignore[return-value]

    @property
    def score(self) -> tuple[float, float]:
        """The score of the winner and of the other; of a tie, those of Pro and Con."""
        return (self.con, self.pro) if self.winner == "con" else (self.pro, self.con)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteProgress:
    """How far the votes of a bench of people are.

    Attributes:
        asked: votes of a debate.
        full, begun, empty: the numbers of finished debates with all of them, fewer, and none.
        least, most: votes of those that are begun; 0 without any.
    """

    bench: str
    asked: int
    full: int
    begun: int
    empty: int
    least: int
    most: int

    @classmethod
    def of(cls, bench: str, asked: int, votes: Sequence[int]) -> Self:
        """Count the votes of each of a bench's finished debates."""
        begun = [number for number in votes if 0 < number < asked]
        full = sum(number >= asked for number in votes)
        return cls(
            bench=bench,
            asked=asked,
            full=full,
            begun=len(begun),
            empty=len(votes) - full - len(begun),
            least=min(begun, default=0),
            most=max(begun, default=0),
        )

    @property
    def words(self) -> str:
        """How many debates have enough votes, and how many are begun.

        >>> VoteProgress.of("people", 3, [3, 3, 2, 1, 0]).words
        '2 of 5 debates have the 3 votes that are asked for, 2 have from 1 to 2, 1 has none'
        """
        total = self.full + self.begun + self.empty
        span = f"{self.least}" if self.least == self.most else f"from {self.least} to {self.most}"
        asked = "the vote that is"
        if self.asked > 1:
            asked = f"the {counted(self.asked, 'vote')} that are"
        parts = [f"{self.full} of {counted(total, 'debate')} {_have(self.full)} {asked} asked for"]
        parts += [f"{self.begun} {_have(self.begun)} {span}"] * (self.begun > 0)
        parts += [f"{self.empty} {_have(self.empty)} none"] * (self.empty > 0)
        return ", ".join(parts)


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def bench_result(outcomes: Sequence[float], *, by_majority: bool = False) -> BenchResult | None:
    """Count the overall outcomes of a bench's ballots on a debate; `None` without a ballot.

    >>> bench_result([1.0, 0.5, 0.0, 0.0]).winner
    'con'

    Args:
        by_majority: whether the majority of the votes decides rather than their sum.
    """
    if not len(outcomes):
        return None
    pro, con = scores(outcomes)
    if by_majority:
        outcome = majority(outcomes)
    else:
        outcome = TIE if pro == con else PRO_WINS if pro > con else CON_WINS
    outcome = TIE if outcome is None else outcome
    return BenchResult(outcome=outcome, pro=pro, con=con, ballots=len(outcomes))


def format_votes(outcomes: Sequence[float], winners: Mapping[float, str]) -> str:
    """Format the scores and the majority of several votes; '' where there are fewer than two.

    >>> format_votes([1.0, 0.5, 1.0], {1.0: "Pro", 0.5: "tie", 0.0: "Con"})
    '3 votes, 2.5 : 0.5, majority: Pro'
    """
    if len(outcomes) < 2:
        return ""
    pro, con = scores(outcomes)
    most = majority(outcomes)
    verdict = "no majority" if most is None else f"majority: {winners[most]}"
    return f"{counted(len(outcomes), 'vote')}, {pro:.3g} : {con:.3g}, {verdict}"
