"""Addresses with a user, a password or a key in them: a file must not hold what is secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from arena.config.sections import Config
from arena.errors import ConfigError

#: Names of the parameters of an address that carry keys: key, api_key, access-token, sig, code.
_SECRET: Final = re.compile(
    r"(?i:(^|[-_])(key|apikey|token|secret|password|passwd|sig|signature|code|auth|bearer)$)"
    r"|[a-z](Key|Token|Secret|Password|Signature)$"  # accessToken, but not monkey
)


def check_addresses(config: Config, *, where: str) -> None:
    """Check that no address in a file has a user, a password or a key in it.

    Configurations that are stored already are not checked: they must stay readable.

    Args:
        config: as it was parsed.
        where: the file, for messages.

    Raises:
        ConfigError: an address has; the message names its place without repeating it.
    """
    for place, address in _addresses(config):
        if address and (secret := find_secret(address)):
            raise ConfigError(
                f"{where}: {place}: {secret} must not be written in the file. Write only the "
                'address, and api_key = "env:NAME" for the key; or write env:NAME for the whole '
                "address, where NAME is the environment variable that holds it."
            )


def find_secret(address: str) -> str:
    """Return what of an address is secret: a user, a password or a key; '' for nothing.

    >>> find_secret("https://me:word@host/v1"), find_secret("https://host/v1?api_key=1")
    ('a user or a password', 'a key')
    >>> find_secret("https://host/v1?version=2"), find_secret("env:BASE")
    ('', '')
    """
    if address.startswith("env:"):
        address = address.partition("|")[2]  # the address where the variable is not set
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""  # no address: refused where it is needed
    if "@" in parts.netloc:
        return "a user or a password"
    names = [name for text in (parts.query, parts.fragment) for name, _ in parse_qsl(text)]
    return "a key" if any(map(_SECRET.search, names)) else ""


def _addresses(config: Config) -> Iterator[tuple[str, str | None]]:
    for model, section in config.models.items():
        yield f'models."{model}".api_base', section.api_base
    yield "search.api_base", config.search.api_base
    if config.transcription is not None:
        yield "transcription.api_base", config.transcription.api_base
