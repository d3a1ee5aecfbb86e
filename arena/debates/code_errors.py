"""Exceptions in the code of debaters and judges, as they are recorded and shown.

A bug is no result: its debate or ballot gets the status `error`, counts nowhere, and is played
again once the code has been corrected.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arena.errors import PROPAGATED_ERRORS, ContentFault, SpeechAwaited
from arena.languages import Side, Stage
from arena.llm.faults import remove_secrets
from arena.plugins import plugin_packages
from arena.text import plain

#: Characters of an exception's message, and of a traceback: its middle is left out beyond that.
_LONGEST_MESSAGE = 200
_LONGEST_TRACEBACK = 20_000
_FILE = re.compile(r'(?<=File ")[^"\n]+(?=")')
#: The project's own packages, in which an exception of somebody else's code may surface.
_OWN = frozenset({"arena", "judges"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedError:
    """An exception that a debater's code raised.

    Attributes:
        stage: of the speech; `None` where the debater could not be made.
    """

    side: Side
    stage: Stage | None
    error: BaseException


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeError:
    """An exception in the code of a debater or a judge, without secrets, as it is stored.

    Attributes:
        code: its framework or method: `debater weakest_point`, `judge last_word`.
        side: of the debater; '' for a judge.
        where: side and stage of the speech, or the run of the bench.
        message: the exception's text on one line, shortened.
        place: file and line in the code of the debater or judge: `weakest_point/__init__.py:31`.
    """

    owner: str
    code: str
    side: Literal["", "pro", "con"] = ""
    where: str
    exception: str
    message: str
    place: str
    traceback: str

    @property
    def kind(self) -> tuple[str, str, str, str]:
        """What errors of one kind have in common: whose they are, their class and their place."""
        return self.owner, self.code, self.exception, self.place

    @property
    def summary(self) -> str:
        """The exception and its place, on one line."""
        message = f": {self.message}" if self.message else ""
        return f"{self.exception}{message}" + f" ({self.place})" * bool(self.place)


def describe_error(  # noqa: PLR0913 - an error has as many parts
    error: BaseException,
    *,
    owner: str,
    code: str,
    where: str,
    side: Literal["", "pro", "con"] = "",
    secrets: Iterable[str] = (),
) -> CodeError:
    """Describe an exception for storage and display: secrets removed, paths made relative.

    Args:
        owner: as in `CodeError`, like `code`, `where` and `side`.
        secrets: keys that must not be stored, besides those of secret environment variables.
    """
    keys = tuple(secrets)
    try:
        own_text = str(error)
    except Exception:  # noqa: BLE001 - a bug in the exception's own code
        own_text = "(an exception without readable text)"
    text = _clean("".join(traceback.format_exception(error)), keys)
    message = " ".join(_clean(own_text, keys).split())
    return CodeError(
        owner=owner,
        code=code,
        side=side,
        where=where,
        exception=plain(type(error).__name__),
        message=_shorten(message, _LONGEST_MESSAGE),
        place=_find_place(error),
        traceback=_shorten(text, _LONGEST_TRACEBACK),
    )


def leading_error(error: BaseException) -> BaseException:
    """Return the error of a group (of `asyncio.TaskGroup`) that decides what becomes of the unit.

    It is one that says nothing about the unit, if there is one, else a bug, else the first.

    >>> leading_error(ExceptionGroup("two tasks", [ContentFault("empty"), KeyError("x")]))
    KeyError('x')
    """
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [leading_error(leaf) for leaf in error.exceptions]
    return min(leaves, key=lambda leaf: (not isinstance(leaf, PROPAGATED_ERRORS), not is_bug(leaf)))


def is_bug(error: BaseException) -> bool:
    """Return whether an exception of a debater's or judge's code says nothing but that it is wrong.

    So does a cancelled task: whoever ends a run cancels the code that waits for the debater.
    """
    return not isinstance(error, (*PROPAGATED_ERRORS, ContentFault, SpeechAwaited))


def format_fault(error: BaseException) -> str:
    """Format a fault for the reason of a forfeit or a failed ballot: its class and its text."""
    return f"{type(error).__name__}: {error}"


def _find_place(error: BaseException) -> str:
    """Return the innermost line in a package of a debater or judge, else in the project."""
    frames = [
        (str(frame.f_globals.get("__name__", "")).partition(".")[0], frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    for packages in (plugin_packages() - _OWN, _OWN):
        for package, file, line in reversed(frames):
            if package in packages:
                return f"{plain(_make_relative(file))}:{line}"
    return f"{plain(_make_relative(frames[-1][1]))}:{frames[-1][2]}" if frames else ""


def _clean(text: str, keys: tuple[str, ...]) -> str:
    """Remove secrets, control characters and the machine's paths from a text."""
    text = remove_secrets(text, keys)
    text = _FILE.sub(lambda match: _make_relative(match[0]), text)
    with suppress(OSError):
        text = text.replace(os.path.join(os.getcwd(), ""), "")
    home = str(Path.home())
    text = text.replace(home, "~") if len(home) > 1 else text
    return plain(text).encode("utf-8", "replace").decode()


def _make_relative(file: str) -> str:
    """Return a file's path relative to the folder from which Python imported it, if any."""
    roots = {os.path.join(folder, "") for folder in sys.path if os.path.isabs(folder)}
    with suppress(OSError):
        roots.add(os.path.join(os.getcwd(), ""))
    longest_first = sorted(roots - {os.sep}, key=len, reverse=True)
    return next((file.removeprefix(root) for root in longest_first if file.startswith(root)), file)


def _shorten(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} … {text[-half:]}"
