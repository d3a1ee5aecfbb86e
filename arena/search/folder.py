"""Search in a folder of local documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.errors import ConfigError
from arena.search.bm25 import Ranking
from arena.search.documents import READERS, Unreadable, read_document
from arena.search.excerpts import excerpts
from arena.search.results import Finding

#: Findings per query.
RESULTS = 5
#: Documents that a message names before it says how many there are.
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The excerpts of a folder's documents.

    Attributes:
        documents: how many were read.
        skipped: those that could not be, each with the reason.
    """

    ranking: Ranking
    documents: int
    skipped: tuple[str, ...]

    def lines(self, folder: str) -> list[str]:
        """What there is to search, and what was left out, for a plan."""
        count = len(self.ranking.findings)
        found = f"search: {_counted(count, 'excerpt')} of {_counted(self.documents, 'document')}"
        return [f"{found} in {folder}", *(f"skipped: {one}" for one in _first(self.skipped))]


class FolderSearch:
    """A library as a search tool."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def __call__(self, query: str) -> tuple[Finding, ...]:
        """The excerpts nearest to a query, best first; none without a word in common."""
        return self._library.ranking.best(query, most=RESULTS)


@cache
def library_of(folder: str) -> Library:
    """The library of a folder and of the folders in it, read once per process.

    What is hidden (its name begins with a dot) is left alone, and so are files of other kinds.

    Raises:
        ConfigError: there is no such folder, or no document in it that can be read.
    """
    root = Path(folder)
    if not root.is_dir():
        what = "is no folder" if root.exists() else "does not exist"
        raise ConfigError(f"search.path: {folder} {what}. Name a folder of documents ({_kinds()}).")
    findings: list[Finding] = []
    skipped: list[str] = []
    files = _documents(root)
    for file in files:
        name = file.relative_to(root).as_posix()
        try:
            findings += _findings(file, name)
        except Unreadable as reason:
            skipped.append(f"{name}: {reason}")
    if not findings:
        raise ConfigError(_nothing(folder, skipped))
    return Library(
        ranking=Ranking(findings), documents=len(files) - len(skipped), skipped=tuple(skipped)
    )


def _documents(root: Path) -> list[Path]:
    found = (
        file
        for file in root.rglob("*")
        if file.suffix.lower() in READERS
        and not file.is_dir()
        and not any(part.startswith(".") for part in file.relative_to(root).parts)
    )
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def _findings(file: Path, name: str) -> list[Finding]:
    return [
        Finding(origin=f"{name}, {place}" if place else name, excerpt=excerpt)
        for place, text in read_document(file)
        for excerpt in excerpts(text)
    ]


def _nothing(folder: str, skipped: list[str]) -> str:
    if not skipped:
        return f"search.path: no document in {folder}. Put some there ({_kinds()})."
    listed = "".join(f"\n  - {one}" for one in _first(skipped))
    return f"search.path: no readable document in {folder} ({_kinds()}):{listed}"


def _first(lines: list[str] | tuple[str, ...]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _kinds() -> str:
    return ", ".join(READERS)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
