"""The scripts of Streamlit's that show a table, named where the browser sees them first.

Streamlit's page loads the script of a table only when the table arrives, together with that of
charts, which is ten times as large and would keep the browser from drawing the table. They come
after Streamlit's own, with which the browser connects to the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

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
