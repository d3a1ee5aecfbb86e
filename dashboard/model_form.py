"""The form that asks for a model: what it says, as the keys of a tournament's file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

import streamlit as st
import tomlkit

from arena.config.model_keys import make_model_keys
from arena.console.newcomer import default_name
from arena.errors import ConfigError
from arena.plugins import debater_class, names_for_contest

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
class Entry:
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


def ask_for_model(files: list[str]) -> tuple[Entry | None, bool]:
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
    return Entry(debater=debater, **fields), is_called


def _ask_model(files: list[str]) -> dict[str, Any]:
    """Ask for the file and the model; returns these fields of `Entry`."""
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
    """Ask for the address, the key and the prices; returns these fields of `Entry`."""
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
