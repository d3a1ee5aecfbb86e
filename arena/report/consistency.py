"""How far benches agree with each other, and the runs of one bench among themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from ratings import TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """How often two judges of the same debates agree.

    Attributes:
        judges: the two benches, or the bench whose runs are compared.
        lenient: share of agreement if a tie agrees with everything; None without a debate.
        strict: share of equal outcomes; None without a debate.
    """

    judges: str
    debates: int
    lenient: float | None
    strict: float | None


def between(verdicts: pd.DataFrame, benches: Sequence[str]) -> Iterator[Consistency]:
    """Compare benches, pair by pair, on the debates that both have judged.

    Args:
        verdicts: a row per debate and bench: debate_id, bench, outcome (Pro's: 1, ½ or 0).
    """
    wide = verdicts.pivot_table(index="debate_id", columns="bench", values="outcome")
    for first, second in combinations(benches, 2):
        both = wide.reindex(columns=[first, second]).dropna()
        pairs = list(zip(both[first], both[second], strict=True))
        yield _consistency(f"{first} and {second}", len(both), pairs)


def within(ballots: pd.DataFrame, benches: Sequence[str]) -> Iterator[Consistency]:
    """Compare the runs (or voters) of each bench with each other, every two on every debate.

    Args:
        ballots: a row per ballot: debate_id, bench, run, outcome (Pro's: 1, ½ or 0).
    """
    for bench in benches:
        by_debate = ballots[ballots["bench"] == bench].groupby("debate_id")["outcome"]
        several = [list(outcomes) for _, outcomes in by_debate if len(outcomes) > 1]
        pairs = [pair for outcomes in several for pair in combinations(outcomes, 2)]
        yield _consistency(f"runs of {bench}", len(several), pairs)


def _consistency(judges: str, debates: int, pairs: list[tuple[float, float]]) -> Consistency:
    equal = sum(first == second for first, second in pairs)
    tied = sum(first != second and TIE in (first, second) for first, second in pairs)
    return Consistency(
        judges=judges,
        debates=debates,
        lenient=(equal + tied) / len(pairs) if pairs else None,
        strict=equal / len(pairs) if pairs else None,
    )
