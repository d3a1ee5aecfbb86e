"""What is known of the models that are called without LiteLLM: a table that is made from it.

`make model-table` makes it again, from the LiteLLM that is installed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final

from arena.llm.abilities import Abilities
from arena.llm.request import Usage
from arena.llm.settings import ModelSettings

#: Models for which LiteLLM has rules by their names, at whatever address.
_OWN_RULES: Final = re.compile(
    r"gpt-?[5-9]|\bo[1-9]\b|\baudio\b|search|claude|^responses/", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """What the table has of a model.

    Attributes:
        usd: USD per token of input, of output and of cached input.
        above: the length of a prompt in tokens from which on other prices hold, and those.
        accepts: the parameters that can be sent.
        translated: the arguments that LiteLLM would send as something else, or refuse: their
            names, or NAME=VALUE where that is so of single values.
        thinks: whether it thinks before it answers.
        completion_limit: whether it takes `max_completion_tokens` instead of `max_tokens`.
    """

    usd: tuple[float, float, float] | None = None
    above: tuple[int, float, float, float] | None = None
    accepts: frozenset[str] = frozenset()
    translated: frozenset[str] = frozenset()
    thinks: bool = False
    completion_limit: bool = False
    context_tokens: int | None = None
    output_tokens: int | None = None

    def takes(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether the arguments of a call can be sent as they are."""
        return not any(
            name in arguments and (not value or str(arguments[name]) == value)
            for name, _, value in (word.partition("=") for word in self.translated)
        )

    def price(self, prompt_tokens: int) -> tuple[float, float, float] | None:
        """Return USD per token of input, output and cached input for a prompt of a length."""
        if self.above is not None and prompt_tokens > self.above[0]:
            return self.above[1:]
        return self.usd


@dataclass(frozen=True, kw_only=True)
class ListedProvider:
    """What the table has of a provider.

    Attributes:
        address: of its own servers; `None` where each has an own one.
        key: the variable of the environment that holds a key.
        needs_key: whether nothing is answered without one.
        usual: a model of it that LiteLLM's own table does not have.
        models: by their names; `None` for those that are called through LiteLLM.
    """

    address: str | None
    key: str
    needs_key: bool
    usual: ListedModel
    models: Mapping[str, ListedModel | None] = field(default_factory=dict)

    @cached_property
    def folded(self) -> frozenset[str]:
        """The names of the models in lower case, by which LiteLLM knows some, too."""
        return frozenset(map(str.lower, self.models))


@cache
def load_table() -> Mapping[str, ListedProvider]:
    """Load what is known of the providers that are called directly, by their names."""
    content = json.loads((files("arena.llm") / "models.json").read_text("utf-8"))
    sets = [frozenset(names) for names in content["parameters"]]

    def listed(entry: Mapping[str, Any]) -> ListedModel:
        return ListedModel(
            usd=tuple(entry["usd"]) if "usd" in entry else None,
            above=tuple(entry["above"]) if "above" in entry else None,
            accepts=sets[entry["accepts"]],
            translated=frozenset(entry.get("translated", ())),
            thinks=entry.get("thinks", False),
            completion_limit=entry.get("completion_limit", False),
            context_tokens=entry.get("context_tokens"),
            output_tokens=entry.get("output_tokens"),
        )

    return {
        name: ListedProvider(
            address=provider["address"],
            key=provider["key"],
            needs_key=provider["needs_key"],
            usual=listed(provider["usual"]),
            models={model: listed(entry) for model, entry in provider["models"].items()}
            | dict.fromkeys(provider["others"]),
        )
        for name, provider in content["providers"].items()
    }


def find_listed(model: str, settings: ModelSettings) -> ListedModel | None:
    """Return what is known of a model that is called directly; `None` for one of LiteLLM's."""
    provider, _, name = model.partition("/")
    if settings.client == "litellm" or (known := load_table().get(provider)) is None:
        return None
    if not name:
        return None
    if name in known.models:
        return known.models[name]
    if name.lower() in known.folded or _OWN_RULES.search(name):
        return None
    if not settings.api_base and (find_address(provider) is None or provider == "openai"):
        return None
    return known.usual


def find_address(provider: str) -> str | None:
    """Return where a provider of the table is called: its own address, or the environment's.

    Only servers that have no address of their own are called where a variable says.
    """
    own = load_table()[provider].address
    return own or os.environ.get(f"{provider.upper()}_API_BASE") or None


def listed_cost(known: ListedModel, usage: Usage) -> float | None:
    """Return the cost of tokens in USD by the table; `None` where it has no price."""
    price = known.price(usage.input_tokens)
    if price is None:
        return None
    new = usage.input_tokens - usage.cached_tokens
    return (new * price[0] + usage.cached_tokens * price[2]) + usage.output_tokens * price[1]


def listed_abilities(model: str, known: ListedModel) -> Abilities:
    """Return the abilities of a model of the table."""
    return Abilities(
        provider=model.partition("/")[0],
        accepts=known.accepts,
        thinks=known.thinks,
        context_tokens=known.context_tokens,
        output_tokens=known.output_tokens,
    )
