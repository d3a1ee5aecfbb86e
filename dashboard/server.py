"""The web server of the pages: Streamlit's, with a policy that lets a page load nothing else.

Streamlit's HTML page is served with two additions. A content security policy lets the browser load
from this address only, whatever a speech contains. And the page contains the address of the server;
otherwise it would first look for it below the path of each page, and report errors (Streamlit's
issue 7074).
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from dashboard import navigation  # loads the pages before the first viewer waits for them

_FRONT = Path(st.__file__).parent / "static" / "index.html"
_ADDRESS = "window.__streamlit = {BACKEND_BASE_URL: window.location.origin}"
#: Streamlit shows the first page of results at `/`, under no other address.
_HOME, *_OTHERS = navigation.RESULTS
_PATHS = [entry.path for entry in (*_OTHERS, *navigation.ALONE.values())]
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


def front_page() -> str:
    """Return Streamlit's HTML page, with the address of the server as its first script."""
    return _FRONT.read_text("utf-8").replace("<head>", f"<head><script>{_ADDRESS}</script>", 1)


def policy(page: str) -> str:
    """Return the content security policy of a page: this address, and the page's own scripts."""
    digests = [hashlib.sha256(script.encode()).digest() for script in _INLINE.findall(page)]
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    rules = {**_POLICY, "script-src": f"'self' {inline}"}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


async def _front(request: Request) -> Response:
    page = front_page()
    headers = {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": policy(page),
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return HTMLResponse(page, headers=headers)


async def _home(request: Request) -> Response:
    """Redirect the address of the first page to `/`."""
    return RedirectResponse(request.url.replace(path="/"))


app = st.App(
    Path(__file__).with_name("app.py"),
    routes=[
        Route("/", _front),
        Route(f"/{_HOME.path}", _home),
        *(Route(f"/{path}", _front) for path in _PATHS),
    ],
)
