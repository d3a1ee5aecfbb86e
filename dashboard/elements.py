"""Elements of several pages: untrusted text, the choice of a tournament, empty states, errors."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from arena.boards.states import BoardState
from arena.errors import ArenaError
from arena.records import LOCAL, OFFLINE, caveat_of
from arena.text import plain
from dashboard import cached
from dashboard.addresses import address, choose, clear_choices, show_notices
from dashboard.letters import fit_box
from dashboard.settings import PLAYING_SECONDS, database, database_option, preferred_tournament
from dashboard.variants import varieties

_Arguments = ParamSpec("_Arguments")
_LOG = logging.getLogger(__name__)
_STYLE = Path(__file__).with_name("style.css")
#: Remarks on the marks of results, by the prefix of a model's name.
_REMARKS = {
    OFFLINE: "Results of the built-in simulator; they do not describe any real model.",
    LOCAL: "The model has 135 million parameters; a usual one has a thousand times as many.",
}
_NO_LABEL = re.compile(r"[^\w ,()-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """The tournament that is shown.

    Attributes:
        marks: the prefixes of the names of models on which every page has a mark.
    """

    name: str
    marks: tuple[str, ...]


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


def style() -> None:
    """Apply the style sheet of the dashboard."""
    st.html(_STYLE)


def text(body: str) -> None:
    """Show untrusted text, wrapped; nothing in it is read as Markdown, HTML or a control code."""
    st.text(plain(body))


def label(name: str) -> str:
    """Return an untrusted short name without the characters that Streamlit reads as Markdown."""
    return _NO_LABEL.sub("", plain(name)).replace("_", " ").capitalize() or "?"


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
    words: str, *, widths: Sequence[int]
) -> tuple[Tournament | None, list[DeltaGenerator]]:
    """Begin a page with its heading and the choice of a tournament.

    Args:
        widths: relative widths of the row below it: the choice, then columns for the page.

    Returns:
        The tournament, `None` where the database holds none (the page then says how to play
        one); and the columns for the page.
    """
    heading = st.container()
    with st.container(key="choices"):
        first, *places = st.columns(widths)
    tournament = _choose_tournament(first)
    with heading:
        _title(words, marks=tournament.marks if tournament else ())
    show_notices()
    if tournament is None:
        _no_tournament()
    return tournament, places


def show_basis(state: BoardState) -> None:
    """Say which state a page shows."""
    quiet(format_basis(state), "basis")


def format_basis(state: BoardState) -> str:
    """Format how many debates a state counts, of when it is, and what it selects."""
    at = state.at.astimezone(UTC)
    rated = f"{state.board.size} rated at {at:%H:%M:%S} UTC on "
    return f"{' · '.join([f'{rated}{at:%Y-%m-%d}', *varieties(state)])}."


def show_lines(lines: Iterable[str], key: str) -> None:
    """Show untrusted lines in a muted colour, close to each other; commands have no backticks."""
    with st.container(key=f"notes-{key}", gap=None):
        for place, line in enumerate(lines):
            quiet(line.replace("`", ""), f"{key}-{place}")


def show_link(page: StreamlitPage | None, words: str, icon: str, **choices: str) -> None:
    """Show a link to another page with choices made on it; its words are shown without marks.

    Args:
        page: `None` where it is not served: nothing is shown.
        words: of the link; untrusted names in them lose what Streamlit reads as Markdown.
        icon: a name of Material's, such as `gavel`.
        choices: as `address` takes them.
    """
    if page is not None:
        named = address(**choices)
        shown = _NO_LABEL.sub("", plain(words)).replace("_", " ") or "?"
        st.page_link(page, label=shown, icon=f":material/{icon}:", query_params=named or None)


def show_no_debates() -> None:
    """Say how to schedule the debates of a tournament."""
    show_empty_state(
        "No debates yet.",
        "This tournament has no scheduled debates. Run its configuration to plan and play it:",
        f"arena run FILE --yes {database_option()}",
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
        command: to copy; '' for none.
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


def _choose_tournament(place: DeltaGenerator) -> Tournament | None:
    """Ask which tournament to show; `None` where the database holds none."""
    frame = cached.tournaments(database())
    names = [str(name) for name in frame["tournament"]]
    if not names:
        return None
    preferred = preferred_tournament()
    options = sorted(names, key=lambda name: name != preferred)  # the preferred one first
    name = choose(
        place,
        "Tournament",
        options,
        "tournament",
        explicit=len(options) > 1,
        format_func=fit_box(options),
    )
    row = frame.to_dict("records")[names.index(name)]
    return Tournament(name=name, marks=marks_of(row))


def marks_of(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the prefixes that a row of a tournament or debate has a mark for."""
    columns = {OFFLINE: "simulated", LOCAL: "very_small"}
    return tuple(prefix for prefix, column in columns.items() if row[column])


def _title(words: str, *, marks: Iterable[str] = ()) -> None:
    """Show the heading of a page, with the marks of the models that take part."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(words, anchor=False, width="content")
        show_marks(marks)


def _no_tournament() -> None:
    """Say how to play a tournament, and draw the page anew as soon as one is stored."""
    show_empty_state(
        "No tournament yet.",
        "Play one with simulated models, which needs no key; this page updates itself:",
        f"arena run --yes {database_option()}",
    )
    _await_tournament()


@st.fragment(run_every=PLAYING_SECONDS)
def _await_database() -> None:
    """Draw the page anew as soon as the database can be read."""
    try:
        cached.tournaments(database())
    except ArenaError:
        return
    if st.session_state.pop("waits-for-database", False):
        st.rerun()
    st.session_state["waits-for-database"] = True


@st.fragment(run_every=PLAYING_SECONDS)
@guarded
def _await_tournament() -> None:
    """Draw the page anew as soon as a tournament is stored."""
    if len(cached.tournaments(database())):
        st.rerun()
