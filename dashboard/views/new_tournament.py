"""The page that writes the file of a new tournament, checks it, and begins to play it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
import tomlkit
from streamlit.navigation.page import StreamlitPage

from arena.config.load import shipped_configs
from arena.config.stored import resolve_to_play
from arena.console.caps_text import format_caps
from arena.console.schedule_text import format_schedule
from arena.llm.budget import Budget
from arena.store.database import Store
from arena.text import counted
from arena.tournament.forecast import Estimate, estimate
from arena.tournament.model_check import format_price
from arena.tournament.models import Models
from arena.tournament.plan import Plan, make_plan
from dashboard.admin import require_admin
from dashboard.background import check_file_name, write_new
from dashboard.elements import quiet
from dashboard.forms import attempt, lead_to_run, show_estimate, start_and_show
from dashboard.settings import database, database_option, folder

_CHECKED = "checked"
_TEXT_PIXELS = 420


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that could be written: its place and text, and what playing it takes."""

    path: Path
    text: str
    plan: Plan
    cost: Estimate
    prices: tuple[str, ...]
    ballots: int


def page(links: Mapping[str, StreamlitPage]) -> None:
    """Show the form, then what it would do, then do it.

    Args:
        links: the other pages.
    """
    require_admin()
    lead_to_run(links["tournament"])
    st.title("New tournament", anchor=False)
    quiet(
        f"The file is written into {folder()}, where `arena serve` was started. Keys do not belong "
        "in it: name the environment variables that hold them.",
        "folder",
    )
    left, middle, right = st.columns(3)
    examples = sorted(shipped_configs())
    with left:
        example = st.selectbox(
            "Begin with the example", examples, index=examples.index("starter"), key="example"
        )
    with middle:
        name = st.text_input("Name of the tournament", value="my-tournament", key="name")
    with right:
        cap = st.number_input("Spending cap in USD", min_value=0.01, value=10.0, key="cap")
    with st.form("file"):
        file = st.text_input("Name of the file", value="weekend.toml", key="file")
        text = st.text_area(
            "Its text, to change as you like",
            value=_begin(example, name, cap),
            height=_TEXT_PIXELS,
            key=f"text-{example}-{name}-{cap}",
        )
        is_checked = st.form_submit_button("Check and plan", type="primary")
    if is_checked and not attempt(lambda: _check(file, text)):
        st.session_state.pop(_CHECKED, None)
    if _CHECKED in st.session_state:
        _show_checked(st.session_state[_CHECKED], links["tournament"])


def _begin(example: str, name: str, cap: float) -> str:
    """Return the text of an example with the name and the cap of the form."""
    document = tomlkit.parse(shipped_configs()[example])
    document["tournament"]["name"] = name
    limits = document.setdefault("limits", tomlkit.table())
    limits["usd"] = cap
    return tomlkit.dumps(document)


def _check(name: str, text: str) -> None:
    """Check the text of a new file, and remember what playing it takes."""
    path = check_file_name(name.strip(), folder())
    store = Store(Path(database()))
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


def _show_checked(checked: Checked, tournament_page: StreamlitPage) -> None:
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
    for place, line in enumerate(format_caps(resolved.config, usd=resolved.config.limits.usd)):
        quiet(f"{line[:1].upper()}{line[1:]}.", f"cap-{place}")
    with st.container(horizontal=True):
        is_started = st.button("Write and play now", type="primary", key="write-and-play")
        is_written = st.button("Only write the file", key="write-only")
    if is_started or is_written:
        attempt(lambda: _carry_out(checked, tournament_page, start=is_started))


def _carry_out(checked: Checked, tournament_page: StreamlitPage, *, start: bool) -> None:
    st.session_state.pop(_CHECKED, None)  # a second press finds nothing to do
    write_new(checked.path, checked.text)
    if start:
        start_and_show(checked.path, checked.plan.resolved.name, tournament_page)
    else:
        st.success("The file is written.")
        st.code(f"arena run {checked.path.name} {database_option()}", language=None)
