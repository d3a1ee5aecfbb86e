"""The page of the judges as tables."""

from __future__ import annotations

from collections.abc import Iterator

from arena.console.tables import Table
from judges.studies.agreement.bias_tables import biases, motion_sides, orders
from judges.studies.agreement.cells import interval, number, value
from judges.studies.agreement.page import Page
from judges.studies.agreement.people import PEOPLE

_NOT_PAIRED = "One bench alone: nothing to compare it with."
_ADD = " Add another, for judge tokens only: arena rejudge --judge single --model MODEL"


def tables(page: Page, *, motions: int) -> Iterator[Table]:
    """All tables, those with nothing to show left out.

    Args:
        page: what was measured.
        motions: how many motions are listed; the JSON form has all.
    """
    yield _upkeep(page)
    yield _matrix(page)
    if page.pairs:
        yield _pairs(page)
    if any(one.debates for one in page.retests):
        yield _retests(page)
    if page.people:
        yield _people(page)
    yield biases(page)
    if page.orders:
        yield orders(page)
    if page.motions:
        yield motion_sides(page, motions)
    if page.stopping:
        yield _stopping(page)
    if page.left_out:
        yield _left_out(page)


def _upkeep(page: Page) -> Table:
    head = ("bench", "judge", "debates", "ballots", "failed", "% of askings", "calls", "tokens in",
            "tokens out", "USD", "seconds")  # fmt: skip
    rows = tuple(
        (
            *(one.bench, one.judge, f"{one.debates:,}", f"{one.ballots:,}", f"{one.failed:,}"),
            number(100 * one.failure_rate, ".1f"),
            *(number(n, ",.1f") for n in (one.calls,)),
            *(number(n, ",.0f") for n in (one.input_tokens, one.output_tokens)),
            *(number(one.usd, ".4f"), number(one.seconds, ".1f")),
        )
        for one in page.upkeep
    )
    note = (
        "Calls, tokens, USD and seconds are per valid ballot, with those of failed askings. A "
        "failed ballot is asked again by `arena resume`."
    )
    return Table(title="Ballots", head=head, rows=rows, labels=2, notes=(note,))


def _matrix(page: Page) -> Table:
    names = [one.bench for one in page.upkeep]
    cells = {(one.first, one.second): f"{value(one.strict)} ({one.debates})" for one in page.pairs}
    cells |= {(one.second, one.first): value(one.kappa) for one in page.pairs}
    head = ("#", "bench", *(str(number) for number in range(1, len(names) + 1)))
    rows = tuple(
        (str(number), name, *(cells.get((name, other), "") for other in names))
        for number, name in enumerate(names, start=1)
    )
    notes = (
        (_NOT_PAIRED + _ADD * (not page.imported),)
        if len(names) < 2
        else (
            "Above the diagonal: share of equal outcomes (and of how many debates). Below: Cohen's "
            "kappa.",
            f"All {page.panel.judges} benches: Fleiss' kappa {interval(page.panel.fleiss)} on "
            f"{page.panel.fleiss.count} debates; Krippendorff's alpha "
            f"{interval(page.panel.alpha)}, with a tie between the sides "
            f"{interval(page.panel.ordered)}, on {page.panel.alpha.count}.",
        )
    )
    return Table(title="Agreement of the benches", head=head, rows=rows, labels=2, notes=notes)


def _pairs(page: Page) -> Table:
    rows = tuple(
        (
            f"{one.first} and {one.second}",
            f"{one.debates:,}",
            *(interval(figure) for figure in (one.strict, one.lenient, one.kappa)),
        )
        for one in page.pairs
    )
    return Table(
        title="Every two benches",
        head=("benches", "debates", "equal", "ties agree", "Cohen's kappa"),
        rows=rows,
        notes=("Intervals of 95 %, by a bootstrap over matchups, here and below.",),
    )


def _retests(page: Page) -> Table:
    rows = tuple(
        (
            one.bench,
            f"{one.debates:,}",
            *(interval(figure) for figure in (one.strict, one.lenient, one.alpha)),
        )
        for one in page.retests
        if one.debates
    )
    return Table(
        title="Each bench with itself: every two runs on a debate",
        head=("bench", "debates", "equal", "ties agree", "Krippendorff's alpha"),
        rows=rows,
    )


def _people(page: Page) -> Table:
    head = ("judge", "people", "by", "debates", "accuracy", "winners", "ties", "people's",
            "equal", "ties agree", "Cohen's kappa", "Krippendorff's alpha")  # fmt: skip
    rows = tuple(
        (
            *(one.judge, one.people, one.by, f"{one.debates:,}"),
            *(interval(one.accuracy), f"{one.accuracy.count:,}"),
            *(number(100 * share, ".0f") for share in (one.judge_ties, one.people_ties)),
            *(interval(figure) for figure in (one.strict, one.lenient, one.kappa, one.alpha)),
        )
        for one in page.people
    )
    notes = (
        "`accuracy`: how often the judge names the people's winner, where both name one "
        "(`winners`: how often); `ties`: shares of them, %. By `debate` the people's score "
        f"decides, by `vote` each of them counts. `{PEOPLE}` is the ceiling: every two votes on a "
        "debate. Krippendorff's alpha takes the judge as one more of them.",
        "Published, where a tie agrees with anything: people with people 0.74 on debates between "
        "models and 0.73 on all, Debatrix with people 0.66 and 0.56.",
    )
    return Table(title="Beside people", head=head, rows=rows, labels=3, notes=notes)


def _stopping(page: Page) -> Table:
    rows = tuple(
        (
            one.bench,
            "in earnest" if one.stopped else "gone through",
            f"{one.ballots:,}",
            f"{one.calls:,.0f}",
            f"{one.saved:,.0f}",
            number(100 * one.saved / one.calls if one.calls else float("nan"), ".0f"),
            "not known" if one.changed is None else f"{one.changed:,}",
        )
        for one in page.stopping
    )
    note = (
        "`gone through`: the bench asked everybody; its ballots tell what stopping would have "
        "saved. What `samre` would have decided after rounds that were never held, or what its "
        "jurors would have, is not known. Calls of a member are those of its other ballots."
    )
    return Table(
        title="Early stopping",
        head=("bench", "stopped", "ballots", "calls without", "saved", "%", "decisions changed"),
        rows=rows,
        labels=2,
        notes=(note,),
    )


def _left_out(page: Page) -> Table:
    whole = page.left_out[0].ratings
    names = sorted(whole, key=lambda name: (-whole[name], name))
    head = ("participant", "all", *(f"no {one.without}" for one in page.left_out[1:]))
    rows = tuple(
        (name, *(number(one.ratings.get(name, float("nan")), ".0f") for one in page.left_out))
        for name in names
    )
    notes = tuple(
        f"Without {one.without}: Kendall {one.order.kendall:.2f}, Spearman "
        f"{one.order.spearman:.2f}; {one.largest} moves most, by {one.moved:+.0f}."
        for one in page.left_out
        if one.order is not None
    )
    return Table(
        title="Elo by all benches together, and without each", head=head, rows=rows, notes=notes
    )
