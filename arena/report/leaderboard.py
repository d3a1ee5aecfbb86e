"""A leaderboard as text: for a terminal, a document, a spreadsheet, a program."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.boards.board import Board, Row, board
from arena.boards.covariates import format_effect
from arena.boards.method import STORED, Method
from arena.boards.next_dollars import suggest_sentence
from arena.boards.overlaps import interval_notes_of_open
from arena.boards.participation import COST_NOTE
from arena.boards.ranks import (
    format_first_place,
    format_leader,
    format_names,
    format_open_first_place,
    format_rank_range,
    format_tie_groups,
)
from arena.boards.selecting import format_why_empty
from arena.boards.selection import Selection, select
from arena.config.resolved import dimensions
from arena.console.waiting import show_computing
from arena.output.formats import as_json, console, format_matters, titled
from arena.output.tables import (
    Column,
    Table,
    as_csv,
    as_markdown,
    as_records,
    as_text,
    escape_markdown,
    field_columns,
    tabulate,
)
from arena.read.run_status import RunStatus, read_status
from arena.read.schedule_results import ScheduleResult, SwissPlace, read_schedule_result
from arena.read.work_counts import count_work
from arena.report.connectivity_lines import link_lines
from arena.store.command_lines import command_line
from arena.text import UP_TO, counted, format_interval, format_known

if TYPE_CHECKING:
    from arena.config.resolved import ResolvedConfig
    from arena.languages import Contest
    from arena.report.bench_comparison import BenchComparison
    from arena.store.database import Store

#: The command that shows what only this contest measures.
_FURTHER: Mapping[Contest, str] = {"essay": "diversity", "question": "accuracy"}


def _format_span(row: Row) -> str:
    """Return the ranks that are not ruled out; none where the participant is not rated."""
    low, high = row.rank_low, row.rank_high
    return "-" if low is None else str(low) if low == high else f"{low}-{high}"


def _elo(name: str) -> Callable[[Row], float | None]:
    """Return what reads a figure in Elo points; there is none where nothing is rated."""
    return lambda row: getattr(row, name) if row.is_rated else None


def _format_row_interval(row: Row) -> str:
    return format_interval(row.lower, row.upper) if row.is_rated else "-"


def _has_reserved(row: Row) -> bool:
    return round(row.usd_most - row.usd_per_debate, 4) > 0


_format_usd = partial(format_known, style=".4f", empty="unknown")
#: The columns of a board, in the order of its CSV.
COLUMNS: tuple[Column[Row], ...] = (
    Column(
        head="#",
        key="rank",
        read=lambda row: row.rank,
        style=lambda rank: "-" if rank is None else str(rank),
        label=True,
        left=False,
    ),
    Column(head="participant", key="participant", read=lambda row: row.participant, label=True),
    Column(
        head="Elo",
        key="rating",
        read=_elo("rating"),
        style=lambda elo: "-" if elo is None else f"{elo:.0f}",
        digits=2,
    ),
    Column(key="lower", read=_elo("lower"), digits=2),
    Column(key="upper", read=_elo("upper"), digits=2),
    Column(head="95 % interval", read=_format_row_interval),
    Column(key="median", read=_elo("median"), digits=2),
    Column(key="rank_low", read=lambda row: row.rank_low),
    Column(key="rank_high", read=lambda row: row.rank_high),
    Column(head="rank", read=_format_span),
    Column(key="tie_group", read=lambda row: row.tie_group),
    Column(key="provisional", read=lambda row: row.provisional),
    Column(key="comparison_lower", read=_elo("comparison_lower"), digits=2),
    Column(key="comparison_upper", read=_elo("comparison_upper"), digits=2),
    Column(key="matchups", read=lambda row: row.matchups),
    Column(head="debates", key="debates", read=lambda row: row.debates),
    Column(key="wins", read=lambda row: row.wins),
    Column(key="ties", read=lambda row: row.ties),
    Column(key="losses", read=lambda row: row.losses),
    Column(
        head="won-tied-lost",
        read=lambda row: f"{row.wins}-{row.ties}-{row.losses}" if row.is_rated else "-",
    ),
    Column(head="win rate", read=lambda row: f"{row.win_rate:.3f}" if row.debates else "-"),
    Column(key="win_rate", read=lambda row: row.win_rate, digits=4),
    Column(
        head="forfeits",
        key="forfeits",
        read=lambda row: row.forfeits,
        shown=lambda rows: any(row.forfeits for row in rows),
    ),
    Column(
        head="USD/debate",
        key="usd_per_debate",
        read=lambda row: row.usd_per_debate,
        style=_format_usd,
        digits=6,
        shown=lambda rows: any(round(row.usd_per_debate, 4) != 0 for row in rows),
    ),
    Column(
        head="up to",
        key="usd_most",
        read=lambda row: row.usd_most,
        style=_format_usd,
        digits=6,
        shown=lambda rows: any(map(_has_reserved, rows)),
    ),
    Column(
        head="note",
        key="note",
        read=lambda row: row.note,
        left=True,
        wraps=True,
        shown=lambda rows: any(row.note for row in rows),
    ),
)

_MOTION = "motion "
#: The formats that have the bootstrap's medians in any case.
_WITH_MEDIANS = ("csv", "json")


def show_overall(store: Store, resolved: ResolvedConfig) -> None:
    """Print the overall board, and the commands to continue with once a debate is finished."""
    show_board(store, resolved, dimension="overall", category="all")
    if not count_work(store, resolved).debates["finished"]:
        return
    judged = [name for name in dimensions(resolved.benches[0]) if name != "overall"]
    dimension = "source" if "source" in judged else next(iter(judged), "")
    command = partial(command_line, db=store.path, tournament=resolved.name)
    commands = [command("debates"), command_line("show", "ID", db=store.path)]
    if further := _FURTHER.get(resolved.config.tournament.contest):
        commands.append(command(further))
    elif dimension:
        commands.append(command("leaderboard", "--dimension", dimension))
    click.echo(f"\nNext: {'   '.join(commands)}")


def show_board(
    store: Store,
    resolved: ResolvedConfig,
    *,
    form: str = "table",
    method: Method = STORED,
    diagnostics: bool = False,
    by_bench: bool = False,
    **filters: Any,  # noqa: ANN401 - a selection
) -> Board:
    """Print one board of a stored tournament; for programs the diagnostics are always in it."""
    selected = select(resolved, **filters)
    resample = form in _WITH_MEDIANS or method.intervals == "bootstrap"
    with show_computing("Rating the participants"):
        leaderboard = board(store, resolved, selected, method, resample=resample)
        comparison = _compare_benches(store, resolved, selected, method) if by_bench else None
    schedule = read_schedule_result(store, resolved, leaderboard)
    if form == "json":
        click.echo(board_json(leaderboard, comparison, schedule), nl=False)
        return leaderboard
    has_status = form == "table" and not resolved.joined  # several have no work in common
    status = read_status(store, resolved, rated=False) if has_status else None
    matters = () if status is None else status.matters
    for line in format_matters(matters):
        click.echo(line)
    above = {matter.what for matter in matters}
    if schedule and form != "csv":
        click.echo(_schedule_text(schedule, markdown=form == "markdown"), nl=False)
    print_board(
        replace(leaderboard, notes=tuple(note for note in leaderboard.notes if note not in above)),
        store.path,
        form=form,
        diagnostics=diagnostics,
        comparison=comparison,
        notes=[] if status is None else list(_money_notes(store, resolved, leaderboard, status)),
    )
    return leaderboard


def _compare_benches(
    store: Store, resolved: ResolvedConfig, selection: Selection, method: Method
) -> BenchComparison:
    # Loaded where it is asked for.
    from arena.report.bench_comparison import compare_benches  # noqa: PLC0415

    return compare_benches(store, resolved, selection, method)


def _money_notes(
    store: Store, resolved: ResolvedConfig, leaderboard: Board, status: RunStatus
) -> Iterator[str]:
    """Yield what was spent, and where an order is open what the next dollars are best spent on."""
    if roles := status.bill.format_roles():
        yield f"Spent: {roles}."
    is_open = len(leaderboard.separated) < math.comb(len(leaderboard.rated), 2)
    if not is_open or leaderboard.method != STORED or resolved.imported:
        return
    if suggested := suggest_sentence(store, resolved, leaderboard.selection):
        yield f"Next dollars: {suggested}"


def print_board(
    leaderboard: Board,
    db: Path,
    *,
    form: str = "table",
    diagnostics: bool = False,
    comparison: BenchComparison | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Print a board of a database in the format that was asked for.

    Args:
        notes: lines that follow those of the board, for people.
    """
    if form == "json":
        click.echo(board_json(leaderboard, comparison), nl=False)
        return
    if form == "csv":
        click.echo(as_csv(tabulate(COLUMNS, leaderboard.rows)), nl=False)
        return
    click.echo(_board_text(leaderboard, db, markdown=form == "markdown"), nl=False)
    for line in notes:
        click.echo(line)
    if diagnostics:
        start, written = ("\n", str) if form == "table" else ("\n- ", escape_markdown)
        lines = map(written, link_lines(leaderboard.connectivity, penalty=leaderboard.penalty))
        click.echo(start + start.lstrip("\n").join(f"{line}\n" for line in lines), nl=False)
    if comparison:
        click.echo(f"\n{comparison.text(markdown=form == 'markdown')}")


def format_summary(leaderboard: Board) -> str:
    """Return one sentence on what the board does and does not settle."""
    if not leaderboard.comparisons:
        why = format_why_empty(
            leaderboard.selection,
            waiting=leaderboard.open,
            left_out=leaderboard.left_out,
            silent=leaderboard.silent,
        )
        return " ".join([f"{why}, so nothing is rated.", *unrated_lines(leaderboard)])
    pairs = leaderboard.pairs
    settled = set(leaderboard.separated)
    top, *others = leaderboard.rated
    first = top.participant
    rivals = [row.participant for row in others if (first, row.participant) not in settled]
    share = f"{len(settled)} of {counted(pairs, 'pair')}"
    order = f"The order of {share} is settled (95 %, {leaderboard.at_once} at once); "
    level = [row.participant for row in others if _is_level(row, top) and row.participant in rivals]
    apart = leaderboard.connectivity.islands
    return f"{order}{format_leader(first, rivals, level=level, apart=apart)}."


def unrated_lines(leaderboard: Board) -> list[str]:
    """Return who is not rated and why, a sentence for each reason."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for row in leaderboard.rows:
        if not row.is_rated:
            names[row.unrated or "no verdict counts"].append(row.participant)
    return [
        f"{format_names(listed)} {'is' if len(listed) == 1 else 'are'} not rated: {why}."
        for why, listed in names.items()
    ]


def _is_level(row: Row, top: Row) -> bool:
    """Return whether a rating is printed as that of the first."""
    return row.rank is not None and f"{row.rating:.0f}" == f"{top.rating:.0f}"


def _schedule_text(schedule: ScheduleResult, *, markdown: bool) -> str:
    """Return what a schedule has decided, as it stands above a board."""
    gap = "\n\n" if markdown else "\n"
    lines = map(escape_markdown, schedule.sentences) if markdown else schedule.sentences
    text = "".join(f"{line}{gap}" for line in lines)
    if schedule.swiss:
        table = swiss_table(schedule)
        text += f"{as_markdown(table)}\n" if markdown else f"{as_text(table)}\n"
    return text


def swiss_table(schedule: ScheduleResult) -> Table:
    """Return the table of Swiss rounds."""
    title = f"Swiss table · by bench {schedule.bench}"
    return tabulate(field_columns(SwissPlace), schedule.swiss, title=title)


def board_json(
    leaderboard: Board,
    comparison: BenchComparison | None = None,
    schedule: ScheduleResult | None = None,
) -> str:
    """Write a board as JSON, with all benches where a comparison of them is given."""
    rounded = as_records(tabulate(COLUMNS, leaderboard.rows))
    rows = [
        asdict(row) | own | {"could_be": format_rank_range(row.rank_low, row.rank_high)}
        for row, own in zip(leaderboard.rows, rounded, strict=True)
    ]
    content = asdict(leaderboard) | {
        "rows": rows,
        "summary": format_summary(leaderboard),
        "notes": _notes(leaderboard),
        "schedule": schedule and asdict(schedule),
    }
    del content["selection"]["entry"]  # a number within the database
    if not leaderboard.silent:
        del content["silent"]
    if comparison:
        content["beside"] = comparison.content()
    return as_json(content) + "\n"


def leaderboard_table(leaderboard: Board, db: Path) -> Table:
    """Return a board as a table with its title and what is said below it.

    Args:
        db: its database, for the commands in the notes.
    """
    title = titled(
        leaderboard.selection.title, *leaderboard.method.words, caveat=leaderboard.caveat
    )
    return tabulate(COLUMNS, leaderboard.rows, title=title, notes=board_notes(leaderboard, db))


def _board_text(leaderboard: Board, db: Path, *, markdown: bool) -> str:
    table = leaderboard_table(leaderboard, db)
    if markdown:
        return as_markdown(table)
    rows = ""
    if leaderboard.comparisons:
        rows = as_text(replace(table, title="", notes=()), width=console().width)
    return "\n".join([f"{table.title}\n{rows}", *table.notes]) + "\n"


def _notes(leaderboard: Board) -> list[str]:
    """Return the notes of a board with those on its intervals as they are shown."""
    return [*leaderboard.notes, *interval_notes_of_open(leaderboard)]


def board_notes(leaderboard: Board, db: Path) -> list[str]:
    """Return the lines below the table: what is settled, what is left out, and notes.

    Args:
        db: its database, for the commands in the lines.
    """
    name = leaderboard.selection.tournament
    rated = leaderboard.comparisons
    size = f"{leaderboard.size} rated. " if rated else ""
    lines = [
        f"{size}{format_summary(leaderboard)}",
        *(_open_questions(leaderboard) if rated else ()),
        *(_effects(leaderboard) if rated else ()),
    ]
    if not rated and any(row.forfeits for row in leaderboard.rows):
        lines.append(f"Why they forfeited: {command_line('debates', db=db, tournament=name)}")
    if leaderboard.open:
        votes = f"people's votes: {command_line('vote', 'list', db=db, tournament=name)}"
        ballots = f"ballots: {command_line('resume', name, db=db)}"
        remedy = votes if leaderboard.people else ballots
        debates = counted(leaderboard.open, "finished debate")
        lines.append(f"{debates} {'waits' if leaderboard.open == 1 else 'wait'} for {remedy}")
    if leaderboard.left_out:
        does = "does" if leaderboard.left_out == 1 else "do"
        debates = counted(leaderboard.left_out, "judged debate")
        lines.append(f"{debates} {does} not count: their judges are left out.")
    if leaderboard.silent:
        debates = counted(leaderboard.silent, "judged debate")
        has = "has" if leaderboard.silent == 1 else "have"
        again = command_line("rejudge", name, "--judge", "JUDGE", "--name", "NAME", db=db)
        lines.append(
            f"{debates} {has} no verdict on {leaderboard.selection.dimension}: their ballots were "
            f"taken without it. Another bench can judge them on it: {again}"
        )
    lines += leaderboard.uncounted.lines(db, name)
    lines += [COST_NOTE] * any(row.usd_per_debate > 0 for row in leaderboard.rows)
    lines += [UP_TO] * any(map(_has_reserved, leaderboard.rows))
    return lines + [f"Note: {note}." for note in (_notes(leaderboard) if rated else ())]


def _open_questions(leaderboard: Board) -> list[str]:
    """Return who could be first and who cannot be told apart, where that is open."""
    ranks = {row.participant: (row.rank_low, row.rank_high) for row in leaderboard.rated}
    lines = (
        format_open_first_place(ranks),
        format_first_place(leaderboard.leader, leaderboard.connectivity.undefeated),
        format_tie_groups(leaderboard.tie_groups),
    )
    return [line for line in lines if line]


def _effects(leaderboard: Board) -> list[str]:
    """Return what the model's other terms are worth; of motions only the extremes."""
    motions = [effect for effect in leaderboard.effects if effect.name.startswith(_MOTION)]
    lines = [
        f"Effect of {format_effect(effect.name)}: {effect.elo:+.0f} Elo (95 %: "
        f"{format_interval(effect.lower, effect.upper)})."
        for effect in leaderboard.effects
        if effect not in motions
    ]
    if len(motions) > 1:
        motions.sort(key=lambda effect: effect.elo)
        low, high = (
            f"{effect.elo:+.0f} ({effect.name.removeprefix(_MOTION)})"
            for effect in (motions[0], motions[-1])
        )
        lines.append(f"Between motions, the effect of the side differs by {low} to {high} Elo.")
    return lines
