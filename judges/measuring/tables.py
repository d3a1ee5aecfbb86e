"""The page of the judges as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from arena.report.tables import Table
from judges.measuring.agreement import Measured
from judges.measuring.page import Page

_NOT_PAIRED = (
    "One bench alone: nothing to compare it with. Add another, for judge tokens only: "
    "arena rejudge --judge single --model MODEL"
)
_UNKNOWN = "-"


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
    yield _biases(page)
    if page.motions:
        yield _motions(page, motions)
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
            _number(100 * one.failure_rate, ".1f"),
            *(_number(n, ",.1f") for n in (one.calls,)),
            *(_number(n, ",.0f") for n in (one.input_tokens, one.output_tokens)),
            *(_number(one.usd, ".4f"), _number(one.seconds, ".1f")),
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
    cells = {(one.first, one.second): f"{_value(one.strict)} ({one.debates})" for one in page.pairs}
    cells |= {(one.second, one.first): _value(one.kappa) for one in page.pairs}
    head = ("#", "bench", *(str(number) for number in range(1, len(names) + 1)))
    rows = tuple(
        (str(number), name, *(cells.get((name, other), "") for other in names))
        for number, name in enumerate(names, start=1)
    )
    notes = (
        (_NOT_PAIRED,)
        if len(names) < 2
        else (
            "Above the diagonal: share of equal outcomes (and of how many debates). Below: Cohen's "
            "kappa.",
            f"All {page.panel.judges} benches: Fleiss' kappa {_interval(page.panel.fleiss)} on "
            f"{page.panel.fleiss.count} debates; Krippendorff's alpha "
            f"{_interval(page.panel.alpha)}, with a tie between the sides "
            f"{_interval(page.panel.ordered)}, on {page.panel.alpha.count}.",
        )
    )
    return Table(title="Agreement of the benches", head=head, rows=rows, labels=2, notes=notes)


def _pairs(page: Page) -> Table:
    rows = tuple(
        (
            f"{one.first} and {one.second}",
            f"{one.debates:,}",
            *(_interval(figure) for figure in (one.strict, one.lenient, one.kappa)),
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
            *(_interval(figure) for figure in (one.strict, one.lenient, one.alpha)),
        )
        for one in page.retests
        if one.debates
    )
    return Table(
        title="Each bench with itself: every two runs on a debate",
        head=("bench", "debates", "equal", "ties agree", "Krippendorff's alpha"),
        rows=rows,
    )


def _biases(page: Page) -> Table:
    head = ("bench", "Pro's share", "same side twice", "matchups", "longer's share",
            "beyond rating", "own family", "by others", "preference")  # fmt: skip
    rows = tuple(
        (
            one.bench,
            _percent(one.pro),
            _percent(one.same_side),
            f"{one.same_side.count:,}",
            _percent(one.longer),
            _percent(one.beyond),
            *(_percent(figure) for figure in (one.own, one.own_elsewhere, one.preference)),
        )
        for one in page.biases
    )
    notes = (
        "Pro's share and `same side twice` are of whole matchups, in which both speak for both "
        "sides, so strength plays no part. `beyond rating`: what whoever spoke longer gets more "
        "than its rating predicts. `own family`: the share of participants on a model of the "
        "bench's family, on the same debates by benches of other families, and the difference.",
        "On a public board of 764 matchups the same side wins 27 % twice, and Pro takes 58 % of "
        "the votes.",
    )
    return Table(title="What sways them, % (ties half)", head=head, rows=rows, notes=notes)


def _motions(page: Page, shown: int) -> Table:
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


def _stopping(page: Page) -> Table:
    rows = tuple(
        (
            one.bench,
            "in earnest" if one.stopped else "gone through",
            f"{one.ballots:,}",
            f"{one.calls:,.0f}",
            f"{one.saved:,.0f}",
            _number(100 * one.saved / one.calls if one.calls else float("nan"), ".0f"),
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
        (name, *(_number(one.ratings.get(name, float("nan")), ".0f") for one in page.left_out))
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


def _value(figure: Measured) -> str:
    return _number(figure.value, ".2f")


def _interval(figure: Measured) -> str:
    return _with_ends(figure, 1, ".2f")


def _percent(figure: Measured) -> str:
    return _with_ends(figure, 100, ".0f")


def _with_ends(figure: Measured, scale: float, form: str) -> str:
    if isnan(figure.value):
        return _UNKNOWN
    said = f"{scale * figure.value:{form}}"
    ends: Sequence[str] = [f"{scale * end:{form}}" for end in (figure.lower, figure.upper)]
    return said if isnan(figure.lower) else f"{said} [{', '.join(ends)}]"


def _number(value: float, form: str) -> str:
    return _UNKNOWN if isnan(value) else f"{value:{form}}"
