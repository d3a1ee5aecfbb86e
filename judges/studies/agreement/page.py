"""The page of `arena judges`: everything that is measured about a tournament's judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from arena.boards.judge_effort import JudgeEffort, measure_effort
from arena.boards.selection import Selection
from arena.config.resolved import ResolvedConfig
from arena.output.tables import Table
from arena.store.database import Store
from judges.studies.agreement import bench_agreement, costs, juries
from judges.studies.agreement.biases import (
    Bias,
    MotionSides,
    OrderBias,
    biases_table,
    measure_biases,
    measure_motion_sides,
    measure_order_biases,
    motion_sides_table,
    order_biases_table,
)
from judges.studies.agreement.material import read_material
from judges.studies.agreement.people import PeopleComparison, compare_with_people, people_table
from judges.studies.agreement.summaries import JudgeSummary, summarize_judges
from judges.studies.tables import lay_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """All measurements of a tournament's judges.

    Attributes:
        simulated: whether a simulated model debates or judges.
        caveat: what has to be said of the models; '' for nothing.
        imported: whether the debates were imported: nobody can judge them again.
        people: empty where no person has judged.
        orders: empty where no pair was judged in both orders.
        left_out: empty where one bench alone has judged.
        effort: empty of imported debates.
    """

    selection: Selection
    simulated: bool
    caveat: str
    imported: bool
    summaries: tuple[JudgeSummary, ...]
    upkeep: tuple[costs.BallotCosts, ...]
    pairs: tuple[bench_agreement.PairAgreement, ...]
    panel: bench_agreement.PanelAgreement
    retests: tuple[bench_agreement.Retest, ...]
    people: tuple[PeopleComparison, ...]
    biases: tuple[Bias, ...]
    orders: tuple[OrderBias, ...]
    motions: tuple[MotionSides, ...]
    stopping: tuple[juries.Stopping, ...]
    left_out: tuple[bench_agreement.LeaveOneOut, ...]
    effort: tuple[JudgeEffort, ...]

    def content(self) -> dict[str, Any]:
        """Return the page as plain data for JSON."""
        measured = asdict(self)
        selection = measured.pop("selection")
        keys = ("tournament", "dimension", "category", "language")
        measured["effort"] = [
            asdict(bench) | {"cheapest": bench.cheapest, "excess": bench.excess}
            for bench in self.effort
        ]
        return {key: selection[key] for key in keys} | measured


def measure(store: Store, resolved: ResolvedConfig, selection: Selection) -> Page:
    """Measure the judges of a stored tournament."""
    material = read_material(store, resolved, selection)
    upkeep = tuple(costs.measure_costs(material))
    return Page(
        selection=selection,
        simulated=resolved.simulated,
        caveat=resolved.caveat,
        imported=resolved.imported,
        summaries=tuple(summarize_judges(store, resolved, material, upkeep)),
        upkeep=upkeep,
        pairs=tuple(bench_agreement.measure_pairs(material)),
        panel=bench_agreement.measure_panel(material),
        retests=tuple(bench_agreement.measure_retests(material)),
        people=tuple(compare_with_people(material)),
        biases=tuple(measure_biases(material)),
        orders=tuple(measure_order_biases(material)),
        motions=tuple(measure_motion_sides(material)),
        stopping=tuple(juries.measure_stopping(material)),
        left_out=tuple(bench_agreement.leave_one_out(material)),
        effort=tuple(measure_effort(store, resolved, selection)),
    )


def page_tables(page: Page, *, motions: int) -> Iterator[Table]:
    """Yield the tables of a page, with at most so many motions; those with nothing are left out."""
    benches = [bench.bench for bench in page.upkeep]
    yield costs.costs_table(page.upkeep)
    yield bench_agreement.matrix_table(benches, page.pairs, page.panel, imported=page.imported)
    yield from lay_out(
        (bench_agreement.pairs_table, page.pairs),
        (bench_agreement.retests_table, [each for each in page.retests if each.debates]),
        (people_table, page.people),
        (biases_table, page.biases),
        (order_biases_table, page.orders),
        (partial(motion_sides_table, most=motions), page.motions),
        (partial(costs.effort_table, pairs=page.pairs), page.effort),
        (juries.stopping_table, page.stopping),
        (bench_agreement.leave_one_out_table, page.left_out),
    )
