"""The page that adds a model to a tournament's file, and has the debates played that rate it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st
import tomlkit

from arena.boards.states import overall_state
from arena.config.edit import make_model_keys, set_schedule
from arena.errors import ConfigError, MissingPrice
from arena.output.settings_text import format_gauntlet
from arena.plugins import debater_class, names_for_contest
from arena.store.database import Store
from arena.text import counted
from arena.tournament.newcomer import (
    NewcomerProposal,
    call_newcomer,
    default_name,
    explain_missing_price,
    propose,
    write_proposal,
)
from dashboard.background import tournament_files
from dashboard.elements import quiet, show_empty_state, show_link
from dashboard.forms import attempt, offer_writing, open_form, show_caps, show_estimate
from dashboard.settings import database, folder
from motions.text_files import parse_toml

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
#: How answers can be sampled, by the file's keys: the label of the field, its step and its bounds.
_SAMPLING: Mapping[str, tuple[str, float, str]] = {
    "temperature": ("Temperature", 0.1, "0 to 2."),
    "top_p": ("top_p", 0.05, "Above 0, up to 1."),
    "max_tokens": ("Tokens of an answer", 1, "At most; 16 or more, with those of reasoning."),
}

_PRICE_FIELD = "USD per million tokens"
#: Where the form takes a price that is not known.
_HOW_TO_PRICE = (
    f"(0 and 0 for a free model), in the fields “{_PRICE_FIELD}, in” and “…, out” above, and check "
    "again."
)
_PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """What the form says: the file, the participant, and how its model is reached.

    Attributes:
        sampling: by the file's keys; `None` for what the debater asks for.
    """

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
    sampling: Mapping[str, float | None] = field(default_factory=dict)

    def full_model(self) -> str:
        """Return the model's name with its provider."""
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
        try:
            options = parse_toml(self.options)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(
                f"the debater's options are no valid TOML ({error}). Write one in each line, for "
                "example: max_revisions = 2"
            ) from None
        sampling = {key: value for key, value in self.sampling.items() if value is not None}
        return {
            **{"name": name, "debater": self.debater, "model": model},
            **({"options": options} if options else {}),
            **({"sampling": sampling} if sampling else {}),
        }

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
    """Show the form; return what it says once it is sent, and whether to call the model."""
    debaters = names_for_contest("debaters", "debate")
    place = debaters.index("direct") if "direct" in debaters else 0
    debater = st.selectbox("Debater (framework)", debaters, key="debater", index=place)
    with st.form("model"):
        left, right = st.columns(2)
        with left:
            fields = _ask_participant(files, debater)
        with right:
            fields |= _ask_access()
            fields["name"] = st.text_input(
                "Name on the board", key="name", placeholder="made from debater and model"
            )
        is_called = st.checkbox("Call the model once (this costs a little)", value=True, key="call")
        if not st.form_submit_button("Check and plan", type="primary"):
            return None, is_called
    return ModelEntry(debater=debater, **fields), is_called


def _ask_participant(files: list[str], debater: str) -> dict[str, Any]:
    """Ask for file, model, options and sampling; returns these fields of `ModelEntry`."""
    fields: dict[str, Any] = {
        "file": st.selectbox("Tournament's file", files, key="file"),
        "provider": st.selectbox(
            "Provider", list(_PROVIDERS), format_func=_PROVIDERS.__getitem__, key="provider"
        ),
        "model": st.text_input("Model", key="model", placeholder="gpt-4o-mini", max_chars=120),
        "options": st.text_area(
            "Options of the debater, one in each line",
            key="options",
            placeholder="empty: as the debater is by default",
            help=f"As in the table `options` of the file. {debater_help(debater)}",
        ),
    }
    fields["sampling"] = {
        name: column.number_input(
            words,
            value=None,
            step=step,
            format="%d" if step == 1 else None,
            key=name.replace("_", "-"),
            help=f"{bounds} Empty: what the debater asks for.",
        )
        for column, (name, (words, step, bounds)) in zip(
            st.columns(len(_SAMPLING)), _SAMPLING.items(), strict=True
        )
    }
    return fields


def _ask_access() -> dict[str, Any]:
    """Ask for the address, the key and the prices; returns these fields of `ModelEntry`."""
    return {
        "address": st.text_input(
            "Address, for a server of your own",
            key="address",
            placeholder="http://127.0.0.1:8000/v1",
        ),
        "variable": st.text_input(
            "Name of the environment variable that holds the key",
            key="variable",
            placeholder="MY_KEY; empty: the provider's usual one",
            help="The key itself is never typed in and never shown.",
        ),
        **{
            f"{kind}_price": column.number_input(
                f"{_PRICE_FIELD}, {way}",
                min_value=0.0,
                value=None,
                key=f"price-{way}",
                placeholder="LiteLLM's price",
                help="Needed where LiteLLM does not know the model; 0 for a free one.",
            )
            for column, (kind, way) in zip(
                st.columns(2), (("input", "in"), ("output", "out")), strict=True
            )
        },
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


def page() -> None:
    """Show the form, then what it would do, then do it."""
    open_form("Add a model", checked=_PROPOSAL)
    files = tournament_files(folder())
    if not files:
        show_empty_state(
            "There is no tournament's file here.",
            f"A model is added to a file of {folder()}, where `arena serve` was started. Write one "
            "on the page New tournament, or with:",
            "arena init weekend.toml",
        )
        show_link("new-tournament", "New tournament")
        return
    entry, is_called = ask_for_model(files)
    if entry is not None and not attempt(lambda: _check(entry, is_called=is_called)):
        st.session_state.pop(_PROPOSAL, None)
    if _PROPOSAL in st.session_state:
        proposal, answer = st.session_state[_PROPOSAL]
        _show_proposal(proposal, answer)


def _check(entry: ModelEntry, *, is_called: bool) -> None:
    """Check what the form says, call the model, and remember what would be written."""
    variable = entry.variable.strip()
    keys = entry.model_keys()
    if variable and not os.environ.get(variable):
        raise ConfigError(
            f"the environment variable {variable} is not set for this dashboard. Set it in the "
            "shell, then start arena serve --admin again."
        )
    file, store = folder() / entry.file, Store(database())
    try:
        proposal = propose(file, entry.participant(), store, model=keys)
    except MissingPrice as error:
        raise explain_missing_price(error, entry.full_model(), _HOW_TO_PRICE) from None
    answer = call_newcomer(proposal) if is_called else ""
    if proposal.needs_schedule:
        proposal = replace(proposal, after=_with_gauntlet(proposal))
    st.session_state[_PROPOSAL] = (proposal, answer)


def _with_gauntlet(proposal: NewcomerProposal) -> str:
    """Return the file's text with a schedule that plays the newcomer's debates."""
    schedule = proposal.plan.resolved.config.schedule
    keys = {
        "kind": "gauntlet",
        "newcomers": list(schedule.newcomers or ()),
        "matchups_per_pair": schedule.matchups_per_pair,
    }
    return set_schedule(proposal.after, keys, where=str(proposal.file))


def _show_proposal(proposal: NewcomerProposal, answer: str) -> None:
    """Show what was found and what would be written, and do it when asked to."""
    newcomer = proposal.newcomer
    st.header("What this does", anchor=False)
    quiet(f"{proposal.price}.", "price")
    quiet(f"It answered: {answer}." if answer else "It was not called.", "answer")
    quiet(f"Debates that rate {newcomer.name}: {format_gauntlet(proposal)}.", "work")
    if proposal.is_chosen_later:
        quiet(
            f"These debates alone would rate it. The schedule of {proposal.file.name} chooses "
            "debates as results come, among all participants.",
            "chosen",
        )
    quiet(_format_width(proposal), "width")
    show_estimate(proposal.cost)
    show_caps(proposal.resolved.config)
    st.caption(f"The new lines of {proposal.file.name}")
    st.code(proposal.difference, language="diff", wrap_lines=True)
    offer_writing(
        proposal.file,
        proposal.resolved.name,
        lambda: write_proposal(proposal),
        checked=_PROPOSAL,
    )


def _format_width(proposal: NewcomerProposal) -> str:
    """Say how sure the newcomer's rating will be, by the widths of the others' intervals."""
    debates = proposal.debates
    if not debates:
        return "Everything that rates it has been played."
    store, resolved = Store(database()), proposal.resolved
    bench = resolved.benches[0].name
    state = None if store.empty() else overall_state(store, resolved.name, bench)
    rows = state.board.rated if state else ()
    words = f"Its rating will rest on {counted(debates, 'debate')}"
    if not rows:
        return f"{words}."
    scaled = np.median([(row.upper - row.lower) / 2 * np.sqrt(row.debates) for row in rows])
    return (
        f"{words}, with a 95 % interval of about ± {scaled / np.sqrt(debates):.0f} Elo, judging by "
        "the others' intervals."
    )
