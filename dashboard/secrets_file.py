"""The provider of the sign-in: read from the environment, handed to the server in a file."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from arena.errors import ConfigError

#: The environment variables that hold what the provider of the sign-in has given.
METADATA = "ARENA_OIDC_METADATA_URL"
CLIENT = "ARENA_OIDC_CLIENT_ID"
SECRET = "ARENA_OIDC_CLIENT_SECRET"  # noqa: S105 - the name of a variable
_KEYS = {METADATA: "server_metadata_url", CLIENT: "client_id", SECRET: "client_secret"}
PROVIDER_VARIABLES = tuple(_KEYS)
#: Where the provider sends the browser back to, by Streamlit's convention.
CALLBACK = "/oauth2callback"

Secrets: TypeAlias = dict[str, Any]


def read_provider(environment: Mapping[str, str]) -> dict[str, str]:
    """Read the provider of the sign-in from the environment.

    Raises:
        ConfigError: a variable is not set, or the library for the sign-in is missing.
    """
    missing = [name for name in _KEYS if not environment.get(name)]
    if missing:
        raise ConfigError(
            f"--allow needs a provider to sign in with, but {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not set. Register this dashboard with an "
            f"OpenID Connect provider (its redirect address ends in {CALLBACK}), and set "
            f"{METADATA}, {CLIENT} and {SECRET}."
        )
    if find_spec("authlib") is None:
        raise ConfigError("--allow needs the package authlib: pip install 'streamlit[auth]'")
    return {key: environment[name] for name, key in _KEYS.items()}


def write_secrets(provider: Mapping[str, str], url: str) -> Path:
    """Write the secrets file of a server that begins, for its user alone (mode 600).

    Args:
        provider: as `read_provider` returns it.
        url: the address that browsers use.
    """
    content = {
        **provider,
        "redirect_uri": url + CALLBACK,
        "cookie_secret": secrets.token_hex(32),  # a new one each time: a restart signs all out
    }
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in content.items()]
    # mkstemp creates with mode 600, and fails where the name is taken.
    descriptor, name = tempfile.mkstemp(prefix="arena-sign-in-", suffix=".toml")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write("\n".join(["[auth]", *lines, ""]))
    return Path(name)


def take_secrets(path: str) -> Secrets:
    """Read the secrets file and remove it; no sign-in without one."""
    if not path:
        return {}
    file = Path(path)
    content = tomllib.loads(file.read_text("utf-8"))
    file.unlink()
    return content
