"""How far benches agree, and the runs of one bench with each other (the paper's Table 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from arena.console.tables import Table
from ratings import TIE

_PUBLISHED = (
    "Published, ties consistent: Debatrix with people 0.56, without debates of people 0.66; "
    "among people 0.73, without 0.74."
)
_MISSING = (
    "Two benches are needed to compare them: add another [[benches]] to the configuration and "
    "run it again; only its ballots are taken."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """How often two judges of the same debates agree.

    Attributes:
        judges: who is compared.
        debates: how many both have judged.
        lenient: share of agreement where a tie agrees with everything; None of no debate.
        strict: share of equal outcomes; None of no debate.
    """

    judges: str
    debates: int
    lenient: float | None
    strict: float | None


def between(verdicts: pd.DataFrame, benches: Sequence[str]) -> Iterator[Consistency]:
    """Compare benches, pair by pair, on the debates that both have judged.

    Args:
        verdicts: a row per debate and bench: debate_id, bench, outcome (Pro's: 1, ½ or 0).
        benches: in the order to show.
    """
    wide = verdicts.pivot_table(index="debate_id", columns="bench", values="outcome")
    for one, other in combinations(benches, 2):
        both = wide.reindex(columns=[one, other]).dropna()
        pairs = list(zip(both[one], both[other], strict=True))
        yield _consistency(f"{one} and {other}", len(both), pairs)


def within(ballots: pd.DataFrame, benches: Sequence[str]) -> Iterator[Consistency]:
    """Compare the runs (or voters) of each bench with each other, every two on every debate.

    Args:
        ballots: a row per ballot: debate_id, bench, run, outcome (Pro's: 1, ½ or 0).
        benches: in the order to show.
    """
    for bench in benches:
        taken = ballots[ballots["bench"] == bench].groupby("debate_id")["outcome"]
        several = [list(outcomes) for _, outcomes in taken if len(outcomes) > 1]
        pairs = [pair for outcomes in several for pair in combinations(outcomes, 2)]
        yield _consistency(f"runs of {bench}", len(several), pairs)


def consistency_table(
    whole: Sequence[Consistency], *, machines: Sequence[Consistency], benches: int
) -> Table:
    """All debates, and where people took part those without them beside it.

    Args:
        whole: of all debates.
        machines: of the same judges, on debates in which no person took part.
        benches: how many the tournament has.
    """
    people = any(one.debates != other.debates for one, other in zip(whole, machines, strict=True))
    rows = tuple(
        (one.judges, *_cells(one), *(_cells(other) if people else ()))
        for one, other in zip(whole, machines, strict=True)
        if one.debates
    )
    without = ("no people", "ties agree", "strict") if people else ()
    return Table(
        title="Consistency of judges, overall outcome (Table 6)",
        head=("judges", "debates", "ties agree", "strict", *without),
        rows=rows,
        notes=((_MISSING,) if benches < 2 else ()) + (_PUBLISHED,),
    )


def _consistency(judges: str, debates: int, pairs: list[tuple[float, float]]) -> Consistency:
    equal = sum(one == other for one, other in pairs)
    tied = sum(one != other and TIE in (one, other) for one, other in pairs)
    return Consistency(
        judges=judges,
        debates=debates,
        lenient=(equal + tied) / len(pairs) if pairs else None,
        strict=equal / len(pairs) if pairs else None,
    )


def _cells(one: Consistency) -> tuple[str, ...]:
    shares = ("" if share is None else f"{share:.2f}" for share in (one.lenient, one.strict))
    return (str(one.debates), *shares)
