"""The guard in front of all pages: it refuses, or asks to sign in, before Streamlit runs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.access import CALLBACK, PageAccess
from dashboard.admin import LINK, AdminDoor
from dashboard.private import (
    AUTH_COOKIE_NAME,
    decode_signed_value,
    get_cookie_secret,
    get_cookie_with_chunks,
)

#: What every answer has, where it does not say otherwise itself.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root {{ --ink: #31333f; --paper: #ffffff; --line: #d5d6db; --accent: #0072b2; --on: #ffffff }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #fafafa; --paper: #171614; --line: #3d3b38; --accent: #56b4e9; --on: #171614 }}
}}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 "Source Sans", "Source Sans Pro", system-ui, sans-serif }}
main {{ max-width: 34rem; margin: 18vh auto 0; padding: 2rem; border: 1px solid var(--line);
  border-radius: .5rem; overflow-wrap: anywhere }}
@media (max-width: 40rem) {{ main {{ margin: 1rem }} }}
h1 {{ font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem }}
p {{ margin: 0 0 1rem }}
code {{ white-space: nowrap }}
a, button {{ display: inline-block; border: 0; font: inherit; cursor: pointer;
  padding: .5rem 1rem; border-radius: .5rem; text-decoration: none;
  background: var(--accent); color: var(--on); font-weight: 600 }}
a:focus-visible, button:focus-visible {{ outline: 3px solid var(--ink); outline-offset: 2px }}
</style></head>
<body><main><h1>{title}</h1><p>{text}</p>{link}</main></body></html>
"""


def notice(
    title: str,
    text: str,
    *,
    status: int,
    link: tuple[str, str] = ("", ""),
    posts: bool = False,
) -> HTMLResponse:
    """Return a page with a heading, a sentence and at most one link.

    Args:
        text: the sentence; a command stands between backticks.
        link: its address and its words; '' for none.
        posts: whether the link is a button, which nobody presses for a preview of the page.
    """
    address, words = map(escape, link)
    button = f'<a href="{address}">{words}</a>' if address else ""
    if posts:
        button = f'<form method="post" action="{address}"><button>{words}</button></form>'
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
    page = _PAGE.format(title=escape(title), text=marked, link=button)
    return HTMLResponse(page, status_code=status, headers={**HEADERS, "Cache-Control": "no-store"})


def signed_in_email(cookies: Mapping[str, str], url: str) -> str:
    """Return the e-mail address of whoever sends the cookies; '' for nobody.

    An address counts only where the provider says that it has verified it.

    Args:
        url: the address that browsers use: a cookie of another one does not count.
    """
    secret = get_cookie_secret()

    def read_cookie(name: str) -> bytes | None:
        value = cookies.get(name)
        return decode_signed_value(secret, name, value.encode()) if value else None

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


#: The path that leads to the provider of the sign-in.
SIGN_IN = "/sign-in"
SIGN_OUT = "/auth/logout"
#: What people who have not signed in yet may ask for.
DOORS = frozenset({LINK, SIGN_IN, SIGN_OUT, "/auth/login", CALLBACK})
#: It says no more than that the server runs.
_HEALTH = "/_stcore/health"
#: The only address of WebSockets, and where files are that pages offer, HTML among them.
_STREAM, _FILES = "/_stcore/stream", "/media/"
_HOST = re.compile(r"([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?", re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(rf"null|[a-z][a-z0-9+.-]*://{_HOST.pattern}", re.ASCII | re.IGNORECASE)


class Guard:
    """Middleware that lets through what a viewer may ask for, and gives each answer its headers.

    Args:
        forms: the paths of the pages that only the administrator may open.
    """

    def __init__(
        self, app: ASGIApp, *, access: PageAccess, door: AdminDoor, forms: Collection[str]
    ) -> None:
        self._app, self._access, self._door = app, access, door
        self._forms = frozenset(forms)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or a connection, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(HTTPConnection(scope))
        if refusal is not None and scope["type"] == "websocket":  # nobody reads a page of it
            status = 400 if refusal.status_code == 400 else 403
            refusal = PlainTextResponse("Refused.", status_code=status)
        await (refusal or self._app)(scope, receive, _with_headers(send))

    def _refuse(self, request: HTTPConnection) -> Response | None:
        """Return the answer to a request that is refused; `None` for all others."""
        host, origin = (request.headers.get(name) for name in ("host", "origin"))
        for name, value, form in (("host", host, _HOST), ("origin", origin, _ORIGIN)):
            if value and not form.fullmatch(value):
                return PlainTextResponse(f"Malformed {name}.", status_code=400)
        if not self._has_known_names(request):
            return PlainTextResponse("Unknown host or origin.", status_code=403)
        path = request.scope["path"].rstrip("/") or "/"
        if path == _HEALTH:
            return None
        is_admin = self._door.admits(request.cookies, dict(request.headers))
        if self._access.allow and not is_admin and path not in DOORS:
            email = signed_in_email(request.cookies, self._access.url)
            if not is_allowed(email, self._access.allow):
                return _refuse_stranger(email)
        if path in self._forms and not is_admin:
            return _refuse_form(has_forms=self._door.exists)
        return None

    def _has_known_names(self, request: HTTPConnection) -> bool:
        """Return whether a request names this server, and a connection comes from its own page.

        Otherwise a page of another server, opened in the same browser, could read these pages.
        """
        host = request.headers.get("host", "")
        hosts = self._access.hosts
        if hosts and urlsplit(f"//{host}").hostname not in hosts:
            return False
        origin = request.headers.get("origin")
        is_socket = request.scope["type"] == "websocket"
        return not is_socket or origin is None or urlsplit(origin).netloc == host


def _with_headers(send: Send) -> Send:
    """Return what sends an answer with the headers that it does not have."""

    async def send_all(message: Message) -> None:
        if message["type"].endswith("http.response.start"):
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_all


class PageAddresses:
    """Middleware that says where there is no page, in place of Streamlit's for every address.

    Args:
        pages: the paths that have one.
    """

    def __init__(self, app: ASGIApp, *, pages: Collection[str]) -> None:
        self._app, self._pages = app, frozenset(pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, but no HTML page of an unknown address back."""
        path = scope.get("path", _STREAM)
        nowhere = notice(
            "There is no page at this address",
            f"The address ends in {path}. Look whether it is complete and written as it was given.",
            status=404,
            link=("/", "To the first page"),
        )
        if scope["type"] == "websocket" and path != _STREAM:
            await nowhere(scope, receive, send)
        elif scope["type"] != "http" or path in self._pages or path.startswith(_FILES):
            await self._app(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, nowhere)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, nowhere: Response) -> None:
        is_page = False

        async def send_files(message: Message) -> None:
            nonlocal is_page
            if message["type"] == "http.response.start":
                is_page = (
                    MutableHeaders(scope=message).get("content-type", "").startswith("text/html")
                )
            if not is_page:
                await send(message)

        await self._app(scope, receive, send_files)
        if is_page:
            await nowhere(scope, receive, send)


def _refuse_stranger(email: str) -> Response:
    if not email:
        return notice(
            "Sign in to read",
            "The results on this server are for people on its list. Your provider is asked who "
            "you are; your password is not seen here.",
            status=401,
            link=(SIGN_IN, "Sign in"),
        )
    return notice(
        "You are not on the list",
        f"You are signed in as {email}, who may not read here. Ask the person who runs this "
        "server to add you with --allow, or sign in with another account.",
        status=403,
        link=(SIGN_OUT, "Sign out"),
    )


def _refuse_form(*, has_forms: bool) -> Response:
    words = (
        "Open the link that `arena serve --admin` printed in this browser; it works once. Restart "
        "the command for a new link."
        if has_forms
        else "This server is read-only. On the machine itself, start `arena serve --admin` and "
        "open the link that it prints."
    )
    return notice("This page needs the admin link", words, status=403, link=("/", "All results"))
