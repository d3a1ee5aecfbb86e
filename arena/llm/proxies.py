"""What the environment says of the way to a server: proxies, exceptions, authorities."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address, ip_network
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


def find_proxy(address: str) -> str | None:
    """Return the proxy through which the environment sends calls to an address; None for none.

    NO_PROXY is heeded with names, domains and ranges of addresses (10.0.0.0/8).
    """
    proxies = getproxies_environment()
    parts = urlsplit(address)
    scheme = parts.scheme if parts.scheme in proxies else "all"
    host = parts.netloc.rpartition("@")[2]
    if scheme not in proxies or any(map(proxy_bypass, (host, parts.hostname or ""))):
        return None
    if _is_in_range(parts.hostname, proxies):
        return None
    proxy = proxies[scheme]
    return proxy if "://" in proxy else f"http://{proxy}"


def _is_in_range(host: str | None, proxies: Mapping[str, str]) -> bool:
    """Return whether a host is an address within a range that NO_PROXY excepts."""
    try:
        address = ip_address(host or "")
    except ValueError:  # a name
        return False
    for exception in proxies.get("no", "").split(","):
        with suppress(ValueError):
            if "/" in exception and address in ip_network(exception.strip(), strict=False):
                return True
    return False


def format_proxy(address: str) -> str:
    """Return through which proxy the environment sends calls to an address; '' for none.

    >>> import pytest
    >>> with pytest.MonkeyPatch.context() as patch:
    ...     patch.setenv("HTTP_PROXY", "http://me:word@gate:3128")
    ...     patch.setenv("NO_PROXY", "")
    ...     format_proxy("http://host:8000/v1")
    ' through the proxy gate:3128 (HTTP_PROXY)'
    """
    try:
        found = find_proxy(address)
    except ValueError:  # no address
        return ""
    if found is None:
        return ""
    scheme = urlsplit(address).scheme
    name = scheme if scheme in getproxies_environment() else "all"
    return f" through the proxy {urlsplit(found).netloc.rpartition('@')[2]} ({name.upper()}_PROXY)"
