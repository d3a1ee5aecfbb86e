"""The first page: the stored board of a selection, and how far its tournament is."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.comparisons import Selection
from arena.figures import INK, LIGHT_INK, intervals
from dashboard import cached
from dashboard.elements import (
    choose_tournament,
    empty,
    guarded,
    label,
    no_debates,
    no_tournament,
    quiet,
    title,
)
from dashboard.queries import Standings
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, database

_ROW_PIXELS = 35
_COLUMNS = {
    "rank": st.column_config.NumberColumn("Rank", width=60),
    "participant": st.column_config.TextColumn("Participant", width="large"),
    "rating": st.column_config.NumberColumn("Elo", format="%.0f", width="small"),
    "interval": st.column_config.TextColumn("95 % interval", width=130),
    "ranks": st.column_config.TextColumn("Ranks", width=90),
    "debates": st.column_config.NumberColumn("Debates", width="small"),
    "win_rate": st.column_config.ProgressColumn(
        "Win rate", format="%.1f %%", min_value=0, max_value=100, width="medium"
    ),
}


def page() -> None:
    """Show a leaderboard, following a run."""
    heading = st.container()
    switches = st.columns([4, 4, 7, 5])
    with switches[0]:
        tournament = choose_tournament()
    with heading:
        title("Leaderboard", simulated=tournament is not None and tournament.simulated)
    if tournament is None:
        no_tournament()
        return
    stored = cached.boards(database(), tournament.name)
    selection = _choose(stored, tournament.name, switches[1:])
    counts = cached.progress(database(), tournament.name).iloc[0]
    idle = counts["debates"] and not _left(counts)
    pause = IDLE_SECONDS if idle else PLAYING_SECONDS
    st.fragment(guarded(_board), run_every=pause)(tournament.name, selection, len(stored))


def _choose(stored: pd.DataFrame, tournament: str, places: list[DeltaGenerator]) -> Selection:
    """The switches; each offers what is stored for the choices before it."""
    chosen: dict[str, str] = {}
    for place, name in zip(places, ("bench", "dimension", "category"), strict=True):
        options = [str(one) for one in stored[name].unique()]
        if not options:
            continue
        chosen[name] = _switch(place, name, options)
        stored = stored[stored[name] == chosen[name]]
    return Selection(tournament=tournament, **{"bench": "", **chosen})


def _switch(place: DeltaGenerator, name: str, options: list[str]) -> str:
    title = name.capitalize()
    if name == "bench":
        return place.selectbox(title, options, key=name, bind="query-params")
    picked = place.segmented_control(
        title,
        options,
        default=options[0],
        required=True,
        format_func=label,
        key=name,
        bind="query-params",
    )
    return picked or options[0]


def _board(tournament: str, selection: Selection, stored: int) -> None:
    """Draw what changes during a run.

    Args:
        tournament: its name.
        selection: which board.
        stored: how many boards the switches offer; once there are more, the page starts anew.
    """
    if len(cached.boards(database(), tournament)) > stored:
        st.rerun()
    counts = cached.progress(database(), tournament).iloc[0]
    _progress(counts)
    if not stored:
        _unrated(counts)
        return
    found = cached.standings(
        database(), tournament, selection.bench, selection.dimension, selection.category
    )
    if found.frame.empty:
        quiet("This board is being rated anew.", "rating")
        return
    _show(found)


def _show(found: Standings) -> None:
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
    ink = LIGHT_INK if st.context.theme.type == "dark" else INK
    figure = intervals(found.frame, ink=ink)
    st.plotly_chart(figure, config={"displayModeBar": False}, key="intervals")


def _table(found: Standings) -> pd.DataFrame:
    frame = found.frame
    return frame[["rank", "participant", "rating"]].assign(
        interval=[
            f"{low:.0f} to {high:.0f}"
            for low, high in zip(frame["lower"], frame["upper"], strict=True)
        ],
        ranks=[
            f"{low}" if low == high else f"{low} to {high}"
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
    return [_basis(found), *(f"{words[:1].upper()}{words[1:]}" for words in found.notes), *own]


def _basis(found: Standings) -> str:
    rated_at = pd.Timestamp(found.frame["created_at"].max()).tz_convert("UTC")
    newer = found.judged - found.rated
    since = f"; win rates count {newer} more, judged since" if newer > 0 else ""
    return f"{found.rated} debates rated at {rated_at:%H:%M:%S} UTC on {rated_at:%Y-%m-%d}{since}"


def _left(counts: pd.Series) -> int:
    """Debates to play and ballots to take."""
    ended = counts["finished"] + counts["forfeit"]
    return int(counts["debates"] - ended + counts["ballots_due"] - counts["ballots"])


def _progress(counts: pd.Series) -> None:
    """A line on what is still to do; nothing once all is played and judged."""
    if not _left(counts):
        return
    always = ("planned", "playing", "finished")
    names = ("planned", "playing", "waiting", "finished", "forfeit", "void")
    listed = [f"{name} {counts[name]:.0f}" for name in names if counts[name] or name in always]
    listed.append(f"ballots {counts['ballots']:.0f} of {counts['ballots_due']:.0f}")
    if counts["failed"]:
        listed.append(f"failed ballots {counts['failed']:.0f}")
    ended = counts["finished"] + counts["forfeit"]
    st.progress(
        float(ended / counts["debates"]),
        text=f"{ended:.0f} of {counts['debates']:.0f} debates: {' · '.join(listed)}",
    )


def _unrated(counts: pd.Series) -> None:
    if not counts["debates"]:
        no_debates()
    else:
        empty(
            "No ratings yet.",
            "Ratings appear within half a minute of the first judged debate while a run is going "
            "on; this page follows it. If none is, go on with the tournament.",
            f"arena resume --yes --db {database()}",
        )
