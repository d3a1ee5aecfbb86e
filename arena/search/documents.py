"""Reading the text of documents: plain text, Markdown, HTML and PDF."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

#: HTML elements whose content is no text.
_UNREAD = frozenset({"script", "style", "template", "noscript", "svg"})
#: HTML elements that do not end a line.
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd label mark q s samp small span strong sub sup "
    "time u var wbr font".split()
)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_BROKEN_WORD = re.compile(r"(?<=[a-z])-\n(?=[a-z])")

# pypdf's warnings about faulty files are of no use to somebody who searches them.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


class UnreadableDocument(Exception):
    """A document that cannot be searched; the message says why."""


def read_document(file: Path) -> list[tuple[str, str]]:
    """Read the text of a document as (place, text) parts; the place is `p. 3` in a PDF, else empty.

    Raises:
        UnreadableDocument: no such file, wrong encoding, a broken or encrypted PDF, no text.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UnreadableDocument(f"cannot be read: {error.strerror}") from None
    parts = READERS[file.suffix.lower()](content)
    readable = [(place, text.strip()) for place, text in parts if text.strip()]
    if not readable:
        scanned = (
            " (if it is a scan, make it searchable with OCR)"
            if file.suffix.lower() == ".pdf"
            else ""
        )
        raise UnreadableDocument(f"it contains no text{scanned}")
    return readable


def _read_text(content: bytes) -> list[tuple[str, str]]:
    return [("", _decode(content, "utf-8-sig"))]


def _read_html(content: bytes) -> list[tuple[str, str]]:
    declared = _CHARSET.search(content[:1024])
    charset = declared[1].decode("ascii", "replace") if declared else "utf-8-sig"
    reader = _PageReader()
    reader.feed(_decode(content, charset))
    reader.close()
    return [("", "".join(reader.parts))]


def _read_pdf(content: bytes) -> list[tuple[str, str]]:
    # Imported late: it takes 15 MB, and most programs read no PDF.
    from pypdf import PdfReader  # noqa: PLC0415
    from pypdf.errors import FileNotDecryptedError  # noqa: PLC0415

    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(content)).pages]
    except Exception as error:  # a broken file can make pypdf raise anything
        reason = "it is encrypted" if isinstance(error, FileNotDecryptedError) else "it is broken"
        raise UnreadableDocument(f"not a readable PDF: {reason}") from None
    return [
        (f"p. {number}", _BROKEN_WORD.sub("", text)) for number, text in enumerate(pages, start=1)
    ]


#: The reader of each kind of document, by file suffix.
READERS: Mapping[str, Callable[[bytes], list[tuple[str, str]]]] = {
    ".txt": _read_text,
    ".md": _read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".pdf": _read_pdf,
}


def _decode(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset)
    except (UnicodeDecodeError, LookupError):
        name = charset.removesuffix("-sig").upper()
        raise UnreadableDocument(f"it is not {name} text; save it as UTF-8") from None


class _PageReader(HTMLParser):
    """Collects the text of an HTML page in `parts`, with blank lines between blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._unread = 0  # depth of nested elements whose content is no text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in _UNREAD
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD and self._unread > 0
        self._part(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.parts.append(data)

    def _part(self, tag: str) -> None:
        if tag not in _INLINE:
            self.parts.append("\n\n")
