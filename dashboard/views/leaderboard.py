"""The leaderboard page: a stored board, and the progress of its tournament."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pandas as pd
import streamlit as st

from arena.boards.comparisons import Selection
from arena.boards.method import INTERVALS_DIFFER, IntervalKind
from arena.boards.rank_text import format_open_first_place, format_rank_range, format_tie_groups
from arena.report.charts import draw_intervals
from dashboard.boards import board_page, switch, theme
from dashboard.elements import quiet
from dashboard.queries import Standings

_ROW_PIXELS = 35
_COLUMNS = {
    "rank": st.column_config.NumberColumn("Rank", width=60),
    "participant": st.column_config.TextColumn("Participant", width="large"),
    "rating": st.column_config.NumberColumn("Elo", format="%.0f", width="small"),
    "interval": st.column_config.TextColumn("95 % interval", width=130),
    "ranks": st.column_config.TextColumn("Could be", width=100),
    "debates": st.column_config.NumberColumn("Debates", width="small"),
    "win_rate": st.column_config.ProgressColumn(
        "Win rate", format="%.1f %%", min_value=0, max_value=100, width="medium"
    ),
}


def page() -> None:
    """Show a leaderboard, and follow a run."""
    board_page("Leaderboard", _show)


def _show(selection: Selection, standings: Standings) -> None:
    standings = _with_intervals(standings, _choose_intervals(standings))
    st.dataframe(
        _table(standings),
        hide_index=True,
        column_config=_COLUMNS,
        placeholder="-",
        height=_ROW_PIXELS * (len(standings.frame) + 1) + 2,
        row_height=_ROW_PIXELS,
    )
    with st.container(key="notes", gap=None):
        for place, words in enumerate(_notes(standings)):
            quiet(f"{words}.", f"note-{place}")
    st.subheader("Ratings with 95 % intervals", anchor=False)
    figure = draw_intervals(standings.frame, theme=theme())
    st.plotly_chart(figure, config={"displayModeBar": False}, key="ratings-chart")


def _choose_intervals(standings: Standings) -> IntervalKind:
    """Ask for the kind of intervals; boards of older versions have but one."""
    if standings.frame["percentile_lower"].isna().any():
        return "sandwich"
    kinds = get_args(IntervalKind)
    picked = switch(st.container(), "intervals", kinds)
    return next(kind for kind in kinds if kind == picked)


def _with_intervals(standings: Standings, kind: IntervalKind) -> Standings:
    """Return a board with intervals of a kind in its columns lower and upper."""
    if kind == "sandwich":
        return standings
    frame = standings.frame
    shown = frame.assign(lower=frame["percentile_lower"], upper=frame["percentile_upper"])
    return replace(standings, frame=shown, notes=(INTERVALS_DIFFER, *standings.notes))


def _table(standings: Standings) -> pd.DataFrame:
    frame = standings.frame
    return frame[["rank", "participant", "rating"]].assign(
        interval=[
            f"{low:.0f} to {high:.0f}"
            for low, high in zip(frame["lower"], frame["upper"], strict=True)
        ],
        ranks=[
            format_rank_range(low, high)
            for low, high in zip(frame["rank_low"], frame["rank_high"], strict=True)
        ],
        debates=frame["debates"],
        win_rate=100 * frame["win_rate"],
    )


def _notes(standings: Standings) -> list[str]:
    """Return what the ratings are based on, and what the comparisons cannot tell."""
    noted = standings.frame[standings.frame["note"] != ""]
    own = [
        f"{name}: {note}" for name, note in zip(noted["participant"], noted["note"], strict=True)
    ]
    return [
        _format_basis(standings),
        *_rank_notes(standings.frame),
        *(f"{words[:1].upper()}{words[1:]}" for words in standings.notes),
        *own,
    ]


def _rank_notes(frame: pd.DataFrame) -> list[str]:
    """Return who could be first and who cannot be told apart, where that is open."""
    ranks = zip(frame["rank_low"], frame["rank_high"], strict=True)
    known = frame[frame["tie_group"].notna()]
    groups = [list(rows["participant"]) for _, rows in known.groupby("tie_group")]
    sentences = (
        format_open_first_place(dict(zip(frame["participant"], ranks, strict=True))),
        format_tie_groups(groups),
    )
    return [sentence.removesuffix(".") for sentence in sentences if sentence]


def _format_basis(standings: Standings) -> str:
    rated_at = pd.Timestamp(standings.frame["created_at"].max()).tz_convert("UTC")
    newer = standings.judged - standings.rated
    since = f"; the win rates include {newer} more, judged since" if newer > 0 else ""
    return (
        f"{standings.rated} debates rated at {rated_at:%H:%M:%S} UTC on {rated_at:%Y-%m-%d}{since}"
    )
