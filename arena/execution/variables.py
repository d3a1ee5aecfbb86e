"""The environment variables that a worker on another machine needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from arena.config.model_names import configured_models, references_of, settings_of
from arena.llm.keys import REDIRECTS
from arena.llm.model_table import find_listed
from arena.records import LOCAL, OFFLINE

if TYPE_CHECKING:
    from arena.config.sections import Config

#: A second name of a provider's key.
_OTHER_NAMES: Final = {"gemini": "GOOGLE_API_KEY"}


def may_need_litellm(config: Config) -> bool:
    """Return whether a call of a configuration's models may go through LiteLLM."""
    for model in configured_models(config):
        if model.startswith((OFFLINE, LOCAL)):
            continue
        listed = find_listed(model, settings_of(model, config.models))
        if listed is None or listed.translated:
            return True
    return False


def needed_variables(config: Config) -> list[str]:
    """Return the variables with the keys and addresses of a configuration's models, if set here.

    A machine may sign in to Amazon's cloud in ways of its own, so those of AWS are left out.
    """
    names: set[str] = set()
    for model in configured_models(config):
        provider = model.partition("/")[0]
        if model.startswith((OFFLINE, LOCAL)):
            continue
        references = references_of(model, config.models)
        for value in references.values():
            if value.startswith("env:"):
                names.add(value.removeprefix("env:").partition("|")[0])
        if "api_base" not in references:
            names.add(f"{provider.upper()}_API_BASE")
        # The key of OpenAI is not sent to other servers.
        if "api_key" not in references and not (provider == "openai" and "api_base" in references):
            names |= {f"{provider.upper()}_API_KEY", _OTHER_NAMES.get(provider, "")}
    return sorted(name for name in names if os.environ.get(name) or REDIRECTS.get(name))
