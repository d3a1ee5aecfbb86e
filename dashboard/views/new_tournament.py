"""The page that writes the file of a new tournament, checks it, and begins to play it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
import tomlkit
from tomlkit.exceptions import TOMLKitError

from arena.config.load import shipped_configs
from arena.config.resolve import resolve_to_play
from arena.errors import ConfigError
from arena.llm.budget import Budget
from arena.output.settings_text import format_schedule
from arena.store.database import Store
from arena.text import counted, format_cap
from arena.tournament.forecast import CostEstimate, estimate
from arena.tournament.model_check import format_price
from arena.tournament.models import Models
from arena.tournament.plan import TournamentPlan, make_plan
from dashboard.background import check_file_name, write_new
from dashboard.elements import quiet
from dashboard.forms import attempt, offer_writing, open_form, show_caps, show_estimate
from dashboard.settings import database, folder
from motions.text_files import parse_toml

_CHECKED = "checked"
#: The example that the text was begun with, and the text as it was then.
_BEGUN = "begun-text"
#: The fields that may not have reached the browser's text yet: `PendingFields`.
_PENDING = "pending-fields"
#: The keys of the fields.
_KEY = {name: f"new-{name}" for name in ("example", "name", "cap", "file", "text")}
_TEXT_PIXELS = 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that could be written: its place and text, and what playing it takes."""

    path: Path
    text: str
    plan: TournamentPlan
    cost: CostEstimate
    prices: tuple[str, ...]
    ballots: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFields:
    """Fields that have been put into the text, while the browser may still show it without them.

    With the next change it would send that text back, and they would be lost.

    Attributes:
        before: the text without them.
        is_untouched: whether nobody had typed into that text.
        fields: their values, by table and key.
    """

    before: str
    is_untouched: bool
    fields: Mapping[tuple[str, str], str | float]


def page() -> None:
    """Show the form, then what it would do, then do it."""
    open_form("New tournament", checked=_CHECKED)
    quiet(
        f"The file is written into {folder()}, where arena serve was started. Keys do not belong "
        "in it: name the environment variables that hold them.",
        "folder",
    )
    file, text = _ask()
    is_checked = st.button("Check and plan", type="primary", key="check")
    if is_checked and not attempt(lambda: _check(file, text)):
        st.session_state.pop(_CHECKED, None)
    if _CHECKED in st.session_state:
        _show_checked(st.session_state[_CHECKED])


def _ask() -> tuple[str, str]:
    """Show the form; returns the name of the file, and its text."""
    examples = sorted(shipped_configs())
    _recall("example", examples[examples.index("starter")])
    _recall("name", "my-tournament")
    _recall("cap", 10.0)
    _recall("file", "weekend.toml")
    if _BEGUN not in st.session_state:
        _begin()
    _recall("text", st.session_state[_BEGUN][1])
    left, middle, right = st.columns(3)
    with left:
        example = st.selectbox(
            "Begin with the example", examples, key=_KEY["example"], on_change=_change_example
        )
    with middle:
        name = st.text_input(
            "Name of the tournament",
            key=_KEY["name"],
            on_change=lambda: _change("tournament", "name", st.session_state[_KEY["name"]]),
        )
    with right:
        cap = st.number_input(
            "Spending cap in USD",
            min_value=0.01,
            key=_KEY["cap"],
            on_change=lambda: _change("limits", "usd", st.session_state[_KEY["cap"]]),
        )
    file = st.text_input("Name of the file", key=_KEY["file"])
    text = st.text_area("Its text, to change as you like", height=_TEXT_PIXELS, key=_KEY["text"])
    for key, value in zip(_KEY, (example, name, cap, file, text), strict=True):
        st.session_state[f"kept-{_KEY[key]}"] = value
    _show_differences(text, example, name, cap)
    return file, text


def _recall(key: str, default: str | float) -> None:
    """Give a field what it had when the viewer left this page, or what it has at first."""
    if _KEY[key] not in st.session_state:
        st.session_state[_KEY[key]] = st.session_state.get(f"kept-{_KEY[key]}", default)


def _begin() -> None:
    """Begin the text with the example, the name and the cap of the fields."""
    example, name, cap = (st.session_state[_KEY[key]] for key in ("example", "name", "cap"))
    text = put_value(shipped_configs()[example], "tournament", "name", name)
    text = put_value(text, "limits", "usd", cap)
    st.session_state[_BEGUN] = (example, text)
    st.session_state[_KEY["text"]] = text


def _change_example() -> None:
    """Begin the text with another example, unless the viewer has changed it."""
    if st.session_state[_KEY["text"]] == st.session_state[_BEGUN][1]:
        _begin()


def _change(table: str, key: str, value: str | float) -> None:
    """Put a field that has changed into the text, all else of which stays as it was typed."""
    example, begun = st.session_state[_BEGUN]
    text = st.session_state[_KEY["text"]]
    pending = st.session_state.get(_PENDING)
    if pending is None or pending.before != text:
        pending = PendingFields(before=text, is_untouched=text == begun, fields={})
    pending = replace(pending, fields={**pending.fields, (table, key): value})
    changed = text
    try:
        for (into, name), content in pending.fields.items():
            changed = put_value(changed, into, name, content)
    except ConfigError:
        return  # the page says that the text and the field differ
    st.session_state[_PENDING] = pending
    st.session_state[_KEY["text"]] = changed
    st.session_state[_BEGUN] = (example, changed if pending.is_untouched else begun)


def put_value(text: str, table: str, key: str, value: str | float) -> str:
    """Return a TOML text with another value in one of its tables; all else stays.

    Raises:
        ConfigError: it is no TOML, or has something else in the place of the table.
    """
    try:
        document = tomlkit.parse(text)
        section = document.setdefault(table, tomlkit.table())
        if isinstance(section, MutableMapping):
            section[key] = value
            return tomlkit.dumps(document)
    except (TOMLKitError, ValueError) as error:
        raise ConfigError(f"the text is no valid TOML: {error}.") from None
    raise ConfigError(f"{table}: expected a table.")


def _show_differences(text: str, example: str, name: str, cap: float) -> None:
    """Say where the text, which the viewer may change, says something else than the fields."""
    for place, line in enumerate(format_differences(text, name, cap)):
        quiet(line, f"difference-{place}")
    if example != st.session_state[_BEGUN][0]:
        quiet("You have changed the text, so another example has not replaced it.", "kept")
        st.button(f"Replace it with the example {example}", key="replace", on_click=_begin)


def format_differences(text: str, name: str, cap: float) -> Iterator[str]:
    """Yield where the text of a tournament's file says something else than the fields above it."""
    try:
        content = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        yield f"The text is no valid TOML ({error}), so fields that change are not put into it."
        return
    own = _read(content, "tournament", "name")
    if own != name:
        yield f"The text names the tournament {own!r}, the field {name!r}. The text counts."
    usd = _read(content, "limits", "usd")
    if usd is None:
        said = format_cap(cap)
        yield f"The text has no spending cap; the field says {said} USD. The text counts."
    elif usd != cap:
        said = format_cap(cap)
        yield f"The text has a spending cap of {usd} USD, the field {said}. The text counts."


def _read(content: Mapping[str, Any], table: str, key: str) -> object:
    section = content.get(table)
    return section.get(key) if isinstance(section, dict) else None


def _check(name: str, text: str) -> None:
    """Check the text of a new file, and remember what playing it takes."""
    path = check_file_name(name.strip(), folder())
    store = Store(database())
    resolved = resolve_to_play(text, store, where=str(path))
    models = Models(resolved.config, resolved.motions, budget=Budget())
    models.check(where=path.name)
    plan = make_plan(resolved, store)
    playing = [work.debate for work in plan.open if work.play]
    ballots = [request.bench.name for work in plan.open for request in work.ballots]
    cost = estimate(resolved, playing, ballots=ballots, price=models.price)
    prices = tuple(format_price(models, model) for model in resolved.models)
    st.session_state[_CHECKED] = Checked(
        path=path, text=text, plan=plan, cost=cost, prices=prices, ballots=len(ballots)
    )


def _show_checked(checked: Checked) -> None:
    """Show what a file would begin, and do it when asked to."""
    plan, resolved = checked.plan, checked.plan.resolved
    st.header("What this does", anchor=False)
    quiet(
        f"{resolved.name}: {counted(len(resolved.participants), 'participant')}, "
        f"{counted(len(resolved.benches), 'bench', 'benches')}, "
        f"{counted(len(resolved.motions), 'motion')}.",
        "parts",
    )
    quiet(f"Schedule: {format_schedule(plan)}.", "schedule")
    debates = sum(work.play for work in plan.open)
    quiet(f"To do: {counted(debates, 'debate')}, {counted(checked.ballots, 'ballot')}.", "to-do")
    for place, price in enumerate(checked.prices):
        quiet(f"{price}.", f"price-{place}")
    show_estimate(checked.cost)
    show_caps(resolved.config)
    offer_writing(
        checked.path,
        resolved.name,
        lambda: write_new(checked.path, checked.text),
        checked=_CHECKED,
    )
