"""Elements of several pages: untrusted text, the choice of a tournament, empty states, errors."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Concatenate, ParamSpec, TypeVar

import pandas as pd
import streamlit as st
from streamlit.column_config import TextColumn
from streamlit.delta_generator import DeltaGenerator

from arena.boards.states import BoardState
from arena.errors import ArenaError, ConfigError
from arena.output.tables import Table
from arena.read.tournaments import TournamentRow
from arena.records import LOCAL, OFFLINE, caveat_of
from arena.text import plain
from dashboard import cached
from dashboard.addresses import (
    address,
    choose,
    clear_choices,
    find_page,
    resolve,
    show_notices,
)
from dashboard.settings import PLAYING_SECONDS, database_option, preferred_tournament
from dashboard.tables import Files, literal, show_table
from dashboard.variants import varieties

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_LOG = logging.getLogger(__name__)
#: Remarks on the marks of results, by the prefix of a model's name.
_REMARKS = {
    OFFLINE: "Results of the built-in simulator; they do not describe any real model.",
    LOCAL: "The model has 135 million parameters; a usual one has a thousand times as many.",
}


def guarded(page: Callable[_Arguments, None]) -> Callable[_Arguments, None]:
    """Decorate a page so that an error is one sentence on it; the details go to the terminal."""

    @functools.wraps(page)
    def shown(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> None:
        try:
            page(*args, **kwargs)
        except ArenaError as error:
            _LOG.warning("%s", error)
            st.error(
                "The database cannot be read at the moment. The terminal of `arena serve` shows "
                "the reason; this page tries again."
            )
            _await_database()

    return shown


def text(body: str) -> None:
    """Show untrusted text, wrapped; nothing in it is read as Markdown, HTML or a control code."""
    st.text(plain(body))


def label(name: str) -> str:
    """Return an untrusted short name without the characters that Streamlit reads as Markdown."""
    return _without_marks(name).capitalize()


def _without_marks(words: str) -> str:
    return re.sub(r"[^\w ,()-]", "", plain(words)).replace("_", " ") or "?"


def capital(name: str) -> str:
    """Return an untrusted word as lists show it: with a capital.

    >>> capital("overall")
    'Overall'
    """
    words = plain(name)
    return f"{words[:1].upper()}{words[1:]}"


def quiet(body: str, key: str) -> None:
    """Show untrusted text in a muted colour; its key must be unique on the page."""
    with st.container(key=f"quiet-{key}", width="content"):
        text(body)


def open_page(
    words: str,
    *,
    widths: Sequence[int],
    more: Sequence[int] = (),
    fold: Callable[[str], str] | None = None,
    unfolded: bool = False,
) -> tuple[str, list[DeltaGenerator]]:
    """Begin a page with its heading and the choice of a tournament.

    Args:
        widths: relative widths of the row below it: the choice, then columns for the page.
        more: relative widths of a second row, all for the page.
        fold: returns all choices in one line, from the tournament; the rows fold to it.
        unfolded: whether the rows are open at first; once they are, they stay so.

    Returns:
        The tournament, '' where the database holds none (the page then says how to play one);
        and the columns for the page.
    """
    heading = st.container(horizontal=True, vertical_alignment="center", gap="small")
    rows = {row.tournament: row for row in cached.tournaments()}
    preferred = preferred_tournament()
    names = sorted(rows, key=lambda name: name != preferred)  # the preferred one first
    frame: DeltaGenerator = st.container()
    if fold and names:
        opened = st.session_state.get(f"unfolded-{words}", False) or unfolded
        st.session_state[f"unfolded-{words}"] = opened
        line = literal(f"Filter: {fold(resolve('tournament', names))}")
        frame = frame.expander(line, key="fold", expanded=opened)
    with frame:
        with st.container(key="choices"):
            first, *places = st.columns(widths)
        if more:
            with st.container(key="choices-more"):
                places += st.columns(more)
    name = ""
    if names:
        several = len(names) > 1
        name = choose(first, "Tournament", names, "tournament", explicit=several)
    with heading:
        st.title(words, anchor=False, width="content")
        show_marks(marks_of(rows[name]) if name else ())
    show_notices()
    if not name:
        show_empty_state(
            "No tournament yet.",
            "Play one with simulated models, which needs no key; this page updates itself:",
            f"arena run {database_option()}",
        )
        _await_tournament()
    return name, places


def show_moment(at: datetime, words: str) -> None:
    """Say of when a page is, and what has been done by then."""
    quiet(f"State of {at:%Y-%m-%d %H:%M:%S} UTC, {words}.", "state")


def show_basis(state: BoardState) -> None:
    """Say which state a page shows."""
    quiet(format_basis(state), "basis")


def format_basis(state: BoardState) -> str:
    """Format how many debates a state counts, of when it is, and what it selects."""
    at = state.at.astimezone(UTC)
    rated = f"{state.board.size} rated at {at:%H:%M:%S} UTC on "
    return f"{' · '.join([f'{rated}{at:%Y-%m-%d}', *varieties(state)])}."


def show_text_table(
    table: Table,
    *,
    key: str,
    alt: str = "",
    names: Collection[str] = (),
    files: Files | None = None,
) -> None:
    """Show a table of the terminal; its headings begin with a capital.

    Args:
        names: headings that users have chosen, and that stay as they are.
    """
    columns = {
        str(place): TextColumn(
            head if head in names else capital(head),
            alignment="left" if table.aligned_left(place) else "right",
        )
        for place, head in enumerate(table.head)
    }
    frame = pd.DataFrame(list(table.rows), columns=list(columns))
    show_table(frame, columns, key=key, alt=alt, files=files)


def show_lines(lines: Iterable[str], key: str) -> None:
    """Show untrusted lines in a muted colour, close to each other; commands have no backticks."""
    with st.container(key=f"notes-{key}", gap=None):
        for place, line in enumerate(lines):
            quiet(line.replace("`", ""), f"{key}-{place}")


def show_link(path: str, words: str, icon: str = "", **choices: str) -> None:
    """Show a link to another page, where it is served, with choices made on it.

    Args:
        words: of the link; untrusted names in them lose what Streamlit reads as Markdown.
        icon: a name of Material's, such as `gavel`; '' for none.
    """
    if page := find_page(path):
        st.page_link(
            page,
            label=_without_marks(words),
            icon=f":material/{icon}:" if icon else None,
            query_params=address(**choices) or None,
        )


def show_no_debates() -> None:
    """Say how to schedule the debates of a tournament."""
    show_empty_state(
        "No debates yet.",
        "This tournament has no scheduled debates. Run its configuration to plan and play it:",
        f"arena run FILE {database_option()}",
    )


def show_marks(prefixes: Iterable[str]) -> None:
    """Show a mark for each kind of model that takes part and tells nothing of real strength."""
    for prefix in prefixes:
        words = caveat_of([prefix])
        st.badge(words, icon=":material/science:", color="orange", help=_REMARKS[prefix])


def show_empty_state(
    what: str, remedy: str, command: str = "", *, filters: Sequence[str] = ()
) -> None:
    """Show what is missing, and what to do about it.

    Args:
        filters: the names in the address of choices that a button takes back; empty for none.
    """
    with st.container(border=True, key="empty"):
        st.header(what, anchor=False)
        st.text(remedy.replace("`", ""))  # nothing here is read as Markdown
        if command:
            st.code(command, language=None, wrap_lines=True)
        words = "Clear the filter" if len(filters) == 1 else "Clear the filters"
        if filters and st.button(words, key="clear-filters"):
            clear_choices(*filters)
            st.rerun()


def explain_gone(tournament: str) -> bool:
    """Say that a tournament was deleted, if it was; returns whether it was."""
    if any(row.tournament == tournament for row in cached.tournaments()):
        return False
    show_empty_state(
        "This tournament is not in the database any more.",
        "It was deleted, or the database was replaced, while you looked at it. Load this page "
        "again to choose another.",
    )
    return True


def read_or_explain(
    read: Callable[Concatenate[str, _Arguments], _Result],
    tournament: str,
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result | None:
    """Read what a page shows of a tournament; where it cannot be read, say why and what to do."""
    try:
        return read(tournament, *args, **kwargs)
    except ConfigError as error:
        if not explain_gone(tournament):
            show_empty_state("This tournament cannot be shown here.", plain(str(error)))
        return None


def marks_of(row: TournamentRow) -> tuple[str, ...]:
    """Return the prefixes of models that a tournament has a mark for."""
    marks = {OFFLINE: row.simulated, LOCAL: row.very_small}
    return tuple(prefix for prefix, marked in marks.items() if marked)


@st.fragment(run_every=PLAYING_SECONDS)
def _await_database() -> None:
    """Draw the page anew as soon as the database can be read."""
    try:
        cached.tournaments()
    except ArenaError:
        return
    if st.session_state.pop("waits-for-database", False):
        st.rerun()
    st.session_state["waits-for-database"] = True


@st.fragment(run_every=PLAYING_SECONDS)
@guarded
def _await_tournament() -> None:
    """Draw the page anew as soon as a tournament is stored."""
    if cached.tournaments():
        st.rerun()
