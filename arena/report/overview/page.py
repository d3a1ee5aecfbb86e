"""The report as a page: one HTML file that needs no network, no script and no other file.

Everything that is stored passes through one template that escapes it. The file forbids a browser
to load or run anything (by its Content-Security-Policy), so nothing in a name or a speech could.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING

import jinja2
import numpy as np
from markupsafe import Markup

from arena.boards.overlaps import format_bars
from arena.boards.selection import format_moment
from arena.output.board_html import STYLE, board_html, grid_html
from arena.output.charts import DARK, LIGHT
from arena.output.formats import titled
from arena.output.tables import Column, Table, tabulate
from arena.report.leaderboard import COLUMNS, board_notes, format_summary, swiss_table
from arena.report.motion_list import format_tellers, tabulate_motions
from arena.report.overview.figures import heat_rows
from arena.store.command_lines import command_line
from arena.text import (
    UP_TO,
    counted,
    format_cap,
    format_interval,
    format_percent,
    format_seconds,
    format_usd,
    plain,
    shorten,
)

if TYPE_CHECKING:
    from arena.boards.board import Row
    from arena.boards.states import Participation
    from arena.llm.journal import Charge
    from arena.report.consistency import Consistency
    from arena.report.overview.answers import SideShare
    from arena.report.overview.changes import PlaceChange
    from arena.report.overview.content import Report
    from arena.report.overview.failures import FailedDebate, Failure
    from arena.report.spending import ModelUse

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
#: Characters of a sentence on changes in the first screen; failed debates that are listed.
_CHANGE_LENGTH, _MOST_FAILED = 240, 200
#: The space between a number and its unit.
_UNIT = re.compile(r"(?<=\d) (?=%|USD\b)")

_COUNTS: tuple[Column[tuple[str, int]], ...] = (
    Column(head="", read=lambda count: count[0], label=True),
    Column(head="number", read=lambda count: count[1]),
)
_USES: tuple[Column[ModelUse], ...] = (
    Column(head="model", read=lambda use: use.model, label=True),
    Column(head="calls", read=lambda use: use.calls, style=","),
    Column(head="input tokens", read=lambda use: use.input_tokens, style=","),
    Column(head="output tokens", read=lambda use: use.output_tokens, style=","),
    Column(head="retries", read=lambda use: use.retries, style=","),
    Column(head="USD", read=lambda use: use.usd, style=".4f"),
    Column(
        head="up to",
        read=lambda use: use.usd_most,
        style=".4f",
        shown=lambda uses: any(round(use.usd_most - use.usd, 4) > 0 for use in uses),
    ),
)
#: Of each participant's name, and how its debates went.
_AVAILABILITY: tuple[Column[tuple[str, Participation]], ...] = (
    Column(head="participant", read=lambda row: row[0], label=True),
    Column(head="debates", read=lambda row: row[1].ended),
    Column(head="own forfeits", read=lambda row: row[1].forfeits),
    Column(head="void", read=lambda row: row[1].voids),
    Column(head="own errors", read=lambda row: row[1].errors),
    Column(head="available", read=lambda row: row[1].availability, style=format_percent),
)
_AGREEMENT: tuple[Column[Consistency], ...] = (
    Column(head="verdicts of", read=lambda row: row.judges, label=True),
    Column(head="debates", read=lambda row: row.debates),
    Column(head="same result", read=lambda row: row.strict, style=format_percent),
    Column(head="a tie agrees", read=lambda row: row.lenient, style=format_percent),
)


def write_page(report: Report) -> str:
    """Return a report as the text of an HTML file."""
    resolved, board, total = report.resolved, report.board, report.total
    return _template("page.html").render(
        report=report,
        name=resolved.name,
        marks=[mark for mark in board.caveat.split(" · ") if mark],
        at=f"{report.at:%Y-%m-%d %H:%M} UTC",
        period=_format_period(report),
        lines=_headlines(report),
        changed=" ".join(shorten(line, _CHANGE_LENGTH) for line in report.changes.sentences),
        tiles=tuple(_tiles(report)),
        title=titled(board.selection.title, caveat=board.caveat),
        board=Markup(_board_html(report)),  # noqa: S704 - escaped where it is made
        notes=board_notes(board, report.db),
        swiss=swiss_table(report.schedule) if report.schedule else None,
        bars=format_bars(board),
        counts=_counts_table(report),
        cost_lines=tuple(_cost_lines(report)),
        failures=_failures_table(report),
        failed=_failed_table(report),
        uses=tabulate(_USES, report.uses),
        availability=tabulate(_AVAILABILITY, report.availability.items()),
        heat=heat_rows(report.matrix) if report.matrix and board.comparisons else [],
        motions=None if report.motions is None else tabulate_motions(report.motions),
        sides=_sides_table(report),
        agreement=tabulate(_AGREEMENT, report.agreement.rows),
        command=partial(command_line, db=report.db),
        origin=_format_origin(report, total.planned),
        style=Markup(  # noqa: S704
            _template("page.css").render(light=LIGHT, dark=DARK) + STYLE.read_text("utf-8")
        ),
    )


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=safe_text
    )
    text = files("arena.report.overview").joinpath(name).read_text("utf-8")
    return environment.from_string(text)


def safe_text(value: object) -> object:
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


def _headlines(report: Report) -> dict[str, str]:
    """Return what each folded part of the page answers, in one line, by the part's name."""
    total, matrix = report.total, report.matrix
    open_or_settled = [answer.is_settled for answer in report.answers[1:]]
    pairs, met = 0, 0
    if matrix is not None:
        upper = np.triu_indices(len(matrix.names), 1)
        pairs, met = len(upper[0]), int((matrix.count[upper] > 0).sum())
    shares = {name: own.availability for name, own in report.availability.items()}
    least = min(shares, key=lambda name: (shares[name], name), default=None)
    return {
        "answers": f"{open_or_settled.count(True)} settled, {open_or_settled.count(False)} open.",
        "board": format_summary(report.board),
        "changes": report.changes.sentences[0],
        "run": f"{total.count('finished')} of {counted(total.planned, 'debate')} finished and "
        f"{counted(total.ballots.get('valid', 0), 'ballot')} taken; "
        f"{counted(_count_failed(report), 'debate or ballot', 'debates or ballots')} failed.",
        "availability": ""
        if least is None
        else f"The least: {least}, {format_percent(shares[least])}.",
        "matrix": f"{met} of {counted(pairs, 'pair')} have met.",
        "motions": "" if report.motions is None else format_tellers(report.motions) or "None yet.",
        "sides": report.sides.sentence,
        "judges": report.agreement.sentence,
        "readings": ", ".join(reading.title for reading in report.readings) or "None yet.",
    }


def _count_failed(report: Report) -> int:
    """Count the debates and ballots that failed."""
    failed = sum(report.total.count(status) for status in ("forfeit", "void", "error"))
    return failed + sum(
        number for status, number in report.total.ballots.items() if status != "valid"
    )


def _tiles(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the main numbers, each with what it counts."""
    total, cap = report.total, report.resolved.config.limits.usd
    yield f"{total.count('finished')} of {total.planned}", "debates finished"
    yield f"{total.ballots.get('valid', 0)}", "ballots taken"
    yield f"{_count_failed(report)}", "debates and ballots failed"
    measured, total_usd = report.bill.total.known.usd, report.bill.total.usd
    most = f" (up to {total_usd:.2f})" if round(total_usd - measured, 2) > 0 else ""
    of = "" if cap is None else f" of a cap of {format_cap(cap)} USD"
    unknown = f", {report.bill.unknown}" if report.bill.unknown else ""
    yield f"{measured:.2f} USD", f"spent{most}{of}{unknown}"


def _board_html(report: Report) -> str:
    """Return the board with what `arena leaderboard` prints, and how each place has changed."""
    changes = report.changes.by_participant
    change: Column[Row] = Column(
        head="change",
        read=lambda row: _format_change(changes.get(row.participant)) if row.rank else "",
        shown=lambda _: bool(changes),
    )
    rows = report.board.rows
    systems = {system.name: system for system in report.resolved.participants}
    table = tabulate([*COLUMNS, change], rows)
    return board_html(rows, table, systems=systems) + grid_html(rows, systems)


def _format_change(change: PlaceChange | None) -> str:
    """Format how a place has changed: an arrow with the number of places, and Elo points."""
    if change is None or change.places is None or change.elo is None:
        return "new"
    arrow = {1: "▲ ", -1: "▼ "}.get((change.places > 0) - (change.places < 0), "")
    places = f"{arrow}{abs(change.places)} · " if change.places else ""
    return f"{places}{change.elo:+z.0f}"


def _counts_table(report: Report) -> Table:
    total = report.total
    counts = [
        *((words, total.count(status)) for status, words in _STATUSES.items()),
        ("Debates of participants that are no longer in it (not counted)", total.others),
        *((words, total.ballots.get(status, 0)) for status, words in _BALLOTS.items()),
    ]
    always = (_STATUSES["finished"], _BALLOTS["valid"])
    return tabulate(_COUNTS, [count for count in counts if count[1] or count[0] in always])


def _cost_lines(report: Report) -> Iterator[str]:
    bill, cap = report.bill, report.resolved.config.limits.usd
    cost = _format_charge(bill.total)
    limit = "" if cap is None else f", of a cap of {format_cap(cap)} USD"
    yield f"Cost so far: {cost}{limit}."
    if roles := bill.format_roles():
        yield f"By role: {roles}."
    if "up to" in cost:
        yield UP_TO


def _format_charge(charge: Charge) -> str:
    return format_usd(charge.known.usd, charge.usd)


def _failures_table(report: Report) -> Table:
    def show(failure: Failure) -> str:
        return command_line("show", failure.example, db=report.db) if failure.example else ""

    columns: tuple[Column[Failure], ...] = (
        Column(head="what failed", read=lambda failure: failure.kind, label=True),
        Column(head="times", read=lambda failure: failure.count),
        Column(head="why", read=lambda failure: failure.reason, left=True, wraps=True),
        Column(head="for example", read=show, left=True),
    )
    return tabulate(columns, report.failures)


def _failed_table(report: Report) -> Table:
    """Return the failed debates, as many as a page has room for."""
    columns: tuple[Column[FailedDebate], ...] = (
        Column(head="failed debate", read=lambda debate: debate.debate_id[:8], label=True),
        Column(head="Pro", read=lambda debate: debate.pro, left=True, wraps=True),
        Column(head="Con", read=lambda debate: debate.con, left=True, wraps=True),
        Column(head="motion", read=lambda debate: debate.motion, left=True, wraps=True),
        Column(head="ended as", read=lambda debate: debate.status, left=True),
        Column(head="reason", read=lambda debate: debate.reason, left=True, wraps=True),
    )
    left = len(report.failed) - _MOST_FAILED
    notes = [f"{counted(left, 'more debate')} failed."] if left > 0 else []
    return tabulate(columns, report.failed[:_MOST_FAILED], notes=notes)


def _sides_table(report: Report) -> Table:
    def interval(row: SideShare) -> str:
        ends = format_interval(100 * row.lower, 100 * row.upper, empty="")
        return f"{ends} %" if ends else ""

    columns: tuple[Column[SideShare], ...] = (
        Column(head="motions", read=lambda row: row.category, label=True),
        Column(head="won-tied-lost", read=lambda row: f"{row.wins}-{row.ties}-{row.losses}"),
        Column(head=f"{report.sides.side} wins", read=lambda row: row.share, style=format_percent),
        Column(head="95 % interval", read=interval),
    )
    return tabulate(columns, [row for row in report.sides.shares if not math.isnan(row.share)])


def _format_origin(report: Report, planned: int) -> str:
    board = report.board
    return (
        f"Made by {command_line('report', db=report.db, tournament=report.resolved.name)} "
        f"from {counted(planned, 'debate')} of tournament "
        f"{report.resolved.name}, seed {board.seed}; the board rests on data {board.data_hash}."
    )
