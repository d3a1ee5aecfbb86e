"""The rows of a user's file, with the place of each: CSV, JSON lines, a JSON array or Parquet."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.battles.source import form_of, is_json_array, read_values
from arena.battles.text_files import open_text
from arena.battles.winners import SHOWN_WORDS, read_word
from arena.debates.speech_checks import foreign_share
from arena.errors import ConfigError
from arena.languages import ENGLISH, LANGUAGES
from arena.store.scratch import open_scratch_database
from arena.text import counted, format_unreadable, plain
from ratings import CON_WINS, PRO_WINS, TIE


def majority(votes: Sequence[float]) -> float:
    """Return the outcome that has the most votes; a tie where no single one has.

    >>> majority([1.0, 1.0, 0.0]), majority([1.0, 0.5, 0.5]), majority([1.0, 0.5, 0.0])
    (1.0, 0.5, 0.5)
    """
    ranked = Counter(votes).most_common(2)
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return TIE
    return ranked[0][0]


def read_winner(word: str, models: tuple[str, str] = ("", "")) -> float | None:
    """Return the first answer's outcome by a word, or by the name of the model that won."""
    first, second = models
    named = {first: PRO_WINS, second: CON_WINS} if first != second else {}
    return named.get(word, read_word(word)) if word else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One row of a file.

    Attributes:
        number: counted from 1, without the line of a CSV file's names.
        line: where it begins, counted from 1; 0 where the form has no lines of its own.
        cells: by column: a text, or what JSON and Parquet nest; None for nothing.
    """

    number: int
    line: int
    cells: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Its number, and its line where that is another number."""
        return f"row {self.number}" + (
            f" (line {self.line})" if self.line not in (0, self.number) else ""
        )


def read_rows(file: Path) -> tuple[tuple[str, ...], list[FileRow]]:
    """Return the columns of a file, in their order, and its rows.

    Raises:
        ConfigError: the file is missing, empty, or in no form that can be read.
    """
    if not file.is_file() or file.stat().st_size == 0 or form_of(file) != "json":
        return _read_table(file)  # which says what is wrong
    rows = []
    for number, (line, cells) in enumerate(_load_rows(file), start=1):
        if not isinstance(cells, dict):
            place = f"line {line}" if line else f"element {number}"
            raise ConfigError(
                f"{file}: cannot be read: {place} is {type(cells).__name__}, not an object with "
                "the columns as names."
            )
        rows.append(FileRow(number=number, line=line, cells=cells))
    columns = dict.fromkeys(str(name) for row in rows for name in row.cells)
    return tuple(columns), rows


def _read_table(file: Path) -> tuple[tuple[str, ...], list[FileRow]]:
    """Read CSV or Parquet; refuse what is no such file."""
    with TemporaryDirectory() as folder, open_scratch_database(file, folder=Path(folder)) as link:
        columns, rows = read_values(link, file, folder=Path(folder))
    lines = list(_begin_csv_rows(file))[1:] if form_of(file) == "csv" else []
    return columns, [
        FileRow(number=number, line=line, cells=dict(zip(columns, cells, strict=True)))
        for number, (cells, line) in enumerate(
            zip(rows, chain(lines, repeat(0)), strict=False), start=1
        )
    ]


def _load_rows(file: Path) -> list[tuple[int, Any]]:
    """Return the values of JSON lines or of a JSON array, with their lines; 0 in an array."""
    number = 0
    try:
        with open_text(file) as lines:
            if is_json_array(file):
                return [(0, row) for row in json.loads(lines.read())]
            rows = []
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    rows.append((number, json.loads(line)))
            return rows
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{file}: cannot be read: line {number or error.lineno} is no JSON ({error.msg}, "
            f"column {error.colno})."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(file, error)) from None
    except (ValueError, RecursionError) as error:  # numbers and nesting beyond all use
        raise ConfigError(f"{file}: cannot be read: line {number or 1}: {error}.") from None


def _begin_csv_rows(file: Path) -> Iterator[int]:
    """Yield the line in which each row of a CSV file begins, that of its names included.

    A row ends with the first line end outside quotes, that is behind an even number of quotes.
    """
    quotes = 0
    with open_text(file) as lines:
        for number, line in enumerate(lines, start=1):
            if quotes % 2 == 0 and line.strip():
                yield number
            quotes += line.count('"')


_LANGUAGES = {**dict(zip(LANGUAGES, LANGUAGES, strict=True)), "english": "en", "chinese": "zh"}


class RowFault(Exception):
    """A row that cannot be used; the message names the column, and what is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowEntry:
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

    def exchanged(self) -> RowEntry:
        """Return the same with the second answer in front."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            votes=tuple(PRO_WINS - vote for vote in self.votes),
            names=(self.names[1], self.names[0]),
        )


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a row, by our names of the columns.

    Attributes:
        names: the file's names of the columns by ours.
    """

    values: Mapping[str, Any]
    names: Mapping[str, str]

    def fault(self, column: str, problem: str) -> RowFault:
        """Return the fault of a column."""
        return RowFault(f"column {self.names.get(column, column)}: {problem}")

    def value(self, column: str) -> Any:  # noqa: ANN401 - whatever a file holds
        """Return a cell; `None` where the row has nothing in the column."""
        value = self.values.get(column)
        return None if isinstance(value, float) and isnan(value) else value

    def word(self, column: str) -> str:
        """Return a short cell as a text without blanks around it; empty for nothing."""
        value = self.value(column)
        return "" if value is None else str(value).strip()

    def text(self, column: str, *, empty: str = "") -> str:
        """Return a cell's text; several texts are a fault, an empty one is without `empty`."""
        value = self.value(column)
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

    def vote(
        self,
        column: str,
        read: Callable[[str], float | None] = read_winner,
        *,
        accepted: str = ", ".join(SHOWN_WORDS),
    ) -> float:
        """Return the outcome of a cell that names a winner.

        Args:
            read: returns the outcome that a word stands for; `None` for an unknown word.
            accepted: describes the known ones.
        """
        word = self.word(column)
        outcome = read(word)
        if outcome is None:
            shown = repr(plain(word)[:60]) if word else "nothing"
            raise self.fault(column, f"given {shown}; accepted: {accepted}")
        return outcome

    def language(self, texts: Iterable[str]) -> str:
        """Return the code of the column `language`, else the one of the texts' script."""
        word = self.word("language")
        if not word:
            return "zh" if foreign_share("\n".join(texts), ENGLISH) > 0.5 else "en"
        if word.lower() not in _LANGUAGES:
            accepted = ", ".join(LANGUAGES)
            raise self.fault("language", f"given {plain(word)[:60]!r}; accepted: {accepted}")
        return _LANGUAGES[word.lower()]
