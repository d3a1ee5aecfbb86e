"""The web server of the pages: Streamlit's, with a policy that lets a page load nothing else.

Streamlit's HTML page is served with seven additions. A content security policy lets the browser
load from this address only, whatever a speech contains. The page contains the address of the
server; otherwise it would first look for it below the path of each page, and report errors
(Streamlit's issue 7074). With the address come Streamlit's settings of a host, so that the browser
connects at once instead of asking for them first. It names the scripts of tables, so that they are
there in time. One script makes a single entry in the browser's history for a click, one sorts a
board and follows its links, one has the first charts drawn after it, and with the last one the Tab
key leaves a table.
"""

from __future__ import annotations

import base64
import gc
import hashlib
import mimetypes
import os
import re
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from urllib.parse import urlencode

import anyio
import streamlit as st
from anyio import to_thread
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard import (
    cached,
    navigation,  # loads the pages before the first viewer waits for them
)
from dashboard.access import read_access, take_secrets
from dashboard.admin import LINK, admin_door
from dashboard.first_board import read_first_board, with_first_board
from dashboard.guard import DOORS, SIGN_IN, Guard, PageAddresses, notice
from dashboard.private import encode_provider_token
from dashboard.sessions import Pages
from dashboard.settings import SECRETS, only
from dashboard.views.leaderboard import draw_board

#: The addresses of files in Streamlit's page, whose names change with their content.
_NAMED = re.compile(r'(?:href|src)="\.(/static/(?:js|css|media)/[\w.-]+)"')
_FOREVER = {"Cache-Control": "public, immutable, max-age=31536000"}


def read_assets(page: str, folder: Path) -> dict[str, Response]:
    """Return the answers to requests for the files that a page names, by path.

    Args:
        folder: holds them, at the same paths. Those that are not there are left out.
    """
    return {
        path: Response(
            file.read_bytes(), media_type=mimetypes.guess_type(path)[0], headers=_FOREVER
        )
        for path in _NAMED.findall(page)
        if (file := folder / path.removeprefix("/")).is_file()
    }


class Assets:
    """Middleware that answers requests for files it has in memory."""

    def __init__(self, app: ASGIApp, *, assets: Mapping[str, Response]) -> None:
        self._app, self._assets = app, assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        answer = self._assets.get(scope["path"]) if is_get else None
        await (answer or self._app)(scope, receive, send)


def warm_up() -> None:
    """Fill the caches with the first board; where that fails, its page will fail and say so."""
    with suppress(Exception):
        first = read_first_board({})
        if first is None:
            return
        state, _ = first
        selection = state.board.selection
        cached.progress(selection.tournament)
        cached.languages(selection.tournament)
        cached.last_run(selection.tournament)
        cached.kept_moments(selection)
        draw_board(state, {})


#: The beginnings of the scripts' names; what follows them changes with Streamlit's version.
_NEEDED = ("DataFrame", "ButtonGroup", "Selectbox", "Html")
_IMPORT = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def preload_links(page: str, scripts: Path) -> str:
    """Return links that have a browser load a table's scripts at once.

    Args:
        page: Streamlit's HTML page; what it loads by itself is left out.
        scripts: the folder of Streamlit's scripts. Nothing is returned of those it does not have.
    """
    needed: dict[str, None] = {}
    for beginning in _NEEDED:
        for path in sorted(scripts.glob(f"{beginning}.*.js")):
            needed |= dict.fromkeys(_find_imports(path, set()))
    styles = scripts.with_name("css").glob(f"{_NEEDED[0]}.*.css")
    return "".join(
        [f'<link rel="stylesheet" crossorigin href="./static/css/{path.name}">' for path in styles]
        + [
            f'<link rel="modulepreload" fetchpriority="low" crossorigin href="./static/js/{name}">'
            for name in needed
            if f"/{name}" not in page
        ]
    )


def _find_imports(path: Path, seen: set[str]) -> Iterator[str]:
    """Yield the names of a script and of all that it imports."""
    if path.name in seen or not path.is_file():
        return
    seen.add(path.name)
    yield path.name
    for name in _IMPORT.findall(path.read_text("utf-8")):
        yield from _find_imports(path.with_name(name), seen)


with suppress(ImportError):  # what it says of its own modules is not for whoever serves pages
    warnings.simplefilter("ignore", import_module("authlib.deprecate").AuthlibDeprecationWarning)

_SCRIPTS = [
    Path(__file__).with_name(name).read_text("utf-8")
    for name in ("history.js", "board.js", "chart_order.js", "keyboard.js")
]
_FRONT = Path(st.__file__).parent / "static" / "index.html"
#: A browser in which somebody signs in asks first: it gets a cookie that the connection needs.
_HOST = "HOST_CONFIG: {allowedOrigins: [window.location.origin], useExternalAuthToken: false}"
_ADDRESS = "BACKEND_BASE_URL: window.location.origin"
#: Streamlit shows the first page of results at `/`, under no other address.
_HOME = navigation.RESULTS[0]
_PATHS = [f"/{entry.path}" for entry in navigation.served_pages(only(), admin=True)]
#: Seconds that the HTML page waits for the rows of its board, and how many of these are read at
#: the same time: where a database is held for long, the threads that wait for it stay few.
_PATIENCE = 0.5
_READING = anyio.CapacityLimiter(4)
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_POLICY = {
    "default-src": "'none'",
    "connect-src": "'self'",
    "font-src": "'self' data:",
    "img-src": "'self' data: blob:",
    "manifest-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "worker-src": "'self' blob:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}


@cache
def front_page() -> str:
    """Return Streamlit's HTML page, with the server's address and the scripts that come first."""
    page = _FRONT.read_text("utf-8")
    links = preload_links(page, _FRONT.parent / "static" / "js")
    known = _ADDRESS if read_access().allow else f"{_ADDRESS}, {_HOST}"
    scripts = (f"window.__streamlit = {{{known}}}", *_SCRIPTS)
    inline = "".join(f"<script>{script}</script>" for script in scripts)
    page = page.replace("<head>", f"<head>{inline}", 1)
    return page.replace("</head>", f"{links}</head>", 1)


def policy(page: str) -> str:
    """Return the content security policy of a page: this address, and the page's own scripts."""
    digests = [hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page)]
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    rules = {**_POLICY, "script-src": f"'self' {inline}"}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


async def _front(request: Request) -> Response:
    return _answer(front_page())


async def _first(request: Request) -> Response:
    """Return the first page, with the rows of its board."""
    page, choices = front_page(), dict(request.query_params)
    with anyio.move_on_after(_PATIENCE):  # the page needs what is read; it is not read in vain
        page = await to_thread.run_sync(
            with_first_board, page, choices, abandon_on_cancel=True, limiter=_READING
        )
    return _answer(page)


def _answer(page: str) -> Response:
    headers = {"Cache-Control": "private, no-cache", "Content-Security-Policy": policy(page)}
    return HTMLResponse(page, headers=headers)


async def _home(request: Request) -> Response:
    """Redirect the address of the first page to `/`."""
    return RedirectResponse(request.url.replace(path="/"))


async def _sign_in(request: Request) -> Response:
    """Redirect to the provider of the sign-in, by way of Streamlit's login."""
    if not read_access().allow:
        return RedirectResponse("/")
    return RedirectResponse(f"/auth/login?provider={encode_provider_token('default')}")


async def _enter(request: Request) -> Response:
    """Make the browser in which the button of the one-time link is pressed the administrator's.

    Whoever only looks at the link, as previews of messages do, does not use it up.
    """
    door, key = admin_door(), request.query_params.get("key", "")
    if request.method != "POST" and door.fits(key):
        return notice(
            "The forms, for this browser",
            "This link works once. From then on, this browser alone can change files and spend "
            "money here, until `arena serve` ends.",
            status=200,
            link=(f"{LINK}?{urlencode({'key': key})}", "Use them in this browser"),
            posts=True,
        )
    session = door.enter(key)
    if not session:
        return notice(
            "This link does not work",
            "It was used before, or it is not the one that `arena serve --admin` printed last. "
            "Restart the command for a new link.",
            status=403,
            link=("/", "All results"),
        )
    response = RedirectResponse(f"/{navigation.FORMS[0].path}", status_code=303)
    response.headers["Cache-Control"] = "no-store"
    response.set_cookie(door.cookie, session, httponly=True, samesite="lax")
    return response


@asynccontextmanager
async def _prepared(app: st.App) -> AsyncIterator[None]:
    """Read what the first viewer will see before the pages can be opened."""
    await to_thread.run_sync(warm_up)
    # Streamlit collects garbage after each run of a page, which takes 0.1 s as long as all that
    # was loaded up to here, and stays for good, is looked through.
    gc.collect()
    gc.freeze()
    yield


_pages = Pages(
    Path(__file__).with_name("app.py"),
    lifespan=_prepared,
    secrets=take_secrets(os.environ.pop(SECRETS, "")),
    routes=[
        Route("/", _front if only() else _first),
        Route(f"/{_HOME.path}", _home),
        Route(LINK, _enter, methods=["GET", "POST"]),
        Route(SIGN_IN, _sign_in),
        *(Route(path, _front) for path in _PATHS),
    ],
    middleware=[
        Middleware(Assets, assets=read_assets(front_page(), _FRONT.parent)),
        Middleware(PageAddresses, pages={"/", *DOORS, *_PATHS}),
    ],
)
#: Outside of all that Streamlit does, so that its own errors get their headers too.
app = Guard(
    _pages,
    access=read_access(),
    door=admin_door(),
    forms=[f"/{entry.path}" for entry in navigation.FORMS],
)
