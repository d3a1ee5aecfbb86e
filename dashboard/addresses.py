"""Addresses of pages: what is chosen on a page stands in its address, and opens it like that again.

Streamlit can bind a list to the address by itself, but then no other page can be opened with a
choice made on it: bound names are taken off the address. So choices are written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from dashboard.letters import fit_box
from dashboard.tables import literal

_TOURNAMENT: Final = "tournament"
_REMEMBERED: Final = "remembered-tournament"
_WRITTEN: Final = "written-address"
_NOTICES: Final = "notices-of-choices"
_PAGES: Final = "served-pages"


def address(**choices: str) -> dict[str, str]:
    """Return the part of a page's address that makes choices on it.

    >>> address(debate="3f9a", motion_id="fact-1")
    {'debate': '3f9a', 'motion-id': 'fact-1'}

    Args:
        choices: by the key of their list; `_` in a key stands for `-`.
    """
    return {key.replace("_", "-"): value for key, value in choices.items()}


def begin_address(pages: Mapping[str, StreamlitPage] | None = None) -> None:
    """Begin a run that draws a whole page: what its lists write is the address from now on."""
    st.session_state[_PAGES] = pages or {}
    st.session_state[_WRITTEN] = {}
    st.session_state[_NOTICES] = {}
    # The browser is sent the address as it is: Streamlit leaves the browser's where a link leads
    # from a page to itself, and after Back or Forward may take what the page before wrote late.
    st.query_params.update()


def show_notices() -> None:
    """Say what the address asks for in vain, and what is shown instead.

    Called where there is room below the lists that were drawn so far.
    """
    for sentence in st.session_state.pop(_NOTICES, {}).values():
        st.warning(literal(sentence))


def find_page(path: str) -> StreamlitPage | None:
    """Return a page that is served together with the one that is drawn; `None` where it is not."""
    page: StreamlitPage | None = st.session_state.get(_PAGES, {}).get(path)
    return page


def go_to(path: str, **choices: str) -> None:
    """Open another page, where it is served, with choices made on it as `address` takes them."""
    if page := find_page(path):
        st.switch_page(page, query_params=address(**choices))


def current_choices(*keys: str) -> dict[str, str]:
    """Return those of some choices that stand in the address, to open another page with them."""
    known: dict[str, str | None] = st.session_state.get(_WRITTEN, {})
    values = {key: known.get(key, st.query_params.get(key)) for key in keys}
    return {key: value for key, value in values.items() if value}


def clear_choices(*keys: str) -> None:
    """Take choices off the address; the page must be drawn anew after that."""
    for key in keys:
        st.query_params.pop(key, None)


def choose(
    place: DeltaGenerator,
    words: str,
    options: Sequence[str],
    key: str,
    *,
    explicit: bool = False,
    noun: str = "",
    **more: Any,  # noqa: ANN401 - whatever the list takes
) -> str:
    """Ask for one of some options by a list; the choice stands in the address.

    Where the address names no option, `show_notices` says so.

    Args:
        options: untrusted texts; the first is chosen at first.
        explicit: whether the address names the first option, too, because another may be the
            first one later.
        noun: what an option is; the label by default.
    """
    name, is_new = _adopt(key, options)
    if not is_new:  # a list that is drawn late, in a later run, needs its choice as well
        more["index"] = options.index(st.session_state[name])
    more = {"format_func": fit_box(options), **more}
    picked = place.selectbox(words, options, key=name, **more)
    choice = _record(key, picked, options, explicit=explicit)
    _notice(key, noun or words.lower(), more["format_func"](choice), is_first=choice == options[0])
    return choice


def resolve(
    key: str, options: Sequence[str], format_func: Callable[[str], str] | None = None
) -> str:
    """Return the option that a list will show once it is drawn; arguments as `switch` takes them.

    What has to be written before the list is drawn, such as the line that it folds to, needs it.
    """
    choice: str = st.session_state[_adopt(key, options, format_func)[0]]
    return choice


def switch(
    place: DeltaGenerator,
    words: str,
    options: Sequence[str],
    key: str,
    format_func: Callable[[str], str],
) -> str:
    """Ask for one of a few options side by side; arguments as `choose`."""
    name, is_new = _adopt(key, options, format_func)
    default = None if is_new else st.session_state[name]  # likewise
    picked = place.segmented_control(
        words, options, default=default, required=True, format_func=format_func, key=name
    )
    choice = _record(key, picked, options)
    _notice(key, words.lower(), format_func(choice), is_first=choice == options[0])
    return choice


def _adopt(
    key: str, options: Sequence[str], format_func: Callable[[str], str] | None = None
) -> tuple[str, bool]:
    """Make the choice that the address has, where it is new.

    Returns the name of the list, and whether a choice was made.

    The address is new where it differs from what was recorded: the page was opened with it, or the
    viewer went back.
    """
    name, named = f"choice-{key}", st.query_params.get(key)
    is_first = name not in st.session_state
    if named is None and key == _TOURNAMENT:  # the links between pages do not name it
        named = st.session_state.get(_REMEMBERED)
    if key in st.session_state.get(_WRITTEN, {}):
        # A part of the page is drawn anew. The browser may show another page by now, and the
        # address that came with the request is that page's.
        named = st.session_state.get(_recorded(key))
    if is_first or named != st.session_state.get(_recorded(key)):
        known = {option: option for option in options}
        if format_func is not None:
            known = {format_func(option): option for option in options} | known
        st.session_state[name] = known.get(named or "", options[0])
        st.session_state[_unknown(key)] = named if named and named not in known else None
        return name, True
    if st.session_state[name] not in options:
        st.session_state[name] = options[0]
        return name, True
    return name, False


def _record(key: str, picked: str | None, options: Sequence[str], *, explicit: bool = False) -> str:
    """Write a choice into the address; the first option is left out unless that is asked for."""
    choice = options[0] if picked is None else picked
    written = None if choice == options[0] and not explicit else choice
    known: dict[str, str | None] = st.session_state.get(_WRITTEN, {})
    if key in known and known[key] == written:
        return choice  # a part that is drawn anew by itself, perhaps after the viewer has left
    # A part of a page is drawn with the address that the browser had when it asked for it. Choices
    # that were made shortly before are not in that yet, and would be lost.
    known[key] = written
    for name, value in known.items():
        if value is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value
    st.session_state[_recorded(key)] = written
    if key == _TOURNAMENT:
        st.session_state[_REMEMBERED] = choice
    return choice


def _notice(key: str, noun: str, shown: str, *, is_first: bool) -> None:
    """Note that the address asked for what does not exist, until the viewer chooses something."""
    named = st.session_state.get(_unknown(key))
    if named is None:
        return
    if not is_first:
        st.session_state[_unknown(key)] = None
        return
    sentence = f"There is no {noun} “{named}” to show here; “{shown}” is shown instead."
    st.session_state.setdefault(_NOTICES, {})[key] = sentence


def _unknown(key: str) -> str:
    return f"unknown-{key}"


def _recorded(key: str) -> str:
    return f"recorded-{key}"
