"""The ratings by all benches together, and with each of them left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arena.boards.rank_correlation import Correlation, correlations
from judges.studies.agreement.material import Material
from judges.studies.agreement.ratings import ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The ratings without one bench.

    Attributes:
        without: the bench; '' where none is left out.
        comparisons: that are left.
        ratings: Elo by participant.
        largest: the participant whose rating moves most; '' where none is left out.
        moved: by how much, in Elo points.
        order: how alike the participants are ordered; None with none left out, or nothing left.
    """

    without: str
    comparisons: int
    ratings: Mapping[str, float]
    largest: str = ""
    moved: float = 0.0
    order: Correlation | None = None


def left_out(material: Material) -> Iterator[LeftOut]:
    """The board of all benches, then one without each; nothing where there is one bench only."""
    verdicts = material.verdicts
    judging = [one.name for one in material.benches if len(material.of(one))]
    if len(judging) < 2:
        return
    whole = ratings(verdicts)
    yield LeftOut(without="", comparisons=len(verdicts), ratings=whole)
    for bench in judging:
        rest = verdicts[verdicts["bench"] != bench]
        found = ratings(rest)
        moved = {name: found[name] - whole[name] for name in found}
        largest = max(moved, key=lambda name: abs(moved[name]))
        yield LeftOut(
            without=bench,
            comparisons=len(rest),
            ratings=found,
            largest=largest,
            moved=moved[largest],
            order=next(iter(correlations({"all": whole, bench: found})), None),
        )
