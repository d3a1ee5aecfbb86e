"""Search in a folder of local documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.errors import ConfigError
from arena.search.bm25 import SearchIndex
from arena.search.documents import READERS, UnreadableDocument, read_document
from arena.search.excerpts import split_excerpts
from arena.search.results import Finding
from arena.text import counted

#: Findings per query.
RESULTS = 5
#: Documents that a message names; of further ones it says only how many there are.
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The indexed excerpts of a folder's documents.

    Attributes:
        documents: number of documents that were read.
        skipped: the documents that could not be read, each with the reason.
    """

    index: SearchIndex
    documents: int
    skipped: tuple[str, ...]

    def lines(self, folder: str) -> list[str]:
        """Return the lines of a plan that say what can be searched and what was skipped."""
        excerpts = counted(len(self.index.findings), "excerpt")
        total = f"search: {excerpts} of {counted(self.documents, 'document')} in {folder}"
        return [total, *(f"skipped: {document}" for document in _shorten(self.skipped))]


class FolderSearch:
    """A search tool for a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """Return the best excerpts for a query; only those that share a word with it."""
        return self._library.index.best(query, most=RESULTS)


@cache
def read_library(folder: str) -> Library:
    """Read the documents in a folder and its subfolders, once per process.

    Hidden files and folders (whose names begin with a dot) and other kinds of files are ignored.

    Raises:
        ConfigError: there is no such folder, or no document in it that can be read.
    """
    root = Path(folder)
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        raise ConfigError(f"search.path: {folder} {what}. Name a folder of documents ({_kinds()}).")
    findings: list[Finding] = []
    skipped: list[str] = []
    files = _find_documents(root)
    for file in files:
        name = file.relative_to(root).as_posix()
        try:
            findings += _read_findings(file, name)
        except UnreadableDocument as reason:
            skipped.append(f"{name}: {reason}")
    if not findings:
        raise ConfigError(_format_empty(folder, skipped))
    return Library(
        index=SearchIndex(findings), documents=len(files) - len(skipped), skipped=tuple(skipped)
    )


def _find_documents(root: Path) -> list[Path]:
    documents = (
        file
        for file in root.rglob("*")
        if file.suffix.lower() in READERS
        and not file.is_dir()
        and not any(part.startswith(".") for part in file.relative_to(root).parts)
    )
    return sorted(documents, key=lambda file: file.relative_to(root).as_posix())


def _read_findings(file: Path, name: str) -> list[Finding]:
    return [
        Finding(origin=f"{name}, {place}" if place else name, excerpt=excerpt)
        for place, text in read_document(file)
        for excerpt in split_excerpts(text)
    ]


def _format_empty(folder: str, skipped: list[str]) -> str:
    if not skipped:
        return f"search.path: there is no document in {folder}. Put documents there ({_kinds()})."
    listed = "".join(f"\n  - {document}" for document in _shorten(skipped))
    return f"search.path: no readable document in {folder} ({_kinds()}):{listed}"


def _shorten(lines: list[str] | tuple[str, ...]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _kinds() -> str:
    return ", ".join(READERS)
