"""The page that lists the debates of a tournament, with filters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from arena.text import counted, plain
from dashboard import cached
from dashboard.addresses import choose, current_choices, go_to, show_notices
from dashboard.boards import FILTERS, show_unapplied
from dashboard.debate_list import (
    KINDS,
    MOST_RATED,
    DebatesState,
    Filters,
    filter_debates,
    format_marks,
)
from dashboard.elements import (
    capital,
    guarded,
    open_page,
    quiet,
    show_empty_state,
    show_no_debates,
)
from dashboard.gone import explain_gone
from dashboard.letters import fit_box
from dashboard.motion_list import motion_titles
from dashboard.queries import LISTED
from dashboard.settings import IDLE_SECONDS, database
from dashboard.tables import clicked_row, show_downloads, show_table, table_files

_ALL = "All"
#: Why filters of a board do not narrow this list.
_WHY = "it lists debates by their overall verdicts and the usual ratings"
_COLUMNS = {
    "motion": st.column_config.TextColumn("Motion", width=240),
    "pro": st.column_config.TextColumn("Pro", width=140),
    "con": st.column_config.TextColumn("Con", width=140),
    "won_by": st.column_config.TextColumn("Winner", width=140),
    "score": st.column_config.TextColumn(
        "Pro : Con",
        width=80,
        help="Overall outcomes by the bench that is chosen, over all its runs.",
    ),
    "marks": st.column_config.TextColumn(
        "Notable",
        width=170,
        help="Upset: the share of wins that the ratings give the winner. Split: the ballots name "
        "different winners. By side: the same side won both debates of the matchup.",
    ),
    "category": st.column_config.TextColumn("Category", width=80),
    "language": st.column_config.TextColumn("Language", width=80),
    "status": st.column_config.TextColumn("Status", width=80),
}
#: What a viewer chooses here, beside the filters of boards.
_CHOICES = ("bench", "participant", "side", "result", "notable", "motion", "status")
_TABLE = "debates"
#: The ids of the debates that the viewer sees, in their order.
_SHOWN = "shown-debates"
_NARROW = {"motion": 190, "won_by": 150}
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


def page(transcript: StreamlitPage | None) -> None:
    """List debates.

    Args:
        transcript: the page that a click on a debate opens.
    """
    tournament, places = open_page("Debates", widths=(4, 4, 3, 3, 4))
    if tournament is None:
        return
    with st.container(key="choices-further"):
        bench_place, *below = st.columns((4, 7, 3, 3, 3))
    bench = choose_bench(bench_place, tournament.name)
    state = cached.debates_state(database(), tournament.name, bench)
    filters = Filters()
    if not state.frame.empty:
        filters = _choose_filters(state.frame, places, below)
        show_notices()
        show_unapplied(("category", "language"), _WHY)
    options = count_options(state.frame)
    follow = st.fragment(guarded(_follow), run_every=pause_of(state))
    follow(tournament.name, bench, transcript, filters, options)


def _follow(
    tournament: str,
    bench: str,
    transcript: StreamlitPage | None,
    filters: Filters,
    options: Sequence[int],
) -> None:
    """Draw the list, which changes during a run.

    Args:
        bench: whose verdicts are shown; '' for the first one.
        transcript: the page that a click on a debate opens.
        options: `count_options` of the debates for which the filters were drawn.
    """
    _open_clicked(transcript)
    if explain_gone(tournament):
        return
    state = cached.debates_state(database(), tournament, bench)
    frame = state.frame
    if count_options(frame) != options:
        st.rerun()
    if frame.empty:
        show_no_debates()
        return
    listed = filter_debates(frame, filters)
    show_moment(state)
    st.caption(
        f"{len(listed)} of {counted(len(frame), 'debate')}. Click a row to read its transcript."
    )
    if len(listed) > LISTED:
        st.caption(f"The first {LISTED:,} of them are listed; narrow them down with the filters.")
    if listed.empty:
        show_empty_state("No debate fits.", "Widen one of the filters above.")
        return
    shown = listed.head(LISTED)
    st.session_state[_SHOWN] = tuple(map(str, shown["debate_id"]))
    show_table(
        debates_table(shown),
        _shown_columns(frame),
        key=_TABLE,
        narrow=_NARROW,
        alt="Debates",
        opens=True,
    )
    show_downloads(table_files(listed[list(_FILE)], "debates"), key="debates")


def _open_clicked(transcript: StreamlitPage | None) -> None:
    """Open the debate whose row was clicked: the one that the viewer saw there.

    That comes first, because nobody will see the list that would be drawn before it.
    """
    clicked, shown = clicked_row(_TABLE), st.session_state.get(_SHOWN, ())
    if clicked is not None and clicked < len(shown) and transcript is not None:
        go_to(transcript, **list_choices(), debate=shown[clicked])


def _shown_columns(frame: pd.DataFrame) -> dict[str, object]:
    """Return the configuration of the columns that tell a tournament's debates apart."""
    alike = {name for name in _OFTEN_ALIKE if frame[name].nunique() < 2}
    return {name: column for name, column in _COLUMNS.items() if name not in alike}


def debates_table(listed: pd.DataFrame) -> pd.DataFrame:
    """Return the table of debates as people see it."""
    judged = listed["outcome"].notna()
    rows = listed.to_dict("records")
    return pd.DataFrame(
        {
            **{name: listed[name].astype(str) for name in ("motion", "pro", "con")},
            "won_by": [
                ("tie" if row["is_tie"] else row["winner"]) if known else ""
                for row, known in zip(rows, judged, strict=True)
            ],
            "score": [
                f"{row['pro_score']:.3g} : {row['con_score']:.3g}" if known else ""
                for row, known in zip(rows, judged, strict=True)
            ],
            "marks": [
                format_marks({str(name): cell for name, cell in row.items()}) for row in rows
            ],
            **{name: listed[name].astype(str) for name in ("category", "language", "status")},
        }
    )


def choose_bench(place: DeltaGenerator, tournament: str) -> str:
    """Ask for the bench whose verdicts a page shows; '' before a board is stored."""
    stored = cached.stored_selections(database(), tournament)
    benches = [str(bench) for bench in stored["bench"].unique()]
    if not benches:
        return ""
    return choose(place, "Bench", benches, "bench", format_func=fit_box(benches))


def list_choices() -> dict[str, str]:
    """Return the choices in the address that open the list as a viewer has left it."""
    return current_choices(*_CHOICES, *FILTERS)


def show_moment(state: DebatesState) -> None:
    """Say of when the debates on a page are, and how many of them are judged."""
    quiet(
        f"State of {state.at:%Y-%m-%d %H:%M:%S} UTC, {counted(state.judged, 'debate')} judged.",
        "state",
    )
    if state.judged and not state.rating:
        quiet(
            f"More than {MOST_RATED} participants are not rated between two stored boards, so "
            "nothing here compares results with ratings until the next one.",
            "unrated",
        )


def pause_of(state: DebatesState) -> float:
    """Return the seconds until a page of debates looks for newer ones."""
    return _PLAYING_PAUSE if state.is_open else IDLE_SECONDS


def count_options(frame: pd.DataFrame) -> tuple[int, ...]:
    """Count what the filters of a page of debates offer; with more, the page is drawn anew."""
    return tuple(frame[name].nunique() for name in _FILTERED)


def _choose_filters(
    frame: pd.DataFrame, places: Sequence[DeltaGenerator], below: Sequence[DeltaGenerator]
) -> Filters:
    names = sorted({*frame["pro"].unique(), *frame["con"].unique()})
    titles = {title: motion_id for motion_id, title in motion_titles(frame).items()}
    participant = _filter(places[0], "Participant", names, fit_box([_ALL, *names]))
    side = _filter(places[1], "Side", ["pro", "con"])
    result = _filter(places[2], "Result", ["won", "lost", "tied"])
    kind = _filter(places[3], "Notable", list(KINDS))
    motion = _filter(below[0], "Motion", list(titles), plain)
    category = _filter(below[1], "Category", sorted(frame["category"].unique()))
    languages = sorted(frame["language"].unique())
    language = _filter(below[2], "Language", languages, plain)
    status = _filter(below[3], "Status", sorted(frame["status"].unique()))
    if result and not participant:
        quiet(f"Without a participant, {result} is Pro's result.", "result")
    return Filters(
        participant=participant,
        side=side,
        result=result,
        motion=titles.get(motion, ""),
        category=category,
        language=language,
        status=status,
        kind=kind,
    )


def _filter(
    place: DeltaGenerator,
    name: str,
    options: Sequence[str],
    format_func: Callable[[str], str] = capital,
) -> str:
    """Ask for one of the options, and return it; '' for all."""
    choice = choose(place, name, [_ALL, *options], name.lower(), format_func=format_func)
    return "" if choice == _ALL else choice
