"""A row of labelled pairs by the names of its columns, and what it says about a pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from arena.debates.speech_checks import foreign_share
from arena.languages import ENGLISH, LANGUAGES
from arena.text import counted, plain
from judges.studies.labelled.votes import UnknownVote
from ratings import PRO_WINS

_LANGUAGES = {**{code: code for code in LANGUAGES}, "english": "en", "chinese": "zh"}


class RowFault(Exception):
    """A row that cannot be used; the message names the column, and what is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one row says about a pair.

    Attributes:
        key: the same for all rows on one pair, whichever answer stands first; empty where the
            texts alone say which pair it is.
        key_column: the column that the key comes from, by our name.
        background: what a judge is told about the task; empty for nothing.
        names: of who gave the two answers; empty where the file does not say.
        votes: the first answer's outcomes, one per vote.
        cluster: what its question is known by; empty for its text.
    """

    question: str
    first: str
    second: str
    votes: tuple[float, ...]
    language: str
    category: str = ""
    item: str = ""
    key: str = ""
    key_column: str = "id"
    background: str = ""
    names: tuple[str, str] = ("", "")
    cluster: str = ""

    def exchanged(self) -> Entry:
        """Return the same with the second answer in front."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            votes=tuple(PRO_WINS - vote for vote in self.votes),
            names=(self.names[1], self.names[0]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The cells of a row, by our names of the columns.

    Attributes:
        values: of all columns.
        names: the file's names of the columns by ours.
    """

    values: Mapping[str, Any]
    names: Mapping[str, str]

    def has(self, column: str) -> bool:
        """Tell whether the row has something in a column."""
        value = self.values.get(column)
        return value is not None and not (isinstance(value, float) and isnan(value))

    def fault(self, column: str, problem: str) -> RowFault:
        """Return the fault of a column."""
        return RowFault(f"column {self.names.get(column, column)}: {problem}")

    def word(self, column: str) -> str:
        """Return a short cell as a text without blanks around it; empty for nothing."""
        return str(self.values[column]).strip() if self.has(column) else ""

    def text(self, column: str, *, empty: str = "") -> str:
        """Return a cell's text.

        Args:
            column: by our name.
            empty: stands for an empty text; without it, an empty one is a fault.

        Raises:
            RowFault: it is empty, or holds several texts.
        """
        value = self.values.get(column) if self.has(column) else None
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
            value = value[0]
        if isinstance(value, list | dict):
            problem = (
                f"has {counted(len(value), 'answer')}; a pair has one in each column: make a row "
                "of each pair"
                if all(isinstance(part, str) for part in value)
                else "holds a list; accepted: a text (conversations stand in the columns "
                "conversation_a and conversation_b)"
            )
            raise self.fault(column, problem)
        text = str(value).lower() if isinstance(value, bool) else str(value or "").strip()
        if not text and (value is None or not empty):
            raise self.fault(column, "is empty; accepted: a text")
        return text or empty

    def vote(self, column: str, read: Callable[[str], float]) -> float:
        """Return the outcome of a cell that names a winner.

        Raises:
            RowFault: it names none.
        """
        word = self.word(column)
        try:
            return read(word)
        except UnknownVote as unknown:
            shown = repr(plain(word)[:60]) if word else "nothing"
            raise self.fault(column, f"given {shown}; accepted: {unknown}") from None

    def language(self, texts: Iterable[str]) -> str:
        """Return the code of the column `language`, else the one of the texts' script.

        Raises:
            RowFault: the column names no known language.
        """
        word = self.word("language")
        if not word:
            return "zh" if foreign_share("\n".join(texts), ENGLISH) > 0.5 else "en"
        if word.lower() not in _LANGUAGES:
            accepted = ", ".join(LANGUAGES)
            raise self.fault("language", f"given {plain(word)[:60]!r}; accepted: {accepted}")
        return _LANGUAGES[word.lower()]
