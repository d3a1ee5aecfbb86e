"""What pages of a board share: switches for what is stored, and following a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.boards.comparisons import Selection
from arena.report.charts import DARK, LIGHT, Theme
from dashboard import cached
from dashboard.elements import empty, guarded, label, no_debates, opening, quiet
from dashboard.queries import Standings
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, database

#: More do not fit side by side and become a list.
_MOST_SWITCHES = 4
#: Draws a stored board that is not empty.
Draw: TypeAlias = Callable[[Selection, Standings], None]


def board_page(words: str, draw: Draw) -> None:
    """Show something of a stored board that the viewer chooses, following a run.

    Args:
        words: the heading.
        draw: called again and again with the board as it is then.
    """
    tournament, places = opening(words, widths=(4, 4, 7, 5))
    if tournament is None:
        return
    stored = cached.boards(database(), tournament.name)
    selection = _choose(stored, tournament.name, places)
    counts = cached.progress(database(), tournament.name).iloc[0]
    idle = counts["debates"] and not _left(counts)
    pause = IDLE_SECONDS if idle else PLAYING_SECONDS
    st.fragment(guarded(_follow), run_every=pause)(draw, selection, len(stored))


def switch(place: DeltaGenerator, name: str, options: Sequence[str]) -> str:
    """Ask for one of a few; the choice stands in the address."""
    picked = place.segmented_control(
        name.capitalize(),
        options,
        default=options[0],
        required=True,
        format_func=label,
        key=name,
        bind="query-params",
    )
    return picked or options[0]


def theme() -> Theme:
    """The theme that the viewer's browser shows."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def _choose(stored: pd.DataFrame, tournament: str, places: Sequence[DeltaGenerator]) -> Selection:
    """The switches; each offers what is stored for the choices before it."""
    chosen: dict[str, Any] = {}
    for place, name in zip(places, ("bench", "dimension", "category"), strict=True):
        options = [str(one) for one in stored[name].unique()]
        if not options:
            continue
        if name == "bench" or len(options) > _MOST_SWITCHES:
            chosen[name] = place.selectbox(
                name.capitalize(), options, key=name, bind="query-params"
            )
        else:
            chosen[name] = switch(place, name, options)
        stored = stored[stored[name] == chosen[name]]
    return replace(Selection(tournament=tournament, bench=""), **chosen)


def _follow(draw: Draw, selection: Selection, stored: int) -> None:
    """Draw what changes during a run.

    Args:
        draw: what shows the board.
        selection: which board.
        stored: how many boards the switches offer; once there are more, the page starts anew.
    """
    if len(cached.boards(database(), selection.tournament)) > stored:
        st.rerun()
    counts = cached.progress(database(), selection.tournament).iloc[0]
    _progress(counts)
    if not stored:
        _unrated(counts)
        return
    found = cached.standings(database(), selection)
    if found.frame.empty:
        quiet("This board is being rated anew.", "rating")
        return
    draw(selection, found)


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
