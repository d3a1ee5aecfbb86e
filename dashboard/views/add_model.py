"""The page that adds a model to a tournament's file, and has the debates played that rate it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
import tomlkit
from streamlit.navigation.page import StreamlitPage

from arena.config.edit import make_model_keys, set_schedule
from arena.console.newcomer import (
    NewcomerProposal,
    call_newcomer,
    default_name,
    propose,
    write_proposal,
)
from arena.console.settings_text import format_caps
from arena.errors import ConfigError
from arena.plugins import debater_class, names_for_contest
from arena.store.database import Store
from arena.text import counted
from dashboard.admin import require_admin
from dashboard.background import tournament_files
from dashboard.elements import quiet, show_empty_state
from dashboard.forms import attempt, known_starts, lead_to_run, show_estimate, start_and_show
from dashboard.settings import database, database_option, folder

_PROVIDERS = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "gemini": "Google Gemini",
    "deepseek": "DeepSeek",
    "mistral": "Mistral",
    "openrouter": "OpenRouter",
    "server": "a server with OpenAI's interface",
    "offline": "the built-in simulator",
    "other": "another provider that LiteLLM knows",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """What the form says: the file, the participant, and how its model is reached."""

    file: str
    provider: str
    model: str
    debater: str
    name: str
    address: str
    variable: str
    input_price: float | None
    output_price: float | None
    options: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None

    def full_model(self) -> str:
        """Return the model's name with its provider.

        Raises:
            ConfigError: there is no name.
        """
        name = self.model.strip()
        if not name:
            raise ConfigError("the model has no name. Write it as its provider does.")
        if self.provider == "other" or name.startswith(f"{self.provider}/"):
            return name
        return f"{'openai' if self.provider == 'server' else self.provider}/{name}"

    def participant(self) -> dict[str, Any]:
        """Return the keys of the participant; tables that would be empty are left out.

        Raises:
            ConfigError: there is no model, or the options are no TOML.
        """
        model = self.full_model()
        name = self.name.strip() or default_name(self.debater, model)
        tables = {"options": self._read_options(), "sampling": self._sampling()}
        return {
            **{"name": name, "debater": self.debater, "model": model},
            **{key: table for key, table in tables.items() if table},
        }

    def _read_options(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.options)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(
                f"the debater's options are no valid TOML ({error}). Write one in each line, for "
                "example: max_revisions = 2"
            ) from None

    def _sampling(self) -> dict[str, float | int]:
        given = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
        }
        return {name: value for name, value in given.items() if value is not None}

    def model_keys(self) -> dict[str, Any]:
        """Return the keys of the model's table; none where the provider needs none.

        Raises:
            ConfigError: the variable is no name of one, or only one of the prices is there.
        """
        return make_model_keys(
            address=self.address,
            variable=self.variable,
            input_price=self.input_price,
            output_price=self.output_price,
        )


def ask_for_model(files: list[str]) -> tuple[ModelEntry | None, bool]:
    """Show the form; return what it says once it is sent, and whether to call the model.

    Args:
        files: the tournaments' files to choose from.
    """
    debaters = names_for_contest("debaters", "debate")
    debater = st.selectbox(
        "Debater (framework)", debaters, key="debater", index=_place(debaters, "direct")
    )
    with st.form("model"):
        left, right = st.columns(2)
        with left:
            fields = _ask_model(files) | _ask_sampling(debater)
        with right:
            fields |= _ask_access()
            fields["name"] = st.text_input(
                "Name on the board", key="name", placeholder="made from debater and model"
            )
        is_called = st.checkbox("Call the model once (this costs a little)", value=True, key="call")
        if not st.form_submit_button("Check and plan", type="primary"):
            return None, is_called
    return ModelEntry(debater=debater, **fields), is_called


def _ask_model(files: list[str]) -> dict[str, Any]:
    """Ask for the file and the model; returns these fields of `ModelEntry`."""
    return {
        "file": st.selectbox("Tournament's file", files, key="file"),
        "provider": st.selectbox(
            "Provider", list(_PROVIDERS), format_func=_PROVIDERS.__getitem__, key="provider"
        ),
        "model": st.text_input("Model", key="model", placeholder="gpt-4o-mini", max_chars=120),
    }


def _ask_sampling(debater: str) -> dict[str, Any]:
    """Ask for the debater's options and how answers are sampled; returns these fields."""
    options = st.text_area(
        "Options of the debater, one in each line",
        key="options",
        placeholder="empty: as the debater is by default",
        help=f"As in the table `options` of the file. {debater_help(debater)}",
    )
    left, middle, right = st.columns(3)
    by_default = "Empty: what the debater asks for."
    return {
        "options": options,
        "temperature": left.number_input(
            "Temperature", value=None, step=0.1, key="temperature", help=f"0 to 2. {by_default}"
        ),
        "top_p": middle.number_input(
            "top_p", value=None, step=0.05, key="top-p", help=f"Above 0, up to 1. {by_default}"
        ),
        "max_tokens": right.number_input(
            "Tokens of an answer",
            value=None,
            step=1,
            format="%d",
            key="max-tokens",
            help=f"At most; 16 or more, with those of reasoning. {by_default}",
        ),
    }


def _ask_access() -> dict[str, Any]:
    """Ask for the address, the key and the prices; returns these fields of `ModelEntry`."""
    address = st.text_input(
        "Address, for a server of your own",
        key="address",
        placeholder="http://127.0.0.1:8000/v1",
    )
    variable = st.text_input(
        "Name of the environment variable that holds the key",
        key="variable",
        placeholder="MY_KEY; empty: the provider's usual one",
        help="The key itself is never typed in and never shown.",
    )
    prices = st.columns(2)
    input_price, output_price = (
        column.number_input(
            f"USD per million tokens, {way}", min_value=0.0, value=None, key=f"price-{way}"
        )
        for column, way in zip(prices, ("in", "out"), strict=True)
    )
    return {
        "address": address,
        "variable": variable,
        "input_price": input_price,
        "output_price": output_price,
    }


def debater_help(debater: str) -> str:
    """Return which options a debater has, with what they are by default."""
    fields = debater_class(debater).Options.model_fields
    if not fields:
        return f"{debater} has none."
    listed = ", ".join(
        f"`{name} = {tomlkit.item(field.default).as_string()}`"
        if isinstance(field.default, bool | int | float | str)
        else f"`{name}` (a table)"
        for name, field in fields.items()
    )
    return f"Those of {debater}, with their defaults: {listed}."


def _place(names: list[str], name: str) -> int:
    return names.index(name) if name in names else 0


_PROPOSAL = "proposal"
#: Half the width of ratings' intervals, by the debates they rest on.
_WIDTHS = """
    SELECT (upper - lower) / 2 AS half, comparisons AS debates FROM ratings
    WHERE tournament = $tournament AND bench = $bench AND dimension = 'overall'
      AND category = 'all' AND comparisons > 0
"""


def page(links: Mapping[str, StreamlitPage]) -> None:
    """Show the form, then what it would do, then do it."""
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


def _check(entry: ModelEntry, *, is_called: bool) -> None:
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


def _with_gauntlet(proposal: NewcomerProposal) -> str:
    """Return the file's text with a schedule that plays the newcomer's debates."""
    schedule = proposal.plan.resolved.config.schedule
    keys = {
        "kind": "gauntlet",
        "newcomers": list(schedule.newcomers or ()),
        "matchups_per_pair": schedule.matchups_per_pair,
    }
    return set_schedule(proposal.after, keys, where=str(proposal.file))


def _show_proposal(proposal: NewcomerProposal, answer: str, tournament_page: StreamlitPage) -> None:
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


def _carry_out(proposal: NewcomerProposal, tournament_page: StreamlitPage, *, start: bool) -> None:
    starts = known_starts()
    st.session_state.pop(_PROPOSAL, None)  # a second press finds nothing to do
    write_proposal(proposal)
    if start:
        start_and_show(proposal.file, proposal.resolved.name, tournament_page, starts)
    else:
        st.success("The file is written.")
        st.code(f"arena run {proposal.file.name} {database_option()}", language=None)


def _format_width(proposal: NewcomerProposal) -> str:
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
