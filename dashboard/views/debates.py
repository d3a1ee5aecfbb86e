"""The page that lists the debates of a tournament, with filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.column_config import TextColumn
from streamlit.delta_generator import DeltaGenerator

from arena.boards.votes import BenchResult
from arena.report.debate_list import (
    KINDS,
    MOST_RATED,
    DebateFilters,
    DebatesState,
    filter_debates,
    format_marks,
)
from arena.report.debate_result import format_score
from arena.report.motion_list import motion_titles
from arena.report.odd_results import UPSET
from arena.text import counted, plain
from dashboard import cached
from dashboard.addresses import choose, current_choices, go_to, resolve, show_notices
from dashboard.boards import FILTERS, show_unapplied
from dashboard.elements import (
    capital,
    explain_gone,
    guarded,
    open_page,
    quiet,
    show_empty_state,
    show_moment,
    show_no_debates,
)
from dashboard.letters import fit_box
from dashboard.queries import LISTED
from dashboard.settings import IDLE_SECONDS
from dashboard.tables import clicked_row, show_table, table_files

_ALL = "All"
#: Why filters of a board do not narrow this list.
_WHY = "it lists debates by their overall verdicts and the usual ratings"
_COLUMNS = {
    "motion": TextColumn("Motion", width=260),
    "pro": TextColumn("Pro", width=140),
    "con": TextColumn("Con", width=140),
    "won_by": TextColumn("Winner", width=140),
    "score": TextColumn(
        "Score",
        width=80,
        help="The winner's and the other's, of the overall outcomes by the bench that is chosen, "
        "over all its runs.",
    ),
    "marks": TextColumn(
        "Notable",
        width=170,
        help=f"Upset: the ratings give the winner less than {100 * UPSET:.0f} % of wins. Split: "
        "the ballots name different winners. By side: one side won both debates of the matchup.",
    ),
    "category": TextColumn("Category", width=80),
    "language": TextColumn("Language", width=80),
    "status": TextColumn("Status", width=80),
}
#: What a viewer chooses here, beside the filters of boards.
_CHOICES = ("bench", "participant", "side", "result", "notable", "motion", "status")
#: Those that narrow the list down.
_NARROWING = (*_CHOICES[1:], "category", "language")
_TABLE = "debates"
#: The ids of the debates that the viewer sees, in their order.
_SHOWN = "shown-debates"
_NARROW = {"motion": 192, "won_by": 106, "score": 60}
#: Columns that are left out where all debates of the tournament have the same in them.
_OFTEN_ALIKE = ("category", "language", "status")
#: Columns whose values the filters offer.
_FILTERED = ("motion", "pro", "con", "category", "language", "status")
#: Seconds between two looks at a run: its debates are read anew every half minute.
_PLAYING_PAUSE = 10.0
#: The columns of the file.
_FILE = (
    "debate_id", "motion_id", "motion", "category", "language", "pro", "con", "status", "winner",
    "pro_score", "con_score", "is_upset", "is_split", "by_side",
)  # fmt: skip


def page() -> None:
    """List debates."""
    tournament, (bench_place, *places) = open_page(
        "Debates",
        widths=(4, 4, 4, 3, 3),
        more=(3, 7, 3, 3, 3),
        fold=partial(fold_line, names=_NARROWING, all_of="debates"),
        unfolded=bool(current_choices(*_NARROWING)),
    )
    if not tournament:
        return
    bench = choose_bench(bench_place, tournament)
    state = cached.debates_state(tournament, bench)
    filters = DebateFilters()
    if not state.frame.empty:
        filters = _choose_filters(state.frame, places)
        show_notices()
        show_unapplied(("category", "language"), _WHY)
    follow_debates(tournament, bench, state, partial(_show, filters))


def follow_debates(
    tournament: str, bench: str, state: DebatesState, draw: Callable[[DebatesState], None]
) -> None:
    """Draw a page of a tournament's debates again and again.

    Args:
        bench: whose verdicts are shown; '' for the first one.
        state: for which the lists of choices were drawn.
    """
    pause = _PLAYING_PAUSE if state.is_open else IDLE_SECONDS
    follow = st.fragment(guarded(_follow), run_every=pause)
    follow(tournament, bench, _count_options(state.frame), draw)


def _follow(
    tournament: str, bench: str, options: Sequence[int], draw: Callable[[DebatesState], None]
) -> None:
    if explain_gone(tournament):
        return
    state = cached.debates_state(tournament, bench)
    if _count_options(state.frame) != options:
        st.rerun()
    if state.frame.empty:
        show_no_debates()
        return
    draw(state)


def _count_options(frame: pd.DataFrame) -> tuple[int, ...]:
    """Count what the filters of a page of debates offer; with more, the page is drawn anew."""
    return tuple(frame[name].nunique() for name in _FILTERED)


def _show(filters: DebateFilters, state: DebatesState) -> None:
    # First the debate whose row was clicked: the one that the viewer saw there.
    clicked, seen = clicked_row(_TABLE), st.session_state.get(_SHOWN, ())
    if clicked is not None and clicked < len(seen):
        go_to("transcript", **list_choices(), debate=seen[clicked])
    frame = state.frame
    listed = filter_debates(frame, filters)
    show_verdicts_moment(state)
    st.caption(
        f"{len(listed)} of {counted(len(frame), 'debate')}. Click a row to read its transcript."
    )
    if len(listed) > LISTED:
        st.caption(f"The first {LISTED:,} of them are listed; narrow them down with the filters.")
    if listed.empty:
        show_empty_state("No debate fits.", "Widen one of the filters above.")
        return
    shown = listed.head(LISTED)
    alike = {name for name in _OFTEN_ALIKE if frame[name].nunique() < 2}
    st.session_state[_SHOWN] = tuple(map(str, shown["debate_id"]))
    show_table(
        debates_table(shown),
        {name: column for name, column in _COLUMNS.items() if name not in alike},
        key=_TABLE,
        narrow=_NARROW,
        alt="Debates",
        opens=True,
        lines=2,
        files=table_files(listed[list(_FILE)], "debates"),
    )


def debates_table(listed: pd.DataFrame) -> pd.DataFrame:
    """Return the table of debates as people see it."""
    judged = listed["outcome"].notna()
    winner = listed["winner"].astype(object).mask(listed["is_tie"], "tie")
    status = listed["status"].astype(object)
    rows = listed.to_dict("records")
    return listed.assign(
        **{name: listed[name].astype(str) for name in _FILTERED},
        won_by=winner.where(judged, status.mask(status == "finished", "not judged yet")),
        score=[format_score(_result(row)) for row in rows],
        marks=list(map(format_marks, rows)),
    )


def _result(row: Mapping[Any, Any]) -> BenchResult | None:
    if pd.isna(row["outcome"]):
        return None
    return BenchResult(outcome=row["outcome"], pro=row["pro_score"], con=row["con_score"])


def fold_line(
    tournament: str, *, names: Sequence[str], all_of: str = "", bench: bool = True
) -> str:
    """Return the choices of a page of debates in one line.

    Args:
        names: in the address, of what narrows the page down.
        all_of: what the page shows all of where nothing is chosen; '' where nothing narrows it.
        bench: whether the page is of one bench.
    """
    benches = list_benches(tournament) if bench else []
    chosen = tuple(current_choices(*names).values()) or (f"all {all_of}" if all_of else "",)
    parts = (tournament, *([resolve("bench", benches)] if benches else ()), *chosen)
    return " · ".join(filter(None, parts))


def list_benches(tournament: str) -> list[str]:
    """Return the benches that a page can be chosen by; none before a board is stored."""
    return list(map(str, cached.stored_selections(tournament)["bench"].unique()))


def choose_bench(place: DeltaGenerator, tournament: str) -> str:
    """Ask for the bench whose verdicts a page shows; '' before a board is stored."""
    benches = list_benches(tournament)
    if not benches:
        return ""
    return choose(place, "Bench", benches, "bench")


def list_choices() -> dict[str, str]:
    """Return the choices in the address that open the list as a viewer has left it."""
    return current_choices(*_CHOICES, *FILTERS)


def show_verdicts_moment(state: DebatesState) -> None:
    """Say of when the debates on a page are, and how many of them are judged."""
    show_moment(state.at, f"{counted(state.judged, 'debate')} judged")
    if state.judged and not state.rating:
        quiet(
            f"More than {MOST_RATED} participants are not rated between two stored boards, so "
            "nothing here compares results with ratings until the next one.",
            "unrated",
        )


def _choose_filters(frame: pd.DataFrame, places: Sequence[DeltaGenerator]) -> DebateFilters:
    names = sorted({*frame["pro"].unique(), *frame["con"].unique()})
    titles = {title: motion_id for motion_id, title in motion_titles(frame).items()}
    offered: dict[str, tuple[Sequence[str], Callable[[str], str]]] = {
        "participant": (names, fit_box([_ALL, *names])),
        "side": (["pro", "con"], capital),
        "result": (["won", "lost", "tied"], capital),
        "notable": (list(KINDS), capital),
        "motion": (list(titles), plain),
        "category": (sorted(frame["category"].unique()), capital),
        "language": (sorted(frame["language"].unique()), plain),
        "status": (sorted(frame["status"].unique()), capital),
    }
    chosen = {}
    for place, (name, (options, words)) in zip(places, offered.items(), strict=True):
        choice = choose(place, name.capitalize(), [_ALL, *options], name, format_func=words)
        chosen[name] = "" if choice == _ALL else choice
    if chosen["result"] and not chosen["participant"]:
        quiet(f"Without a participant, {chosen['result']} is Pro's result.", "result")
    return DebateFilters(**chosen | {"motion": titles.get(chosen["motion"], "")})
