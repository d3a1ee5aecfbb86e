"""What a worker has on its machine, and what keeps it from working for a run.

A run sends `read_equipment` to machines that may lack this package, so nothing but the standard
library is imported here.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

#: Our distribution, and its packages that take part in a debate.
_OURS: Final = "debate-arena"
_CODE: Final = ("arena", "judges", "motions", "ratings")
_GROUPS: Final = ("arena.debaters", "arena.judges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What a process has to work with.

    Attributes:
        python: its version without the last part: `3.12`.
        versions: of packages by name; '' for one that is not installed.
        code: a digest of this program's modules and prompts; '' where it is not installed.
        unset: the environment variables that were asked for and are not set, or empty.
    """

    python: str
    versions: Mapping[str, str]
    code: str
    unset: Sequence[str]


def read_equipment(packages: Iterable[str], variables: Iterable[str]) -> Equipment:
    """Return what this process has to work with; values of variables are not shown."""
    return Equipment(
        python=".".join(platform.python_version_tuple()[:2]),
        versions={name: _version(name) for name in packages},
        code=_digest_code(),
        unset=[name for name in variables if not os.environ.get(name)],
    )


def needed_packages(*, litellm: bool) -> list[str]:
    """Return the packages that must be the same in all processes: those of debaters, judges too.

    Args:
        litellm: whether a model may be called through it.
    """
    plugins = {
        point.dist.name for group in _GROUPS for point in entry_points(group=group) if point.dist
    }
    return sorted({*plugins, _OURS, *["litellm"] * litellm})


def find_objections(here: Equipment, there: Equipment) -> list[str]:
    """List what keeps a worker from working for a run, each with its remedy.

    >>> one = Equipment(python="3.12", versions={"litellm": "1.2"}, code="ab", unset=())
    >>> two = Equipment(python="3.12", versions={"litellm": "1.1"}, code="ab", unset=["A_KEY"])
    >>> for objection in find_objections(one, two):
    ...     print(objection)
    litellm is 1.1 there and 1.2 here: install the same versions there
    A_KEY is not set there: set it in the environment of the worker's machine, and start it again
    """
    objections = []
    if there.python != here.python:
        objections.append(
            f"Python is {there.python} there and {here.python} here: use the same there"
        )
    for name, ours in here.versions.items():
        theirs = there.versions.get(name, "")
        if theirs != ours and not theirs:
            objections.append(f"{name} is not installed there: install {name} {ours} there")
        elif theirs != ours:
            objections.append(
                f"{name} is {theirs} there and {ours} here: install the same versions there"
            )
    if not objections and there.code != here.code:
        objections.append(
            f"the modules of {_OURS} are not the same there as here: install the same state there"
        )
    if there.unset:
        them = "it" if len(there.unset) == 1 else "them"
        verb = "is" if len(there.unset) == 1 else "are"
        objections.append(
            f"{', '.join(there.unset)} {verb} not set there: set {them} in the environment of the "
            "worker's machine, and start it again"
        )
    return objections


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _digest_code() -> str:
    digest = sha256()
    for package in _CODE:
        spec = find_spec(package)
        for folder in map(Path, (spec and spec.submodule_search_locations) or ()):
            for path in sorted(folder.rglob("*")):
                is_prompt = path.suffix == ".md" and "prompts" in path.parts
                if path.suffix in (".py", ".json", ".toml") or is_prompt:
                    digest.update(f"{path.relative_to(folder.parent)}\0".encode())
                    digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()
