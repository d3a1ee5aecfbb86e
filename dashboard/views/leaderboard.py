"""The leaderboard page: a stored board, and what it does and does not settle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure
from streamlit.column_config import NumberColumn, TextColumn

from arena.boards.board import Row
from arena.boards.overlaps import format_bars
from arena.boards.participation import COST_NOTE
from arena.boards.ranks import format_correlation, format_rank_range
from arena.boards.states import BoardState, Participation
from arena.output.board_html import MOST_ROWS, board_html, grid_html
from arena.output.charts import Theme, draw_intervals
from arena.output.cost_chart import cost_points
from arena.output.short_names import shorten_names
from arena.output.tables import Column, Table, as_csv, tabulate
from arena.read.schedule_results import ScheduleResult
from arena.report.leaderboard import COLUMNS, board_json, board_notes, unrated_lines
from arena.store.database import Store
from dashboard import cached
from dashboard.addresses import current_choices
from dashboard.boards import BESIDE, FILTERS, MOST_DRAWN, board_choices, board_page, summary_text
from dashboard.elements import guarded, quiet, show_lines, text
from dashboard.settings import database
from dashboard.show_charts import picture_files, show_costs
from dashboard.states import bench_states, board_frame, compare_boards
from dashboard.tables import (
    frame_csv,
    literal,
    named_files,
    show_downloads,
    show_table,
    table_files,
)

#: Characters of a bench's name in the head of a column.
_LONGEST_BENCH = 14
#: The width of the column of names beside benches on a phone, in pixels.
_NARROW = {"participant": 134}
_HAS_CHARTS = "has-charts"
_BANDS = "Participants on one grey band are not separated from the first of them."
#: Columns that pages word otherwise than the command, by their heads there; None for none.
_OWN: dict[str, Column[Row] | None] = {
    "rank": Column(
        head="could be", read=lambda row: format_rank_range(row.rank_low, row.rank_high), left=True
    ),
    "win rate": Column(
        head="win rate", read=lambda row: f"{100 * row.win_rate:.1f} %" if row.is_rated else "-"
    ),
    "note": None,  # said below
}
_SWISS = {
    "place": NumberColumn("Place", width=56),
    "participant": TextColumn("Participant", width=176),
    "points": NumberColumn(
        "Points", format="%g", width=72, help="A debate won is 1, a tie ½, a bye 2."
    ),
    "matchups": NumberColumn("Matchups", width=84),
    "byes": NumberColumn("Byes", width=64),
}
_SWISS_NARROW = {"place": 52, "participant": 176, "points": 64}


def page() -> None:
    """Show a leaderboard, and follow a run."""
    board_page("Leaderboard", _show, filters=(*FILTERS, BESIDE), intervals=True)


def _show(state: BoardState) -> None:
    schedule = None if current_choices("time", BESIDE) else cached.schedule_result(state)
    with st.container(key="summary"):
        text(summary_text(state.board, schedule))
    st.html(draw_board(state, board_choices(state)))
    selection = state.board.selection
    show_downloads(
        {
            **named_files(
                *(selection.tournament, selection.bench, selection.dimension, selection.category),
                CSV=lambda: as_csv(tabulate(COLUMNS, state.board.rows)),
                JSON=lambda: board_json(state.board, schedule=schedule),
            ),
            **picture_files(partial(_draw_ratings, state), _chart_name(state, "ratings")),
        },
        key="board",
    )
    if grid := grid_html(state.board.rows, cached.settings(selection.tournament)):
        st.html(grid)
    st.fragment(guarded(_show_charts))(state)
    _show_benches(state)
    if schedule is not None and schedule.swiss:
        _show_swiss(state, schedule)
    rows = [row for row in state.board.rows if row.with_losses is not None and row.note]
    notes = [*unrated_lines(state.board), *board_notes(state.board, database())[1:]]
    picture = [format_bars(state.board), _BANDS] if state.board.rated else []
    if notes := [*picture, *notes, *(f"{row.participant}: {row.note}." for row in rows)]:
        st.header("What to know about these ratings", anchor=False)
        show_lines(notes, "board")


def _show_swiss(state: BoardState, schedule: ScheduleResult) -> None:
    """Show the table of Swiss rounds, by which they are paired."""
    st.header("Swiss table", anchor=False)
    frame = pd.DataFrame([asdict(place) for place in schedule.swiss])
    name = state.board.selection.tournament
    files = table_files(frame, name, "swiss")
    show_table(frame, _SWISS, key="swiss", narrow=_SWISS_NARROW, files=files)


def draw_board(state: BoardState, choices: Mapping[str, str], most: int = MOST_ROWS) -> str:
    """Return the table of a state's board as HTML; every figure is of that state.

    Args:
        choices: that links keep, by their names in the address.
        most: rows that are written.
    """

    def open_profile(name: str) -> str:
        return f"participants?{urlencode({**choices, 'profile': name})}"

    return board_html(
        state.board.rows,
        leaderboard_table(state),
        systems=cached.settings(state.board.selection.tournament),
        link=open_profile,
        sortable=True,
        most=most,
    )


def leaderboard_table(state: BoardState) -> Table:
    """Return the table of a state's board: the command's columns, and what debates take."""
    columns = [_OWN.get(str(column.head), column) for column in COLUMNS]
    own = state.participations

    def format_availability(row: Row) -> str:
        share = own.get(row.participant, Participation()).availability
        return "-" if math.isnan(share) else f"{100 * share:.0f} %"

    def count_tokens(row: Row) -> float:
        each = own.get(row.participant, Participation())
        return each.input_tokens + each.output_tokens

    columns += [
        Column(
            head="available",
            read=format_availability,
            shown=lambda rows: any(format_availability(row) not in ("-", "100 %") for row in rows),
        ),
        Column(
            head="tokens/debate",
            read=count_tokens,
            style=lambda tokens: f"{tokens:,.0f}" if tokens else "-",
            shown=lambda rows: any(map(count_tokens, rows)),
        ),
    ]
    return tabulate(filter(None, columns), state.board.rows)


def _draw_ratings(state: BoardState, colours: Theme) -> Figure:
    """Draw the picture of the board as a chart, to be saved."""
    frame = board_frame(state)
    shown = frame[frame["debates"] > 0].head(MOST_DRAWN)
    return draw_intervals(shown, theme=colours, groups=state.board.tie_groups)


def _chart_name(state: BoardState, chart: str) -> tuple[str, ...]:
    selection = state.board.selection
    parts = (selection.dimension, selection.category)
    return selection.tournament, selection.bench, *(part for part in parts if part), chart


def _show_costs(state: BoardState) -> None:
    """Show strength against cost; against tokens where nothing was paid for."""
    found = cost_points(board_frame(state))
    if found is None:
        return
    points, unit = found
    st.header("Strength against cost", anchor=False)
    quiet(
        f"{COST_NOTE} Nobody is stronger for less than those on the line. Bars: 95 % intervals of "
        "rating and of mean cost.",
        "costs",
    )
    front = ", ".join(points["participant"][points["front"]])
    alt = f"Elo against {unit}; on the front: {front}"
    show_costs(points, unit, name=_chart_name(state, "costs"), alt=alt)


def _show_benches(state: BoardState) -> None:
    """Show the boards of other benches beside this one, with changes of rank."""
    if state.board.method.words or state.board.selection.language != "all":
        return
    beside = cached.bench_ranks(state)
    if beside is None:
        return
    st.header("Benches side by side", anchor=False)
    show_table(
        beside.frame,
        bench_columns(beside.frame.columns[1:]),
        key="benches",
        narrow=_NARROW,
        alt="Ratings and ranks by bench",
        files=named_files(
            *(state.board.selection.tournament, "benches"),
            CSV=lambda: frame_csv(beside.frame),
            JSON=lambda: beside_json(Store(database()), state),
        ),
    )
    quiet("A change counts the ranks by which a participant stands higher there.", "changes")
    show_lines([format_correlation(pair) for pair in beside.correlations], "benches")


def bench_columns(names: Iterable[str]) -> dict[str, Any]:
    """Return the configuration of the columns of benches side by side.

    Args:
        names: of the columns: a bench, and what of it.
    """
    columns: dict[str, Any] = {"participant": TextColumn("Participant", width=176)}
    parts = {name: name.rpartition(" ")[::2] for name in map(str, names)}
    short = shorten_names((bench for bench, _ in parts.values()), _LONGEST_BENCH)
    for name, (bench, figure) in parts.items():
        columns[name] = NumberColumn(
            f"{short[bench]} {figure}",
            format={"Elo": "%.0f", "change": "%+d"}.get(figure),
            help=literal(name) if short[bench] != bench else None,
        )
    return columns


def beside_json(store: Store, state: BoardState) -> str:
    """Return what `arena leaderboard --beside --format json` prints for a state."""
    return board_json(state.board, compare_boards(bench_states(store, state)))


def _show_charts(state: BoardState) -> None:
    """Show charts; the first ones of a viewer's session once the table above them is drawn.

    Until then a button stands there. `chart_order.js`, which is part of the HTML page, presses it.
    """
    if st.session_state.get(_HAS_CHARTS):
        _show_costs(state)
    else:
        st.button("Show the charts", key="charts-later", on_click=_remember_charts)


def _remember_charts() -> None:
    st.session_state[_HAS_CHARTS] = True
