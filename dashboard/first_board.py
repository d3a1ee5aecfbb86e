"""The first rows of the leaderboard, written into the HTML page that a browser loads.

Streamlit's page is empty until its scripts are loaded, are connected with the server and have been
sent a table. These rows can be read as soon as the HTML is there: the same board, laid out alike,
until the page's own table is drawn in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args

import jinja2
from markupsafe import Markup

from arena.boards.method import IntervalKind
from arena.boards.selection import Selection
from arena.boards.states import BoardState
from arena.output.board_html import STYLE
from arena.records import caveat_of
from arena.text import plain
from dashboard import cached
from dashboard.boards import attention_html, summary_text
from dashboard.elements import format_basis, label, marks_of
from dashboard.navigation import RESULTS
from dashboard.settings import preferred_tournament
from dashboard.views.leaderboard import draw_board

_Option = TypeVar("_Option", bound=str)
_FONT = re.compile(r'href="([^"]+\.woff2)"')
_NARROWED = ("bench", "dimension", "category")
#: The choices on the page that the first rows follow. With another one there are none.
_CHOICES = frozenset({"tournament", *_NARROWED, "intervals"})
#: More rows fit into no window.
_MOST_ROWS = 40


def with_first_board(page: str, choices: Mapping[str, str]) -> str:
    """Return a page with the first rows of its board; as it is where they cannot be read now.

    Args:
        choices: of the viewer, by their names in the page's address.
    """
    if not _CHOICES.issuperset(choices):
        return page
    with suppress(Exception):  # the page's own script fails likewise, and says so
        found = read_first_board(choices)
        if found is not None:
            font = "".join(_FONT.findall(page)[:1])
            return page.replace("<body>", f"<body>{_draw(*found, font)}", 1)
    return page


def read_first_board(choices: Mapping[str, str]) -> tuple[BoardState, list[str]] | None:
    """Return the board that a viewer sees first, with the caveats of its tournament.

    Everything that is read is kept for the page.

    Returns:
        `None` where there is no tournament, or nothing is rated in it.
    """
    tournaments = {row.tournament: row for row in cached.tournaments()}
    names = [choices.get("tournament"), preferred_tournament(), *tournaments]
    name = next((name for name in names if name in tournaments), None)
    if name is None:
        return None
    selection = _select(str(name), choices)
    state = cached.current_state(selection) if selection else None
    if state is None or not state.board.comparisons:
        return None
    caveats = [caveat_of([prefix]) for prefix in marks_of(tournaments[name])]
    kinds = get_args(IntervalKind) if state.percentiles else ()
    kind: IntervalKind | None = _find(kinds, choices.get("intervals", ""))
    return state.with_intervals(kind) if kind else state, caveats


def _select(tournament: str, choices: Mapping[str, str]) -> Selection | None:
    stored = cached.stored_selections(tournament)
    if stored.empty:
        return None
    chosen: dict[str, Any] = {}
    for name in _NARROWED:
        options = [str(option) for option in stored[name].unique()]
        chosen[name] = _find(options, choices.get(name, "")) or options[0]
        stored = stored[stored[name] == chosen[name]]
    return Selection(tournament=tournament, **chosen)


def _find(options: Sequence[_Option], choice: str) -> _Option | None:
    """Return the option that a part of an address means: it has its name or its label."""
    return next((option for option in options if choice in (option, label(option))), None)


def _draw(state: BoardState, caveats: list[str], font: str) -> str:
    return _template().render(
        titles=[entry.title for entry in RESULTS if entry.listed],
        caveats=caveats,
        basis=format_basis(state),
        attention=Markup(attention_html(state)),
        style=Markup(STYLE.read_text(encoding="utf-8")),
        board=Markup(draw_board(state, {}, _MOST_ROWS)),
        summary=summary_text(state.board, cached.schedule_result(state)),
        font=font,
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: plain(value) if type(value) is str else value,
    )
    return environment.get_template("first_board.html")
