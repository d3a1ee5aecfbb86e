"""The frame of the pages that show a stored board: its switches, and following a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from arena.boards.comparisons import Selection
from arena.console.run_status import LastRun
from arena.report.charts import DARK, LIGHT, Theme
from dashboard import cached
from dashboard.elements import guarded, label, open_page, quiet, show_empty_state, show_no_debates
from dashboard.queries import Standings
from dashboard.settings import IDLE_SECONDS, PLAYING_SECONDS, database

#: The number of options that fit side by side; more become a list.
_MOST_SWITCHES = 4
#: A function that draws a stored board, which is not empty.
Draw: TypeAlias = Callable[[Selection, Standings], None]


def board_page(words: str, draw: Draw) -> None:
    """Show a page on the stored board that the viewer chooses, and follow a run.

    Args:
        words: the heading.
        draw: called repeatedly, with the board as it then is.
    """
    tournament, places = open_page(words, widths=(4, 4, 7, 5))
    if tournament is None:
        return
    stored = cached.boards(database(), tournament.name)
    selection = _choose(stored, tournament.name, places)
    counts = cached.progress(database(), tournament.name).iloc[0]
    idle = counts["debates"] and not _count_left(counts)
    pause = IDLE_SECONDS if idle else PLAYING_SECONDS
    st.fragment(guarded(_follow), run_every=pause)(draw, selection, len(stored))


def switch(place: DeltaGenerator, name: str, options: Sequence[str]) -> str:
    """Ask for one of a few options; the choice becomes part of the address."""
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
    """Return the theme that the viewer's browser uses."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def _choose(stored: pd.DataFrame, tournament: str, places: Sequence[DeltaGenerator]) -> Selection:
    """Show the switches, each with the boards that fit the choices before it; return the choice."""
    choices: dict[str, Any] = {}
    for place, name in zip(places, ("bench", "dimension", "category"), strict=True):
        options = [str(option) for option in stored[name].unique()]
        if not options:
            continue
        if name == "bench" or len(options) > _MOST_SWITCHES:
            choices[name] = place.selectbox(
                name.capitalize(), options, key=name, bind="query-params"
            )
        else:
            choices[name] = switch(place, name, options)
        stored = stored[stored[name] == choices[name]]
    return replace(Selection(tournament=tournament, bench=""), **choices)


def _follow(draw: Draw, selection: Selection, stored: int) -> None:
    """Draw the part of a page that changes during a run.

    Args:
        draw: draws the board.
        selection: the board.
        stored: the number of boards that the switches offer; once more are stored, the page is
            drawn anew.
    """
    if len(cached.boards(database(), selection.tournament)) > stored:
        st.rerun()
    counts = cached.progress(database(), selection.tournament).iloc[0]
    run = cached.last_run(database(), selection.tournament)
    _show_progress(counts, run)
    if not stored:
        _explain_no_ratings(counts, run)
        return
    if _count_left(counts) and not run.process:
        quiet(f"Go on with: arena resume --yes --db {database()}", "resume")
    standings = cached.standings(database(), selection)
    if standings.frame.empty:
        quiet("This leaderboard is being recomputed.", "rating")
        return
    draw(selection, standings)


def _count_left(counts: pd.Series) -> int:
    """Return the number of debates still to play and of ballots still to collect."""
    ended = counts["finished"] + counts["forfeit"]
    return int(counts["debates"] - ended + counts["ballots_due"] - counts["ballots"])


def _show_progress(counts: pd.Series, run: LastRun) -> None:
    """Show the progress of a run and whether it goes on; nothing once all is played and judged."""
    if not _count_left(counts):
        return
    always = ("planned", "playing", "finished") if run.process else ("planned", "finished")
    names = ("planned", "playing", "waiting", "finished", "forfeit", "void", "error")
    words = {} if run.process else {"playing": "cut off"}
    listed = [
        f"{words.get(name, name)} {counts[name]:.0f}"
        for name in names
        if counts[name] or name in always
    ]
    listed.append(f"ballots {counts['ballots']:.0f} of {counts['ballots_due']:.0f}")
    if counts["failed"]:
        listed.append(f"failed ballots {counts['failed']:.0f}")
    if counts["erred"]:
        listed.append(f"ballots in error {counts['erred']:.0f}")
    ended = counts["finished"] + counts["forfeit"]
    st.progress(
        float(ended / counts["debates"]),
        text=f"{ended:.0f} of {counts['debates']:.0f} debates: {' · '.join(listed)}",
    )
    described = run.describe()
    quiet(f"{described[:1].upper()}{described[1:]}.", "run")


def _explain_no_ratings(counts: pd.Series, run: LastRun) -> None:
    """Say why no board is stored, and what to do."""
    if not counts["debates"]:
        show_no_debates()
    elif run.process:
        quiet(
            "No ratings yet. They appear within half a minute of the first judged debate; this "
            "page updates itself.",
            "no-ratings",
        )
    else:
        show_empty_state(
            "No ratings yet.",
            "Nobody works on this tournament. Continue it with:",
            f"arena resume --yes --db {database()}",
        )
