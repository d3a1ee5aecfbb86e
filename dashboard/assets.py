"""The files of Streamlit's that every page begins with, answered from memory.

Streamlit reads such a file anew for each request, piece by piece in threads, after its own
middleware. A browser asks for over a hundred of them before it shows a table, and each takes the
server 2 ms, which the page's script then lacks.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

#: The addresses of files in Streamlit's page, whose names change with their content.
_NAMED = re.compile(r'(?:href|src)="\.(/static/(?:js|css|media)/[\w.-]+)"')
_FOREVER = {"Cache-Control": "public, immutable, max-age=31536000"}


def read_assets(page: str, folder: Path) -> dict[str, Response]:
    """Return the answers to requests for the files that a page names, by path.

    Args:
        page: HTML.
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
    """Middleware that answers requests for files it has in memory.

    Args:
        app: gets all other requests.
        assets: the answers, by path.
    """

    def __init__(self, app: ASGIApp, *, assets: Mapping[str, Response]) -> None:
        self._app, self._assets = app, assets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        answer = self._assets.get(scope["path"]) if is_get else None
        await (answer or self._app)(scope, receive, send)
