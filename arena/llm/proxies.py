"""What the environment says of the way to a server: proxies, exceptions, authorities."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from arena.errors import ConfigError

_PROXIES: Final = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")
#: Of NO_PROXY: what was taken out.
_LEFT_OUT: Final[dict[str, list[str]]] = {}
_AUTHORITIES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


def check_network() -> None:
    """Check that the environment's proxies and files of authorities can be used.

    Ranges of IPv6 addresses in NO_PROXY, on which HTTPX fails and which nothing heeds, are taken
    out.

    Raises:
        ConfigError: a proxy is one for SOCKS, or a file of authorities does not exist.
    """
    for name in ("NO_PROXY", "no_proxy"):
        if hosts := os.environ.get(name):
            each = hosts.split(",")
            if ranges := [host for host in each if host.count(":") > 1 and "/" in host]:
                _LEFT_OUT[name] = ranges
                os.environ[name] = ",".join(host for host in each if host not in ranges)
    for name in (*_PROXIES, *map(str.lower, _PROXIES)):
        if os.environ.get(name, "").strip().lower().startswith("socks"):
            raise ConfigError(
                f"{name} names a SOCKS proxy, through which models cannot be called. Start the "
                f"command without it (env -u {name} arena …), and name an HTTP proxy in "
                "HTTPS_PROXY if one is needed."
            )
    for name in _AUTHORITIES:
        if (path := os.environ.get(name)) and not os.path.exists(path):
            raise ConfigError(
                f"{name} names {path}, which does not exist, so no certificate can be checked. "
                "Correct or unset it."
            )


def exception_lines() -> Iterator[str]:
    """Yield a line for each variable of exceptions of which something is not heeded."""
    for name, ranges in _LEFT_OUT.items():
        yield f"{name}: ranges of IPv6 addresses are not heeded: {', '.join(ranges)}"


def format_proxy(address: str) -> str:
    """Return through which proxy the environment sends calls to an address; '' for none.

    >>> import pytest
    >>> with pytest.MonkeyPatch.context() as patch:
    ...     patch.setenv("HTTP_PROXY", "http://me:word@gate:3128")
    ...     patch.setenv("NO_PROXY", "")
    ...     format_proxy("http://host:8000/v1")
    ' through the proxy gate:3128 (HTTP_PROXY)'
    """
    proxies = getproxies_environment()
    try:
        parts = urlsplit(address)
    except ValueError:  # no address
        return ""
    scheme = parts.scheme if parts.scheme in proxies else "all"
    if scheme not in proxies or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    proxy = urlsplit(proxies[scheme])
    return f" through the proxy {proxy.netloc.rpartition('@')[2]} ({scheme.upper()}_PROXY)"
