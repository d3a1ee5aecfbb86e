"""What sways the judges, as tables."""

from __future__ import annotations

from arena.console.tables import Table
from judges.studies.agreement.cells import percent
from judges.studies.agreement.page import Page


def biases(page: Page) -> Table:
    """Side, length, family."""
    head = ("bench", "Pro's share", "same side twice", "matchups", "longer's share",
            "beyond rating", "own family", "by others", "preference")  # fmt: skip
    rows = tuple(
        (
            one.bench,
            percent(one.pro),
            percent(one.same_side),
            f"{one.same_side.count:,}",
            percent(one.longer),
            percent(one.beyond),
            *(percent(figure) for figure in (one.own, one.own_elsewhere, one.preference)),
        )
        for one in page.biases
    )
    notes = (
        "Pro's share and `same side twice` are of whole matchups, in which both speak for both "
        "sides, so strength plays no part. `beyond rating`: what whoever spoke longer gets more "
        "than its rating predicts. `own family`: the share of participants on a model of the "
        "bench's family, on the same debates by benches without a model of it, and the "
        "difference. A jury on models of several families has none, unless `family` is written.",
        "On a public board of 764 matchups the same side wins 27 % twice, and Pro takes 58 % of "
        "the votes.",
    )
    return Table(title="What sways them, % (ties half)", head=head, rows=rows, notes=notes)


def motion_sides(page: Page, shown: int) -> Table:
    """The motions with the strongest sides.

    Args:
        page: what was measured.
        shown: how many motions are listed.
    """
    benches = list(dict.fromkeys(one.bench for one in page.motions))
    cells = {
        (one.motion, one.bench): f"{100 * one.same_side:.0f} ({one.matchups})"
        for one in page.motions
    }
    worst: dict[str, list[int]] = {}
    for one in page.motions:
        twice, matchups = worst.setdefault(one.motion, [0, 0])
        worst[one.motion] = [twice + round(one.same_side * one.matchups), matchups + one.matchups]
    order = sorted(worst, key=lambda motion: (-worst[motion][0] / worst[motion][1], motion))
    rows = tuple(
        (motion, *(cells.get((motion, bench), "") for bench in benches)) for motion in order[:shown]
    )
    left = len(order) - len(rows)
    more = (f"{left} more motions: --motions {len(order)}, or --format json.",) if left > 0 else ()
    return Table(
        title="Matchups that the same side wins twice, by motion: % (of how many)",
        head=("motion", *benches),
        rows=rows,
        notes=more,
    )


def orders(page: Page) -> Table:
    """Pairs that were judged in both orders."""
    rows = tuple(
        (one.bench, f"{one.ballots:,}", *map(percent, (one.flipped, one.one_sided, one.first)))
        for one in page.orders
    )
    note = (
        "`flipped`: the winner changes when the two answers change places; the ballot is a tie. "
        "`in one order only`: a winner in one order, a tie in the other; a tie too. `first's "
        "share`: of whoever stands first, ties half; without a bias it is 50, whoever is better."
    )
    head = ("bench", "ballots", "flipped", "in one order only", "first's share")
    return Table(title="Both orders of a pair, %", head=head, rows=rows, notes=(note,))
