"""Everything that is measured about the judges of a tournament."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from arena.boards.comparisons import Selection
from arena.config.resolve import ResolvedConfig
from arena.store.database import Store
from judges.studies.agreement.biases import Bias, MotionSides, biases, motion_sides
from judges.studies.agreement.costs import Upkeep, upkeep
from judges.studies.agreement.leave_one_out import LeftOut, left_out
from judges.studies.agreement.material import read_material
from judges.studies.agreement.orders import Orders, orders
from judges.studies.agreement.panel import Pair, Panel, Retest, pairs, panel, retests
from judges.studies.agreement.people import BesidePeople, beside_people
from judges.studies.agreement.stopping import Stopping, stoppings


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the judges of a tournament are worth.

    Attributes:
        selection: which debates and which dimension.
        simulated: whether a simulated model debates or judges.
        imported: whether the battles were imported: nobody can judge them again.
        people: nothing where no person has judged.
        orders: nothing where no pair was judged in both orders.
        left_out: nothing where one bench alone has judged.
    """

    selection: Selection
    simulated: bool
    imported: bool
    upkeep: tuple[Upkeep, ...]
    pairs: tuple[Pair, ...]
    panel: Panel
    retests: tuple[Retest, ...]
    people: tuple[BesidePeople, ...]
    biases: tuple[Bias, ...]
    orders: tuple[Orders, ...]
    motions: tuple[MotionSides, ...]
    stopping: tuple[Stopping, ...]
    left_out: tuple[LeftOut, ...]

    def content(self) -> dict[str, Any]:
        """For programs."""
        known = asdict(self)
        chosen = known.pop("selection")
        keys = ("tournament", "dimension", "category", "language")
        return {key: chosen[key] for key in keys} | known


def measure(store: Store, resolved: ResolvedConfig, selection: Selection) -> Page:
    """Measure the judges of a stored tournament.

    Args:
        store: where it is.
        resolved: the tournament.
        selection: which of its debates, and the dimension; the bench is `all`.
    """
    material = read_material(store, resolved, selection)
    return Page(
        selection=selection,
        simulated=resolved.simulated,
        imported=resolved.imported,
        upkeep=tuple(upkeep(material)),
        pairs=tuple(pairs(material)),
        panel=panel(material),
        retests=tuple(retests(material)),
        people=tuple(beside_people(material)),
        biases=tuple(biases(material)),
        orders=tuple(orders(material)),
        motions=tuple(motion_sides(material)),
        stopping=tuple(stoppings(material)),
        left_out=tuple(left_out(material)),
    )
