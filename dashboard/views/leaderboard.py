"""The first page: the stored board of a selection, and how far its tournament is."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from arena.boards.comparisons import Selection
from arena.boards.rank_text import could_be, open_first_place, tie_groups_said
from arena.report.charts import intervals
from dashboard.boards import board_page, theme
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
    """Show a leaderboard, following a run."""
    board_page("Leaderboard", _show)


def _show(selection: Selection, found: Standings) -> None:
    st.dataframe(
        _table(found),
        hide_index=True,
        column_config=_COLUMNS,
        placeholder="-",
        height=_ROW_PIXELS * (len(found.frame) + 1) + 2,
        row_height=_ROW_PIXELS,
    )
    with st.container(key="notes", gap=None):
        for place, words in enumerate(_notes(found)):
            quiet(f"{words}.", f"note-{place}")
    st.subheader("Ratings with 95 % intervals", anchor=False)
    figure = intervals(found.frame, theme=theme())
    st.plotly_chart(figure, config={"displayModeBar": False}, key="intervals")


def _table(found: Standings) -> pd.DataFrame:
    frame = found.frame
    return frame[["rank", "participant", "rating"]].assign(
        interval=[
            f"{low:.0f} to {high:.0f}"
            for low, high in zip(frame["lower"], frame["upper"], strict=True)
        ],
        ranks=[
            could_be(low, high)
            for low, high in zip(frame["rank_low"], frame["rank_high"], strict=True)
        ],
        debates=frame["debates"],
        win_rate=100 * frame["win_rate"],
    )


def _notes(found: Standings) -> list[str]:
    """What the ratings rest on, and what the comparisons cannot tell."""
    noted = found.frame[found.frame["note"] != ""]
    own = [
        f"{name}: {note}" for name, note in zip(noted["participant"], noted["note"], strict=True)
    ]
    return [
        _basis(found),
        *_left_open(found.frame),
        *(f"{words[:1].upper()}{words[1:]}" for words in found.notes),
        *own,
    ]


def _left_open(frame: pd.DataFrame) -> list[str]:
    """Who could be first, and who cannot be told apart, where that is open."""
    ranks = zip(frame["rank_low"], frame["rank_high"], strict=True)
    known = frame[frame["tie_group"].notna()]
    groups = [list(one["participant"]) for _, one in known.groupby("tie_group")]
    said = (
        open_first_place(dict(zip(frame["participant"], ranks, strict=True))),
        tie_groups_said(groups),
    )
    return [one.removesuffix(".") for one in said if one]


def _basis(found: Standings) -> str:
    rated_at = pd.Timestamp(found.frame["created_at"].max()).tz_convert("UTC")
    newer = found.judged - found.rated
    since = f"; win rates count {newer} more, judged since" if newer > 0 else ""
    return f"{found.rated} debates rated at {rated_at:%H:%M:%S} UTC on {rated_at:%Y-%m-%d}{since}"
