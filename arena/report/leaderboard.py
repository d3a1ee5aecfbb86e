"""A leaderboard as text: for a terminal, a document, a spreadsheet, a program."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from arena.boards.board import Board, Row, board
from arena.boards.covariates import effect_said
from arena.boards.rank_text import could_be, open_first_place, tie_groups_said
from arena.boards.selection import dimensions, why_empty
from arena.config.resolve import ResolvedConfig
from arena.console.output import as_json, titled
from arena.console.screen import console
from arena.console.stored import db_option, select
from arena.languages import Contest
from arena.report.bench_comparison import BenchComparison, benches_beside, beside, beside_markdown
from arena.report.links import link_lines
from arena.store.database import Store
from arena.text import counted
from ratings import PAPER, Model

_FINISHED = "SELECT 1 FROM debates WHERE tournament = $name AND status = 'finished' LIMIT 1"
#: The command that tells what only this contest has.
_FURTHER: Mapping[Contest, str] = {"essay": "diversity", "question": "accuracy"}

_COLUMNS = (
    "rank", "participant", "rating", "lower", "upper", "median", "rank_low", "rank_high",
    "tie_group", "debates", "wins", "ties", "losses", "win_rate", "forfeits", "usd_per_debate",
    "note",
)  # fmt: skip

_MOTION = "motion "


def show_overall(store: Store, resolved: ResolvedConfig) -> None:
    """Print the overall board, and what to look at next, if there is anything."""
    show_board(store, resolved, dimension="overall", category="all")
    if not store.rows(_FINISHED, {"name": resolved.name}):
        return
    db = db_option(store.path)
    judged = [name for name in dimensions(resolved.benches[0]) if name != "overall"]
    named = "source" if "source" in judged else next(iter(judged), "")
    further = f"   arena leaderboard --dimension {named}{db}" if named else ""
    if own := _FURTHER.get(resolved.config.tournament.contest):
        further = f"   arena {own}{db}"
    click.echo(f"\nNext: arena debates{db}   arena show ID{db}{further}")


def show_board(
    store: Store,
    resolved: ResolvedConfig,
    *,
    form: str = "table",
    model: Model = PAPER,
    report: bool = False,
    by_bench: bool = False,
    **chosen: Any,  # noqa: ANN401 - a selection
) -> None:
    """Print one board of a stored tournament; for programs the report is always in it."""
    selected = select(resolved, **chosen)
    found = board(store, resolved, selected, model)
    every = benches_beside(store, resolved, selected, model) if by_bench else None
    if form == "json":
        click.echo(board_json(found, every), nl=False)
        return
    click.echo(_FORMS[form](found), nl=False)
    if report:
        apart = "\n" if form == "table" else "\n- "
        lines = link_lines(found.connectivity, penalty=found.penalty)
        click.echo(apart + apart.lstrip("\n").join(f"{one}\n" for one in lines), nl=False)
    if every:
        click.echo(f"\n{(beside if form == 'table' else beside_markdown)(every)}")


def sentence(found: Board) -> str:
    """What the board does and does not settle, in one sentence."""
    if not found.comparisons:
        forfeits = sum(row.forfeits for row in found.rows)
        lost = f" {forfeits} speeches were forfeited: arena debates shows why." if forfeits else ""
        why = why_empty(found.selection, waiting=found.open, left_out=found.left_out)
        return f"{why}, so nothing is rated.{lost}"
    pairs = len(found.rows) * (len(found.rows) - 1) // 2
    settled = set(found.separated)
    first = found.rows[0].participant
    rivals = [row.participant for row in found.rows[1:] if (first, row.participant) not in settled]
    said = f"The order of {len(settled)} of {pairs} pairs is settled (95 %, all pairs at once); "
    if not rivals:
        return f"{said}{first} is first beyond doubt."
    return f"{said}{first} leads, but is not separated from {', '.join(rivals)}."


def _effects(found: Board) -> list[str]:
    """What the other terms are worth, with the extremes alone where motions differ."""
    motions = [one for one in found.effects if one.name.startswith(_MOTION)]
    lines = [
        f"Worth of {effect_said(one.name)}: {one.elo:+.0f} Elo, {one.lower:.0f} to {one.upper:.0f}."
        for one in found.effects
        if one not in motions
    ]
    if len(motions) > 1:
        motions.sort(key=lambda one: one.elo)
        low, high = (
            f"{one.elo:+.0f} ({one.name.removeprefix(_MOTION)})"
            for one in (motions[0], motions[-1])
        )
        lines.append(f"Motions change what the side is worth by {low} to {high} Elo.")
    return lines


def _left_open(found: Board) -> list[str]:
    """Who could be first, and who cannot be told apart, where that is open."""
    if not found.comparisons:
        return []
    ranks = {row.participant: (row.rank_low, row.rank_high) for row in found.rows}
    said = (open_first_place(ranks), tie_groups_said(found.tie_groups))
    return [one for one in said if one]


def _csv(found: Board) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in found.rows:
        writer.writerow(_rounded(row))
    return text.getvalue()


def board_json(found: Board, every: BenchComparison | None = None) -> str:
    """A board as JSON, with what stands around it, and with all benches where they are given."""
    rows = [
        _rounded(row) | {"could_be": could_be(row.rank_low, row.rank_high)} for row in found.rows
    ]
    content = asdict(found) | {"rows": rows}
    content["summary"] = sentence(found)
    if every:
        content["beside"] = every.content()
    return as_json(content) + "\n"


def _rounded(row: Row) -> dict[str, Any]:
    digits = {"win_rate": 4, "usd_per_debate": 6}
    return {
        name: _number(value, digits.get(name, 2)) if isinstance(value, float) else value
        for name, value in asdict(row).items()
    }


def _number(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else round(value, digits)


def _cells(row: Row) -> Mapping[str, str]:
    return {
        "#": str(row.rank),
        "participant": row.participant,
        "Elo": f"{row.rating:.0f}",
        "95 % interval": f"{row.lower:.0f} to {row.upper:.0f}",
        "rank": str(row.rank_low)
        if row.rank_low == row.rank_high
        else f"{row.rank_low}-{row.rank_high}",
        "debates": str(row.debates),
        "won-tied-lost": f"{row.wins}-{row.ties}-{row.losses}",
        "win rate": "-" if row.debates == 0 else f"{row.win_rate:.3f}",
        "forfeits": str(row.forfeits),
        "USD/debate": f"{row.usd_per_debate:.4f}",
        "note": row.note,
    }


def _shown(found: Board) -> list[str]:
    """Columns with something to say."""
    names = list(_cells(found.rows[0]))
    for name, silent in (("forfeits", "0"), ("USD/debate", "0.0000"), ("note", "")):
        if all(_cells(row)[name] == silent for row in found.rows):
            names.remove(name)
    return names


def _title(found: Board) -> str:
    return titled(found.selection.title, simulated=found.simulated)


def _foot(found: Board) -> str:
    rated = f"{counted(found.comparisons, 'debate')} rated. " if found.comparisons else ""
    lines = [f"{rated}{sentence(found)}", *_left_open(found)]
    lines += _effects(found) if found.comparisons else []
    if found.open:
        remedy = "people's votes: arena vote list" if found.people else "ballots: arena resume"
        wait = f"{counted(found.open, 'finished debate')} {'waits' if found.open == 1 else 'wait'}"
        lines.append(f"{wait} for {remedy}")
    if found.left_out:
        does = "does" if found.left_out == 1 else "do"
        many = counted(found.left_out, "judged debate")
        lines.append(f"{many} {does} not count: their judges are left out.")
    lines += [f"{one}." for one in found.uncounted.said]
    notes = found.notes if found.comparisons else ()
    return "\n".join(lines + [f"Note: {note}." for note in notes]) + "\n"


def _table(found: Board) -> str:
    if not found.comparisons:
        return f"{_title(found)}\n\n{_foot(found)}"
    table = Table(title=Text(_title(found)), title_justify="left", box=None, pad_edge=False)
    names = _shown(found)
    for name in names:
        left = name in ("participant", "note")
        table.add_column(name, justify="left" if left else "right", no_wrap=name == "participant")
    for row in found.rows:
        table.add_row(*(Text(_cells(row)[name]) for name in names))
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join([*lines, "", _foot(found)])


def _markdown(found: Board) -> str:
    names = _shown(found)
    lines = [f"**{_title(found)}**", "", f"| {' | '.join(names)} |"]
    lines.append("|" + "|".join(":---" if n == "participant" else "---:" for n in names) + "|")
    for row in found.rows:
        cells = _cells(row)
        lines.append(f"| {' | '.join(cells[name].replace('|', chr(92) + '|') for name in names)} |")
    return "\n".join(lines) + "\n\n" + _foot(found)


_FORMS: Mapping[str, Callable[[Board], str]] = {
    "table": _table,
    "csv": _csv,
    "markdown": _markdown,
}
