"""Files that people write, taken as untrusted: what is no plain file of a usual size is refused."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

#: The largest file that is read whole, in bytes; the largest motion set known has 3 MB.
LARGEST = 64 * 2**20
#: The marks that some programs put in front of a text, longer ones first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: What a file is that begins so, at this place, and what to do; text is compared in small letters.
_OTHERS = (
    (b"version https://git-lfs", 0, "a pointer of Git LFS instead of the content. Fetch it in its "
     "repository: git lfs pull"),
    (b"<!doctype", 0, "a web page, perhaps of a login, instead of the content. Download the file "
     "itself, signed in, and look at what arrived"),
    (b"<html", 0, "a web page, perhaps of a login, instead of the content. Download the file "
     "itself, signed in, and look at what arrived"),
    (b"<?xml", 0, "XML, perhaps the answer of a server, instead of the content. Download the file "
     "itself, and look at what arrived"),
    (b"pk\x03\x04", 0, "a spreadsheet (.xlsx, .ods) or a ZIP archive, whatever its name says. Save "
     "the sheet as CSV, or unpack the archive"),
    (b"\xd0\xcf\x11\xe0", 0, "a spreadsheet (.xls), whatever its name says. Save it as CSV"),
    (b"bzh", 0, "compressed with bzip2. Unpack it with bunzip2"),
    (b"\xfd7zxz", 0, "compressed with xz. Unpack it with unxz"),
    (b"\x28\xb5\x2f\xfd", 0, "compressed with Zstandard. Unpack it with unzstd"),
    (b"7z\xbc\xaf", 0, "a 7-Zip archive. Unpack it"),
    (b"sqlite format 3", 0, "an SQLite database. Write the table as CSV"),
    (b"duck", 8, "a DuckDB database. Write the table as CSV (COPY … TO), or name it with --db if "
     "it is one of this program's"),
    (b"arrow1", 0, "an Arrow file (Feather). Write it as Parquet or CSV"),
    (b"obj\x01", 0, "an Avro file. Write it as Parquet or CSV"),
    (b"%pdf", 0, "a PDF document. Save its table as CSV"),
)  # fmt: skip
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


def find_encoding(start: bytes) -> str:
    """Return the encoding that the mark at the start of a text names; UTF-8 without one.

    >>> find_encoding("a".encode("utf-16")), find_encoding(b"a")
    ('utf-16', 'utf-8')
    """
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")


def find_other_content(start: bytes) -> str:
    """Return what a file is that cannot be meant, and what to do, by its first bytes; else ''."""
    folded = start.lstrip(b"\xef\xbb\xbf\r\n\t ").lower()
    for sign, place, meaning in _OTHERS:
        if folded[place:].startswith(sign):
            return f"it is {meaning}"
    return ""


def decode_text(content: bytes, encoding: str = "utf-8") -> str:
    """Return a text without a byte order mark, its lines ended as in Unix.

    Args:
        content: the text, in UTF-8, UTF-16 or UTF-32 as its mark says.
        encoding: what it is in without a mark.

    Raises:
        OSError: it is what can be no text, as a web page under another name.
        UnicodeDecodeError: it is in none of these encodings.
    """
    other = find_other_content(content[:512])
    if other:
        raise OSError(errno.EINVAL, other)
    marked = find_encoding(content[:4])
    text = content.decode(encoding if marked == "utf-8" else marked)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_foreign_sign(line: str) -> str:
    """Return the first sign of a line that word processors write for a plain one, and its remedy.

    >>> find_foreign_sign("name = \u201cx\u201d")
    'It has \u201c: write a plain " instead. '
    """
    signs = {**dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\uff02", 'a plain "'),
             **dict.fromkeys("\u2018\u2019\u201a", "a plain '"), "\uff1d": "a plain ="}  # fmt: skip
    for sign in line:
        if sign in signs:
            return f"It has {sign}: write {signs[sign]} instead. "
        if sign not in " \t" and (sign.isspace() or unicodedata.category(sign) == "Cf"):
            name = unicodedata.name(sign, "a control character").lower()
            return f"It has an invisible sign, {name} (U+{ord(sign):04X}): write a blank instead. "
    return ""


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
