"""The report as a page: one HTML file that needs no network, no script and no other file.

Everything that is stored passes through one template that escapes it. The file forbids a browser
to load or run anything (by its Content-Security-Policy), so nothing in a name or a speech could.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files

import jinja2
from markupsafe import Markup

from arena.boards.selection import format_moment
from arena.output.charts import DARK, LIGHT
from arena.output.formats import titled
from arena.output.tables import tabulate
from arena.report.leaderboard import COLUMNS, board_notes, format_bars
from arena.report.overview.content import Report
from arena.report.overview.events import UsdAmount
from arena.report.overview.figures import heat_rows, interval_chart
from arena.report.overview.past import PlaceChange
from arena.store.command_lines import command_line
from arena.text import counted, format_cap, plain
from arena.tournament.figures import format_seconds

#: What the statuses of debates are called, in the order of their lines.
_STATUSES = {
    "finished": "Debates finished",
    "forfeit": "Debates lost by forfeit",
    "void": "Debates void (the provider failed; they are played again)",
    "error": "Debates ended by an error in somebody's code",
    "waiting": "Debates that wait for a person",
    "playing": "Debates under way or cut off",
    "planned": "Debates not begun",
}
_BALLOTS = {
    "valid": "Ballots taken",
    "failed": "Ballots failed",
    "error": "Ballots ended by an error in somebody's code",
}
#: The space between a number and its unit.
_UNIT = re.compile(r"(?<=\d) (?=%|USD\b)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A number with what it counts."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of texts; `left`, `names` and `words` are the places of columns of a kind."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = ()
    names: tuple[int, ...] = ()
    words: tuple[int, ...] = ()


def write_page(report: Report) -> str:
    """Return a report as the text of an HTML file."""
    resolved, board, total = report.resolved, report.board, report.total
    chart = interval_chart(board.rows if board.comparisons else ())
    return _template("page.html").render(
        report=report,
        name=resolved.name,
        marks=[mark for mark in board.caveat.split(" · ") if mark],
        at=f"{report.at:%Y-%m-%d %H:%M} UTC",
        period=_format_period(report),
        tiles=tuple(_tiles(report)),
        title=titled(board.selection.title, caveat=board.caveat),
        board=_board_grid(report),
        notes=board_notes(board, report.db),
        chart=chart,
        bars=format_bars(board),
        counts=_count_lines(report),
        cost_lines=tuple(_cost_lines(report)),
        failures=_failure_lines(report),
        uses=_uses_grid(report),
        availability=_availability_lines(report),
        heat=heat_rows(report.matrix) if report.matrix and board.comparisons else [],
        sides=_side_lines(report),
        agreement=_agreement_lines(report),
        command=partial(command_line, db=report.db),
        origin=_format_origin(report, total.planned),
        style=Markup(_template("page.css").render(light=LIGHT, dark=DARK)),  # noqa: S704
    )


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=_safe_text
    )
    text = files("arena.report.overview").joinpath(name).read_text("utf-8")
    return environment.from_string(text)


def _safe_text(value: object) -> object:
    """Remove from a text what could reorder a line, and keep numbers beside their unit.

    Markup of the template stays as it is.
    """
    return _UNIT.sub("\u00a0", plain(value)) if type(value) is str else value


def _format_period(report: Report) -> str:
    begun, ended = report.total.begun, report.total.ended
    if begun is None or ended is None:
        return ""
    seconds = max(0.0, (ended - begun).total_seconds())
    return f"first debate {format_moment(begun)}, last one after {format_seconds(seconds)}"


def _tiles(report: Report) -> Iterator[Tile]:
    total, cap = report.total, report.resolved.config.limits.usd
    done = total.count("finished")
    yield Tile(value=f"{done} of {total.planned}", label="debates finished")
    yield Tile(value=f"{total.ballots.get('valid', 0)}", label="ballots taken")
    failed = sum(total.count(status) for status in ("forfeit", "void", "error"))
    failed += sum(number for status, number in total.ballots.items() if status != "valid")
    yield Tile(value=f"{failed}", label="debates and ballots failed")
    cost = UsdAmount.of(report.bill.total)
    most = f" (up to {cost.most:.2f})" if round(cost.most - cost.measured, 2) > 0 else ""
    of = "" if cap is None else f" of a cap of {format_cap(cap)} USD"
    yield Tile(value=f"{cost.measured:.2f} USD", label=f"spent{most}{of}")


def _board_grid(report: Report) -> Grid:
    """Return the board as `arena leaderboard` prints it, and how each place has changed."""
    rows = report.board.rows
    table = tabulate(COLUMNS, rows)
    changes = report.changes.by_participant
    added = ("change",) if changes else ()
    said = [_format_change(changes.get(row.participant)) if row.rank else "" for row in rows]
    cells = tuple(
        (*texts, *((change,) if changes else ()))
        for texts, change in zip(table.rows, said, strict=True)
    )
    places = range(len(table.head))
    return Grid(
        head=(*table.head, *added),
        rows=cells,
        left=tuple(place for place in places if table.aligned_left(place)),
        names=(table.head.index("participant"),),
        words=tuple(place for place in places if table.wraps and table.wraps[place]),
    )


def _format_change(change: PlaceChange | None) -> str:
    """Format how a place has changed: an arrow with the number of places, and Elo points."""
    if change is None or change.places is None or change.elo is None:
        return "new"
    arrow = {1: "▲ ", -1: "▼ "}.get((change.places > 0) - (change.places < 0), "")
    places = f"{arrow}{abs(change.places)} · " if change.places else ""
    return f"{places}{change.elo:+z.0f}"


def _count_lines(report: Report) -> list[tuple[str, str]]:
    total = report.total
    debates = [(words, total.count(status)) for status, words in _STATUSES.items()]
    ballots = [(words, total.ballots.get(status, 0)) for status, words in _BALLOTS.items()]
    others = [("Debates of participants that are no longer in it (not counted)", total.others)]
    always = (_STATUSES["finished"], _BALLOTS["valid"])
    return [
        (words, str(number))
        for words, number in (*debates, *others, *ballots)
        if number or words in always
    ]


def _cost_lines(report: Report) -> Iterator[str]:
    bill, cap = report.bill, report.resolved.config.limits.usd
    cost = UsdAmount.of(bill.total)
    limit = "" if cap is None else f", of a cap of {format_cap(cap)} USD"
    yield f"Cost so far: {cost}{limit}."
    if "up to" in str(cost):
        yield (
            "Up to: calls that were cut off, by a kill for example, count at the most that they "
            "can cost; their bill is not known."
        )
    if bill.unfinished.usd > 0:
        yield f"Of this, unfinished debates and ballots: {UsdAmount.of(bill.unfinished)}."
    if bill.availability.usd > 0:
        cost = UsdAmount.of(bill.availability)
        yield f"Of this, finding out whether the judges' models answer: {cost}."


def _failure_lines(report: Report) -> list[tuple[str, ...]]:
    return [
        (
            failure.kind,
            str(failure.count),
            failure.reason,
            command_line("show", failure.example, db=report.db) if failure.example else "",
        )
        for failure in report.failures
    ]


def _uses_grid(report: Report) -> Grid:
    """Return the calls by model; what was reserved only where something was."""
    costs = [use.cost for use in report.uses]
    has_most = any(round(cost.most - cost.measured, 4) > 0 for cost in costs)
    head = ("model", "calls", "input tokens", "output tokens", "retries", "USD")
    rows = tuple(
        (
            use.model,
            f"{use.calls:,}",
            f"{use.input_tokens:,}",
            f"{use.output_tokens:,}",
            f"{use.retries:,}",
            f"{use.cost.measured:.4f}",
            *((f"{use.cost.most:.4f}",) if has_most else ()),
        )
        for use in report.uses
    )
    return Grid(head=(*head, *(("up to",) if has_most else ())), rows=rows)


def _availability_lines(report: Report) -> list[tuple[str, ...]]:
    return [
        (
            line.participant,
            str(line.debates),
            str(line.forfeits),
            str(line.voids),
            str(line.errors),
            _format_share(line.share),
        )
        for line in report.availability
    ]


def _side_lines(report: Report) -> list[tuple[str, ...]]:
    return [
        (
            share.category,
            f"{share.wins}-{share.ties}-{share.losses}",
            _format_share(share.share),
            ""
            if math.isnan(share.lower)
            else f"{100 * share.lower:.0f} to {100 * share.upper:.0f} %",
        )
        for share in report.sides.shares
        if not math.isnan(share.share)
    ]


def _agreement_lines(report: Report) -> Sequence[tuple[str, ...]]:
    return [
        (row.judges, str(row.debates), _format_share(row.strict), _format_share(row.lenient))
        for row in report.agreement.rows
    ]


def _format_share(share: float | None) -> str:
    return "-" if share is None or math.isnan(share) else f"{100 * share:.0f} %"


def _format_origin(report: Report, planned: int) -> str:
    board = report.board
    return (
        f"Made by {command_line('report', db=report.db, tournament=report.resolved.name)} "
        f"from {counted(planned, 'debate')} of tournament "
        f"{report.resolved.name}, seed {board.seed}; the board rests on data {board.data_hash}."
    )
