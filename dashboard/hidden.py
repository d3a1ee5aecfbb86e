"""Values of the environment, and keys: pages show a name or a mark in their place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from arena.config.resolved import ResolvedConfig
from arena.config.sections import find_secret
from arena.llm.faults import remove_secrets
from arena.tournament.run_record import RunState

_REFERENCE = "env:"
_ADDRESS = re.compile(r"https?://[^\s'\"<>()]+", re.IGNORECASE)


def find_hidden(resolved: ResolvedConfig, run: RunState | None) -> dict[str, str]:
    """Return the addresses of a run that the file does not write out, with what it writes."""
    hidden: dict[str, str] = {}
    for entry in run.models if run else ():
        address, reference = str(entry["address"]), _configured(resolved, str(entry["model"]))
        if address and reference.startswith(_REFERENCE):
            name = reference.partition("|")[0]
            hidden[address] = name
            if host := urlsplit(address).netloc:
                hidden[host] = name
    return hidden


def hide(text: str, hidden: Mapping[str, str]) -> str:
    """Return a text with the names of variables in place of their values.

    >>> hide("at http://h:1/v1: no answer of h:1", {"http://h:1/v1": "env:B", "h:1": "env:B"})
    'at env:B: no answer of env:B'
    """
    for value in sorted(hidden, key=len, reverse=True):
        text = text.replace(value, hidden[value])
    return text


def hide_values(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return a stored text of a failure without keys and without addresses of the environment.

    >>> hide_values("https://me:word@h/v1?a=1 refused http://10.1.2.3/x", {"BASE": "http://10.1.2.3/x"})
    'https://h/v1 [without a user or a password] refused env:BASE'
    """
    hidden: dict[str, str] = {}
    for name, value in environment.items():
        if _ADDRESS.fullmatch(value):
            hidden |= dict.fromkeys((value, urlsplit(value).netloc), f"{_REFERENCE}{name}")
    return _ADDRESS.sub(_without_secret, hide(remove_secrets(text), hidden))


def _without_secret(found: re.Match[str]) -> str:
    """Return an address without a user, a password or a key in it."""
    address = found.group()
    secret = find_secret(address)
    if not secret:
        return address
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path} [without {secret}]"


def hide_all(value: Any, hidden: Mapping[str, str]) -> Any:  # noqa: ANN401 - plain data
    """Return plain data with `hide` applied to all of its texts."""
    if isinstance(value, str):
        return hide(value, hidden)
    if isinstance(value, Mapping):
        return {key: hide_all(entry, hidden) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [hide_all(entry, hidden) for entry in value]
    return value


def hide_in_run(run: RunState, hidden: Mapping[str, str]) -> RunState:
    """Return what a run wrote without the addresses that its file does not write out."""
    return replace(
        run,
        reason=hide(run.reason, hidden),
        figures=hide_all(run.figures, hidden),
        models=hide_all(run.models, hidden),
        failures=hide_all(run.failures, hidden),
        last=hide(run.last, hidden),
    )


def _configured(resolved: ResolvedConfig, model: str) -> str:
    """Return the address of a model as the file writes it; '' for the provider's own."""
    sections = resolved.config.models
    for name in (model, f"{model.partition('/')[0]}/*"):
        if name in sections and sections[name].api_base:
            return str(sections[name].api_base)
    return ""
