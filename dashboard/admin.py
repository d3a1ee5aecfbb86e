"""The forms: who may use them. A link that works once makes a browser the administrator's."""

from __future__ import annotations

import hmac
import secrets
import threading
from functools import cache
from urllib.parse import urlsplit

import streamlit as st

from arena.errors import ConfigError
from dashboard.access import LOCAL, read_access

#: The path of the one-time link.
LINK = "/admin"
#: What proxies add to requests of others.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class AdminDoor:
    """Lets in the browser that uses the one-time link.

    Args:
        key: of the link; '' lets nobody in.
        port: of the server: cookies of one machine are not told apart by port.
    """

    def __init__(self, key: str, port: int) -> None:
        self.cookie = f"arena_admin_{port}"
        self._key = key
        self._session = ""
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether there are forms at all."""
        return bool(self._key or self._session)

    def fits(self, key: str) -> bool:
        """Return whether the link has this key, and nobody has used it."""
        return bool(self._key) and hmac.compare_digest(self._key.encode(), key.encode())

    def enter(self, key: str) -> str:
        """Use the link; returns the value of the browser's cookie, '' where the key is wrong.

        The link works once: after that, no key is right.
        """
        with self._lock:
            if not self.fits(key):
                return ""
            self._key, self._session = "", secrets.token_urlsafe(32)
            return self._session

    def admits(self, cookies: dict[str, str], headers: dict[str, str]) -> bool:
        """Return whether a request is the administrator's.

        Args:
            headers: of the request, by name in lower case.
        """
        host = urlsplit(f"//{headers.get('host', '')}").hostname
        is_direct = host in (LOCAL, "localhost") and not any(map(headers.get, _FORWARDED))
        value = cookies.get(self.cookie, "")
        session = self._session
        return bool(session) and is_direct and hmac.compare_digest(session.encode(), value.encode())


@cache
def admin_door() -> AdminDoor:
    """Return the door of this server."""
    access = read_access()
    return AdminDoor(access.key, access.port)


def is_admin() -> bool:
    """Return whether the viewer of this page came through the one-time link."""
    headers = {name.lower(): value for name, value in st.context.headers.items()}
    return admin_door().admits(dict(st.context.cookies.items()), headers)


def require_admin() -> None:
    """Refuse an action to everybody but the administrator.

    Raises:
        ConfigError: the viewer did not come through the one-time link.
    """
    if not is_admin():
        raise ConfigError(
            "this needs the link that arena serve --admin prints. Restart it for a new link."
        )
