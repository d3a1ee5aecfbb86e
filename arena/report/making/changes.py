"""What changed between two drafts of a speech, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from arena.languages import sentences

#: The number at the start of a line, and the blank after it, where a sentence would seem to end.
_NUMBER = re.compile(r"^(\s*\d+[.)])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A sentence that a draft no longer has, or has now."""

    kind: Literal["removed", "added"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftChanges:
    """The changes from one draft to the next.

    Attributes:
        kept: number of sentences of the earlier draft that the later one has in the same order.
        changes: in the order of the text; what was removed stands before what replaces it.
    """

    kept: int
    changes: tuple[Change, ...]

    def count(self, kind: Literal["removed", "added"]) -> int:
        """Count the sentences that were removed, or added."""
        return sum(change.kind == kind for change in self.changes)


def compare_drafts(earlier: str, later: str) -> DraftChanges:
    """Compare two drafts sentence by sentence; blanks and paragraphs do not matter.

    >>> compare_drafts("One. Two. Three.", "One. 2. Three.").changes
    (Change(kind='removed', text='Two.'), Change(kind='added', text='2.'))
    """
    first, second = _split(earlier), _split(later)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    kept = sum(end - start for code, start, end, _, _ in codes if code == "equal")
    changes = tuple(
        change
        for code, *spans in codes
        if code != "equal"
        for change in _changes(first[spans[0] : spans[1]], second[spans[2] : spans[3]])
    )
    return DraftChanges(kept=kept, changes=changes)


def _split(text: str) -> list[str]:
    """Return the sentences of a text; the number of a point belongs to its sentence."""
    lines = (_NUMBER.sub(r"\1\0", line) for line in text.splitlines())
    parts = (sentence for line in lines for sentence in sentences(line))
    return [" ".join(part.replace("\0", " ").split()) for part in parts]


def _changes(removed: Sequence[str], added: Sequence[str]) -> Iterator[Change]:
    for text in removed:
        yield Change(kind="removed", text=text)
    for text in added:
        yield Change(kind="added", text=text)
