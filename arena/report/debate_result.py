"""The result of one debate in words: who won by each bench, by how much, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan
from operator import itemgetter
from typing import Any

from arena.boards.votes import BenchResult, bench_result
from arena.languages import ENGLISH, SIDES, Side
from arena.text import counted, plain, shorten
from ratings import CON_WINS, PRO_WINS, TIE

#: Reasons of a bench that are shown, and characters of each.
_MOST_REASONS, _REASON_LENGTH = 3, 160


def format_result(
    bench: str,
    result: BenchResult | None,
    names: Mapping[Side, str],
    sides: Mapping[Side, str] = ENGLISH.sides,
) -> str:
    """Format who won a debate by a bench and by how much, as a sentence.

    Args:
        result: `None` where the bench has not judged it.
        names: of the participants.
        sides: what the sides are called.
    """
    if result is None:
        return f"Bench {bench}: no verdict yet."
    ballots = f" from {counted(result.ballots, 'ballot')}" if result.ballots else ""
    high, low = result.score
    score = f"{high:.3g} to {low:.3g}{ballots}"
    if result.winner is None:
        return f"Bench {bench}: a tie, {score}."
    return f"Bench {bench}: {names[result.winner]} won as {sides[result.winner]}, {score}."


def format_score(result: BenchResult | None) -> str:
    """Format the score for a table, the winner's first; '' without a result.

    >>> format_score(BenchResult(outcome=0.0, pro=0.5, con=2.5))
    '2.5 : 0.5'
    """
    return "" if result is None else "{:.3g} : {:.3g}".format(*result.score)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchDecision:
    """The result of a debate by one bench, and what its judges found decisive.

    Attributes:
        sentence: as `format_result` gives it.
        reasons: up to three, on one line each, the most decisive first; where runs are split into
            a tie, the first of each side.
    """

    sentence: str
    reasons: tuple[str, ...]


def bench_decisions(
    rows: Iterable[Mapping[Any, Any]],
    names: Mapping[Side, str],
    *,
    sides: Mapping[Side, str] = ENGLISH.sides,
    by_majority: Collection[str] = (),
) -> list[BenchDecision]:
    """Return the result and the reasons of every bench, in the order of the rows.

    Args:
        rows: the verdicts on one debate, sorted by bench and run: bench, status (of the ballot),
            dimension, outcome, pro_mark, con_mark, comment.
        names, sides: as `format_result` takes them.
        by_majority: the benches whose votes decide by majority.
    """
    decisions = []
    for bench, group in groupby(rows, key=itemgetter("bench")):
        verdicts = [row for row in group if row["status"] == "valid"]
        outcomes = [row["outcome"] for row in verdicts if row["dimension"] == "overall"]
        result = bench_result(outcomes, by_majority=bench in by_majority)
        is_split = result is not None and result.winner is None and len({*outcomes} - {TIE}) == 2
        if is_split:
            reasons = _split_reasons(verdicts, sides)
        else:
            reasons = () if result is None else _decisive_reasons(verdicts, result.outcome)
        sentence = format_result(str(bench), result, names, sides)
        decisions.append(BenchDecision(sentence=sentence, reasons=reasons))
    return decisions


def _split_reasons(
    verdicts: Sequence[Mapping[Any, Any]], sides: Mapping[Side, str]
) -> tuple[str, ...]:
    """Return the first reason for each side, where runs of both sides make a tie."""
    outcomes: dict[Side, float] = {"pro": PRO_WINS, "con": CON_WINS}
    return tuple(
        f"for {sides[side]}: {reason}"
        for side in SIDES
        for reason in _decisive_reasons(verdicts, outcomes[side])[:1]
    )


def _decisive_reasons(verdicts: Sequence[Mapping[Any, Any]], outcome: float) -> tuple[str, ...]:
    """Return the comments of verdicts with the debate's outcome: the overall one, then by margin.

    The margin is the difference of the marks; each dimension is named once.
    """
    agreeing = [row for row in verdicts if row["outcome"] == outcome and row["comment"].strip()]
    ordered = sorted(agreeing, key=lambda row: (row["dimension"] != "overall", -_margin(row)))
    first = {row["dimension"]: row for row in reversed(ordered)}
    reasons = []
    for row in sorted(first.values(), key=ordered.index)[:_MOST_REASONS]:
        label = "" if row["dimension"] == "overall" else f"{row['dimension']}: "
        reasons.append(plain(f"{label}{shorten(row['comment'], _REASON_LENGTH)}"))
    return tuple(reasons)


def _margin(row: Mapping[Any, Any]) -> float:
    marks = [row[f"{side}_mark"] for side in SIDES]
    return 0.0 if any(mark is None or isnan(mark) for mark in marks) else abs(marks[0] - marks[1])
