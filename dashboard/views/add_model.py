"""The page that adds a model to a tournament's file, and has the debates played that rate it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from arena.config.edit import set_schedule
from arena.console.caps_text import format_caps
from arena.console.newcomer import (
    Proposal,
    call_newcomer,
    propose,
    write_proposal,
)
from arena.errors import ConfigError
from arena.store.database import Store
from arena.text import counted
from dashboard.admin import require_admin
from dashboard.background import tournament_files
from dashboard.elements import quiet, show_empty_state
from dashboard.forms import attempt, known_starts, lead_to_run, show_estimate, start_and_show
from dashboard.model_form import Entry, ask_for_model
from dashboard.settings import database, database_option, folder

_PROPOSAL = "proposal"
#: Half the width of ratings' intervals, by the debates they rest on.
_WIDTHS = """
    SELECT (upper - lower) / 2 AS half, comparisons AS debates FROM ratings
    WHERE tournament = $tournament AND bench = $bench AND dimension = 'overall'
      AND category = 'all' AND comparisons > 0
"""


def page(links: Mapping[str, StreamlitPage]) -> None:
    """Show the form, then what it would do, then do it.

    Args:
        links: the other pages.
    """
    require_admin()
    lead_to_run(links["tournament"])
    st.title("Add a model", anchor=False)
    files = tournament_files(folder())
    if not files:
        show_empty_state(
            "There is no tournament's file here.",
            f"A model is added to a file of {folder()}, where `arena serve` was started. Write one "
            "on the page New tournament, or with:",
            "arena init weekend.toml",
        )
        st.page_link(links["new-tournament"], label="New tournament")
        return
    entry, is_called = ask_for_model(files)
    if entry is not None and not attempt(lambda: _check(entry, is_called=is_called)):
        st.session_state.pop(_PROPOSAL, None)
    if _PROPOSAL in st.session_state:
        proposal, answer = st.session_state[_PROPOSAL]
        _show_proposal(proposal, answer, links["tournament"])


def _check(entry: Entry, *, is_called: bool) -> None:
    """Check what the form says, call the model, and remember what would be written."""
    keys = entry.model_keys()
    _check_variable(entry.variable.strip())
    proposal = propose(
        folder() / entry.file, entry.participant(), Store(Path(database())), model=keys
    )
    answer = call_newcomer(proposal) if is_called else ""
    if proposal.needs_schedule:
        proposal = replace(proposal, after=_with_gauntlet(proposal))
    st.session_state[_PROPOSAL] = (proposal, answer)


def _check_variable(variable: str) -> None:
    if variable and not os.environ.get(variable):
        raise ConfigError(
            f"the environment variable {variable} is not set for this dashboard. Set it in the "
            "shell, then start arena serve --admin again."
        )


def _with_gauntlet(proposal: Proposal) -> str:
    """Return the file's text with a schedule that plays the newcomer's debates."""
    schedule = proposal.plan.resolved.config.schedule
    keys = {
        "kind": "gauntlet",
        "newcomers": list(schedule.newcomers or ()),
        "matchups_per_pair": schedule.matchups_per_pair,
    }
    return set_schedule(proposal.after, keys, where=str(proposal.file))


def _show_proposal(proposal: Proposal, answer: str, tournament_page: StreamlitPage) -> None:
    """Show what was found and what would be written, and do it when asked to."""
    newcomer = proposal.newcomer
    st.header("What this does", anchor=False)
    quiet(f"{proposal.price}.", "price")
    quiet(f"It answered: {answer}." if answer else "It was not called.", "answer")
    quiet(f"Debates that rate {newcomer.name}: {proposal.work}.", "work")
    if proposal.is_chosen_later:
        quiet(
            f"These debates alone would rate it. The schedule of {proposal.file.name} chooses "
            "debates as results come, among all participants.",
            "chosen",
        )
    quiet(_format_width(proposal), "width")
    show_estimate(proposal.cost)
    config = proposal.resolved.config
    for place, line in enumerate(format_caps(config, usd=config.limits.usd)):
        quiet(f"{line[:1].upper()}{line[1:]}.", f"cap-{place}")
    st.caption(f"The new lines of {proposal.file.name}")
    st.code(proposal.difference, language="diff", wrap_lines=True)
    with st.container(horizontal=True):
        is_started = st.button("Write and play now", type="primary", key="write-and-play")
        is_written = st.button("Only write the file", key="write-only")
    if is_started or is_written:
        attempt(lambda: _carry_out(proposal, tournament_page, start=is_started))


def _carry_out(proposal: Proposal, tournament_page: StreamlitPage, *, start: bool) -> None:
    starts = known_starts()
    st.session_state.pop(_PROPOSAL, None)  # a second press finds nothing to do
    write_proposal(proposal)
    if start:
        start_and_show(proposal.file, proposal.resolved.name, tournament_page, starts)
    else:
        st.success("The file is written.")
        st.code(f"arena run {proposal.file.name} {database_option()}", language=None)


def _format_width(proposal: Proposal) -> str:
    """Say how sure the newcomer's rating will be, by the widths of the others' intervals."""
    debates = proposal.debates
    if not debates:
        return "Everything that rates it has been played."
    store = Store(Path(database()))
    bench = proposal.resolved.benches[0].name
    frame = (
        store.read(_WIDTHS, {"tournament": proposal.resolved.name, "bench": bench})
        if not store.empty()
        else None
    )
    if frame is None or frame.empty:
        return f"Its rating will rest on {counted(debates, 'debate')}."
    scaled = np.median(frame["half"] * np.sqrt(frame["debates"]))
    return (
        f"Its rating will rest on {counted(debates, 'debate')}, with a 95 % interval of about "
        f"± {scaled / np.sqrt(debates):.0f} Elo, judging by the others' intervals."
    )
