"""The text of motion files: UTF-8, with or without a byte order mark."""

import codecs
from importlib.resources.abc import Traversable

from motions.errors import Fault

#: Byte order marks of other encodings, the longer ones first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_REMEDY = (
    'accepted: UTF-8 only. Save the file in that encoding (in a spreadsheet: "CSV UTF-8"; in a '
    "shell: iconv -f {} -t UTF-8)."
)


def read_text(source: Traversable) -> str | Fault:
    """Return a file's text, or the fault that keeps it from being read."""
    try:
        content = source.read_bytes()
    except OSError as error:
        return Fault(file=str(source), problem=f"cannot be read: {error.strerror}. Check the file.")
    for mark, name in _MARKS:
        if content.startswith(mark):
            problem = f"{name}, according to its byte order mark; {_REMEDY.format(name)}"
            return Fault(file=str(source), line=1, problem=problem)
    if b"\0" in content:
        problem = f"it contains zero bytes, as UTF-16 does; {_REMEDY.format('UTF-16')}"
        return Fault(file=str(source), line=_line(content, content.index(b"\0")), problem=problem)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
        problem = f"not UTF-8: the byte {byte}, perhaps Latin-1; {_REMEDY.format('LATIN1')}"
        return Fault(file=str(source), line=_line(content, error.start), problem=problem)


def _line(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1
