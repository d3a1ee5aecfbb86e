"""The sign-in: whose cookies of Streamlit's login a request carries, and who is let in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import AUTH_COOKIE_NAME, get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value


def signed_in_email(cookies: Mapping[str, str], url: str) -> str:
    """Return the e-mail address of whoever sends the cookies; '' for nobody.

    An address counts only where the provider says that it has verified it.

    Args:
        cookies: of a request.
        url: the address that browsers use: a cookie of another one does not count.
    """
    secret = get_cookie_secret()

    def read_cookie(name: str) -> bytes | None:
        value = cookies.get(name)
        return decode_signed_value(secret, name, value.encode("latin-1")) if value else None

    content = get_cookie_with_chunks(read_cookie, AUTH_COOKIE_NAME)
    user = json.loads(content) if content else {}
    is_valid = user.get("is_logged_in") is True and user.get("origin") == url
    if not is_valid or user.get("email_verified") is not True:
        return ""
    return str(user.get("email") or "").lower()


def is_allowed(email: str, allow: Sequence[str]) -> bool:
    """Return whether an address is on the list, or its domain is.

    >>> is_allowed("ada@example.org", ["@example.org"])
    True
    >>> is_allowed("ada@sub.example.org", ["@example.org"]), is_allowed("", ["@example.org"])
    (False, False)
    """
    _, at, domain = email.rpartition("@")
    return bool(at) and (email in allow or f"@{domain}" in allow)
