"""Search in a folder of documents: plain text, Markdown, HTML and PDF, split into excerpts.

An excerpt is short enough for a speech to cite and for a judge to read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

from arena.errors import ConfigError
from arena.languages import CHINESE, sentences
from arena.languages.language import BRACKETED_NUMBERS
from arena.search.bm25 import SearchIndex, select_excerpts
from arena.search.tool import Finding
from arena.text import counted
from motions.text_files import read_file

#: HTML elements whose content is no text.
_UNREAD = frozenset({"script", "style", "template", "noscript", "svg"})
#: HTML elements that do not end a line.
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em i kbd label mark q s samp small span strong sub sup "
    "time u var wbr font".split()
)
#: The largest document that is searched, in bytes.
_LARGEST = 256 * 2**20
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
        content = read_file(file, largest=_LARGEST)
    except OSError as error:
        raise UnreadableDocument(f"cannot be read: {error.strerror}") from None
    parts = READERS[file.suffix.lower()](content)
    readable = [(place, text.strip()) for place, text in parts if text.strip()]
    if not readable:
        is_pdf = file.suffix.lower() == ".pdf"
        scanned = " (if it is a scan, make it searchable with OCR)" if is_pdf else ""
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
_KINDS = ", ".join(READERS)


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


#: Length limit of an excerpt: words, or characters of Chinese text.
LONGEST = 150

_PARAGRAPH = re.compile(r"\n\s*\n")
_OWN_MARK = re.compile(BRACKETED_NUMBERS)
#: A piece of a sentence that is too long (a table, a scan without stops): cut between words where
#: there are any.
_STRETCH = re.compile(rf"\S.{{0,{LONGEST - 1}}}(?!\S)|\S.{{0,{LONGEST - 1}}}")


def flatten(text: str) -> str:
    r"""Put a text on one line, with its own citation marks in round brackets.

    Square brackets are reserved for the citations of speeches.

    >>> flatten("Wages\n rose [12], prices [P3].")
    'Wages rose (12), prices (P3).'
    """
    return _OWN_MARK.sub(lambda mark: f"({mark[0][1:-1]})", " ".join(text.split()))


def split_excerpts(text: str) -> list[str]:
    """Split a document's text into excerpts of whole sentences, none longer than LONGEST.

    Short paragraphs share an excerpt; long ones are divided.
    """
    excerpts: list[str] = []
    length = 0
    for sentence in _split_sentences(text):
        size = CHINESE.count(sentence)  # counts Chinese characters and all other words
        if excerpts and length + size <= LONGEST:
            excerpts[-1] = f"{excerpts[-1]} {sentence}"
            length += size
        else:
            excerpts.append(sentence)
            length = size
    return excerpts


def _split_sentences(text: str) -> Iterator[str]:
    for paragraph in _PARAGRAPH.split(text):
        for sentence in sentences(flatten(paragraph)):
            short = CHINESE.count(sentence) <= LONGEST
            yield from [sentence] if short else map(str.strip, _STRETCH.findall(sentence))


#: Findings per query.
RESULTS = 5
#: Documents that a message names; of further ones it says only how many there are.
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSearch:
    """A search tool for the excerpts of a folder's documents."""

    index: SearchIndex
    documents: int
    skipped: tuple[str, ...]

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the best excerpts for a query; only those that share a word with it."""
        return self.index.best(query, most=RESULTS)

    async def read(self, origin: str, question: str) -> tuple[Finding, ...]:
        """Return excerpts of a document (of a PDF's page), in its order."""
        page = [finding for finding in self.index.findings if finding.origin == origin]
        return select_excerpts(page, question)

    def lines(self, folder: str) -> list[str]:
        """Return the lines of a plan that say what can be searched and what was skipped."""
        excerpts = counted(len(self.index.findings), "excerpt")
        total = f"search: {excerpts} of {counted(self.documents, 'document')} in {folder}"
        return [total, *(f"skipped: {document}" for document in _shorten(self.skipped))]


@cache
def read_library(folder: str) -> FolderSearch:
    """Read the documents in a folder and its subfolders, once per process.

    Hidden files and folders (whose names begin with a dot) and other kinds of files are ignored.

    Raises:
        ConfigError: there is no such folder, or no document in it that can be read.
    """
    root = Path(folder)
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        raise ConfigError(f"search.path: {folder} {what}. Name a folder of documents ({_KINDS}).")
    findings: list[Finding] = []
    skipped: list[str] = []
    files = [
        file
        for file in sorted(root.rglob("*"), key=lambda file: file.relative_to(root).as_posix())
        if file.suffix.lower() in READERS
        and not file.is_dir()
        and not any(part.startswith(".") for part in file.relative_to(root).parts)
    ]
    for file in files:
        name = file.relative_to(root).as_posix()
        try:
            findings += [
                Finding(origin=f"{name}, {place}" if place else name, excerpt=excerpt)
                for place, text in read_document(file)
                for excerpt in split_excerpts(text)
            ]
        except UnreadableDocument as reason:
            skipped.append(f"{name}: {reason}")
    if findings:
        count = len(files) - len(skipped)
        return FolderSearch(index=SearchIndex(findings), documents=count, skipped=tuple(skipped))
    if skipped:
        listed = "".join(f"\n  - {document}" for document in _shorten(skipped))
        raise ConfigError(f"search.path: no readable document in {folder} ({_KINDS}):{listed}")
    raise ConfigError(
        f"search.path: there is no document in {folder}. Put documents there ({_KINDS})."
    )


def _shorten(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"and {more} more"] if more > 0 else [])]
