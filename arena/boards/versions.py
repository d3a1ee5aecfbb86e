"""The versions of all that can change a board: code, libraries, machine."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

_LIBRARIES: Final = ("numpy", "scipy", "pandas", "duckdb")
#: The packages whose code computes a board.
_CODE: Final = ("ratings", "arena.boards")
_DIGITS: Final = 12


@cache
def current_versions() -> Mapping[str, str]:
    """Return the versions of the code, libraries and machine that would compute a board now."""
    return {
        "debate-arena": version("debate-arena"),
        "code": _code_hash(),
        **{name: version(name) for name in _LIBRARIES},
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _code_hash() -> str:
    """Return a hash of the code that computes boards."""
    hashed = hashlib.sha256()
    for package in _CODE:
        for name, content in sorted(_sources(files(package))):
            hashed.update(f"{package} {name}\n".encode() + content)
    return hashed.hexdigest()[:_DIGITS]


def _sources(folder: Any) -> list[tuple[str, bytes]]:  # noqa: ANN401 - importlib's Traversable
    sources = []
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            sources.append((entry.name, entry.read_bytes()))
        elif entry.is_dir() and entry.name != "__pycache__":
            sources += [(f"{entry.name}/{name}", content) for name, content in _sources(entry)]
    return sources
