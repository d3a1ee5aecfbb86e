"""Ratings by all benches together, and with each bench left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.boards.rank_correlation import Correlation, correlations
from arena.console.tables import Table
from judges.studies.agreement.material import Material
from judges.studies.agreement.ratings import rate_participants
from judges.studies.cells import format_number


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """Ratings with one bench left out.

    Attributes:
        without: the bench; '' where none is left out.
        comparisons: how many are left.
        ratings: Elo by participant.
        largest: the participant whose rating moves most; '' where none is left out.
        moved: by how much, in Elo points.
        order: rank correlation with the ratings by all benches; None where no bench is left out,
            or no rating is left.
    """

    without: str
    comparisons: int
    ratings: Mapping[str, float]
    largest: str = ""
    moved: float = 0.0
    order: Correlation | None = None


def leave_one_out(material: Material) -> Iterator[LeaveOneOut]:
    """Rate by all benches, then without each; yield nothing where only one bench has judged."""
    verdicts = material.verdicts
    judging = [bench.name for bench in material.benches if len(material.verdicts_of(bench))]
    if len(judging) < 2:
        return
    whole = rate_participants(verdicts)
    yield LeaveOneOut(without="", comparisons=len(verdicts), ratings=whole)
    for bench in judging:
        rest = verdicts[verdicts["bench"] != bench]
        ratings = rate_participants(rest)
        moved = {name: ratings[name] - whole[name] for name in ratings}
        largest = max(moved, key=lambda name: abs(moved[name]))
        yield LeaveOneOut(
            without=bench,
            comparisons=len(rest),
            ratings=ratings,
            largest=largest,
            moved=moved[largest],
            order=next(iter(correlations({"all": whole, bench: ratings})), None),
        )


def leave_one_out_table(boards: Sequence[LeaveOneOut]) -> Table:
    """Lay out a row per participant, a column per bench left out; the first board has all."""
    whole = boards[0].ratings
    names = sorted(whole, key=lambda name: (-whole[name], name))
    head = ("participant", "all", *(f"no {board.without}" for board in boards[1:]))
    rows = tuple(
        (name, *(format_number(board.ratings.get(name, float("nan")), ".0f") for board in boards))
        for name in names
    )
    notes = tuple(
        f"Without {board.without}: Kendall {board.order.kendall:.2f}, Spearman "
        f"{board.order.spearman:.2f}; {board.largest} moves most, by {board.moved:+.0f}."
        for board in boards
        if board.order is not None
    )
    return Table(
        title="Elo by all benches together, and with each left out",
        head=head,
        rows=rows,
        notes=notes,
    )
