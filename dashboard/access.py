"""Who may open the pages: the machine alone, everybody, or people who have signed in."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from arena.errors import ConfigError
from dashboard.settings import ACCESS

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
    """Write the secrets file of a server that begins, for its user alone (mode 600)."""
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


#: The address that only this machine reaches.
LOCAL = "127.0.0.1"
_ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with what a user asks for
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|@[^@\s]+\.[^@\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAccess:
    """What `arena serve` says about who may open the pages.

    Attributes:
        url: the address that browsers use: scheme, host and port.
        read_only: whether everybody who reaches the address may read, and nobody may do more.
        allow: e-mail addresses, and domains as `@example.org`, of people who may sign in; none
            where nobody needs to.
        key: of the one-time link to the forms; '' where there are none.
    """

    host: str = LOCAL
    port: int = 8501
    url: str = f"http://{LOCAL}:8501"
    read_only: bool = False
    allow: tuple[str, ...] = ()
    key: str = ""

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of the server that requests may use; none where any may be used."""
        name = urlsplit(self.url).hostname or ""
        if self.host in _ANY and name in (*_ANY, "localhost", ""):
            return ()
        return tuple(dict.fromkeys((LOCAL, "localhost", self.host.lower(), name)))

    def to_text(self) -> str:
        """Return it as text for an environment variable."""
        return json.dumps(asdict(self))


@cache
def read_access() -> PageAccess:
    """Read what `arena serve` handed over, once, and forget it: it holds the key of the forms."""
    text = os.environ.pop(ACCESS, "")
    if not text:
        return PageAccess()
    fields = json.loads(text)
    return PageAccess(**{**fields, "allow": tuple(fields["allow"])})


def make_access(  # noqa: PLR0913 - the options of a command
    *, host: str, port: int, url: str | None, read_only: bool, allow: Sequence[str], key: str
) -> PageAccess:
    """Check the options about access, and return what they say.

    Args:
        url: the address that browsers use, where it is another.
        key: of the one-time link; '' for no forms.

    Raises:
        ConfigError: the pages would be open to people whom nobody has let in.
    """
    allowed = tuple(entry.strip().lower() for entry in allow)
    _check_combination(host, read_only=read_only, allow=allowed, has_forms=bool(key))
    for entry in allowed:
        if not _ADDRESS.fullmatch(entry):
            raise ConfigError(
                f"--allow {entry!r}: not an e-mail address (ada@example.org) or a domain "
                "(@example.org)."
            )
    return PageAccess(
        host=host,
        port=port,
        url=_check_url(url) if url else f"http://{_in_address(host)}:{port}",
        read_only=read_only,
        allow=allowed,
        key=key,
    )


def is_local(host: str) -> bool:
    """Return whether only this machine reaches an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("::1"), is_local("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _check_combination(
    host: str, *, read_only: bool, allow: Sequence[str], has_forms: bool
) -> None:
    if has_forms and read_only:
        raise ConfigError(
            "--admin and --read-only cannot be combined: the first opens forms that change files "
            "and spend money, the second promises that there are none."
        )
    if has_forms and host != LOCAL:
        raise ConfigError(
            f"--admin works on {LOCAL} only, not on --host {host}. Leave out --host; from another "
            "machine, use a tunnel: ssh -L 8501:127.0.0.1:8501 MACHINE"
        )
    if not (is_local(host) or read_only or allow):
        raise ConfigError(
            f"--host {host} can be reached by other machines, and nobody would be asked who they "
            "are. Add --read-only so that everybody who reaches it may read, or --allow "
            "EMAIL|@DOMAIN so that people sign in (see arena serve --help)."
        )


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise ConfigError(
            f"--url {url!r}: expected the address that browsers use, without a path, for example "
            "https://arena.example.org"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
