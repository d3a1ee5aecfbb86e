"""The guard in front of all pages: it refuses requests and connections before Streamlit runs."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.access import Access
from dashboard.admin import LINK, AdminDoor
from dashboard.notices import notice
from dashboard.secrets_file import CALLBACK
from dashboard.sign_in import is_allowed, signed_in_email

#: The path that leads to the provider of the sign-in.
SIGN_IN = "/sign-in"
SIGN_OUT = "/auth/logout"
#: What people who have not signed in yet may ask for.
_DOORS = frozenset({LINK, SIGN_IN, SIGN_OUT, "/auth/login", CALLBACK})
#: It says no more than that the server runs.
_HEALTH = "/_stcore/health"
#: The status with which a WebSocket is closed: against a policy.
_POLICY_VIOLATION = 1008


class Guard:
    """Middleware that lets through what a viewer may ask for.

    Args:
        app: what it guards.
        access: who may open the pages.
        door: knows the administrator's browser.
        forms: the paths of the pages that only the administrator may open.
    """

    def __init__(
        self, app: ASGIApp, *, access: Access, door: AdminDoor, forms: Collection[str]
    ) -> None:
        self._app, self._access, self._door = app, access, door
        self._forms = frozenset(forms)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or a connection, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(HTTPConnection(scope))
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # the wish to connect; closed before it is accepted, it gets a 403
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            await refusal(scope, receive, send)

    def _refuse(self, request: HTTPConnection) -> Response | None:
        """Return the answer to a request that is refused; `None` for all others."""
        if not self._has_known_names(request):
            return PlainTextResponse("Unknown host or origin.", status_code=403)
        path = request.url.path.rstrip("/") or "/"
        if path == _HEALTH:
            return None
        is_admin = self._door.admits(request.cookies, dict(request.headers))
        if self._access.allow and not is_admin and path not in _DOORS:
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
