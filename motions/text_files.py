"""Files that people write, taken as untrusted: what is no plain file of a usual size is refused."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

#: The largest file that is read whole, in bytes; the largest motion set known has 3 MB.
LARGEST = 64 * 2**20
_MANY_DIGITS = re.compile(r"[\d_]{4300,}")  # Python converts no longer ones
_DEEP = 100


def open_descriptor(file: Path) -> int:
    """Open a file for reading without waiting for whoever writes into it.

    Raises:
        OSError: it is missing, a directory, a device, a pipe or a socket, or may not be read.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, "it is a directory. Name a file in it")
    raise OSError(errno.EINVAL, "it is a device, a pipe or a socket. Save its content as a file")


def read_file(file: Path, *, largest: int = LARGEST) -> bytes:
    """Return the content of a file.

    Args:
        largest: bytes that it may have.

    Raises:
        OSError: like `open_descriptor`, or it is larger.
    """
    with os.fdopen(open_descriptor(file), "rb") as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        size = f"{largest / 2**20:,.0f} MB"
        raise OSError(
            errno.EFBIG, f"it has more than {size}, so it is not what is meant to be read here"
        )
    return content


def decode_text(content: bytes) -> str:
    """Return the text of a UTF-8 file without a byte order mark, its lines ended as in Unix.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class TomlTooLarge(tomllib.TOMLDecodeError):
    """A value that `tomllib` gives up on with another error."""

    def __init__(self, problem: str, text: str, place: int) -> None:
        before = text[:place]
        column = place - before.rfind("\n")
        ValueError.__init__(
            self, f"{problem} (at line {before.count(chr(10)) + 1}, column {column})"
        )


def parse_toml(text: str) -> dict[str, Any]:
    """Return the content of a TOML document.

    Raises:
        tomllib.TOMLDecodeError: it is none, or values are nested or long beyond all use.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        place, depth = 0, 0
        for match in re.finditer(r"[\[{\]}]", text):
            depth += 1 if match[0] in "[{" else -1
            if depth > _DEEP:
                place = match.start()
                break
        raise TomlTooLarge("Values are nested too deeply", text, place) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # of int(): more digits than Python converts
        number = _MANY_DIGITS.search(text)
        problem = "A number has too many digits" if number else f"A value is refused: {error}"
        raise TomlTooLarge(problem, text, number.start() if number else 0) from None
