"""A file of labelled pairs: a question, two answers, and which of them people prefer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from arena.battles.source import open_source
from arena.config.shipped import find_example
from arena.debates.speech_checks import foreign_share
from arena.errors import ConfigError
from arena.languages import ENGLISH, LANGUAGES
from arena.store.database import open_scratch_database
from arena.text import plain
from ratings import CON_WINS, PRO_WINS, TIE

#: Columns that a file must have, and those that it may have.
NEEDED = ("question", "answer_a", "answer_b", "winner")
OPTIONAL = ("id", "category", "language")
#: Accepted values of the column `winner`, with the outcome of the first answer.
WINNERS: Mapping[str, float] = {
    "a": PRO_WINS, "b": CON_WINS, "tie": TIE,
    "answer_a": PRO_WINS, "answer_b": CON_WINS,
    "model_a": PRO_WINS, "model_b": CON_WINS, "tie (bothbad)": TIE,
}  # fmt: skip

_EXAMPLES = files("judges") / "examples"
#: The most rows that an error message lists.
_MOST_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A question, two answers, and which of them people prefer.

    Attributes:
        item: its id; the number of its row where the file has none.
        outcome: the first answer's, by people: 1, ½ or 0.
        language: code of the prompts that it is judged with.
    """

    item: str
    question: str
    first: str
    second: str
    outcome: float
    category: str
    language: str


def example_pairs() -> list[str]:
    """Return the names of the shipped files."""
    return sorted(
        file.name.removesuffix(".jsonl")
        for file in _EXAMPLES.iterdir()
        if file.name.endswith(".jsonl")
    )


def read_pairs(file: Path, renamed: Mapping[str, str]) -> tuple[LabelledPair, ...]:
    """Read the pairs of a file, or of a shipped example by its name.

    Args:
        file: CSV, JSON lines or Parquet.
        renamed: names of the file's columns by ours, where they differ.

    Raises:
        ConfigError: the file cannot be read, has no rows, lacks a column, or a row cannot be used;
            the message names rows and columns.
    """
    if name := find_example(file, example_pairs()):
        with as_file(_EXAMPLES / f"{name}.jsonl") as shipped:
            return _read(shipped, renamed, where=str(file))
    return _read(file, renamed, where=str(file))


def _read(file: Path, renamed: Mapping[str, str], *, where: str) -> tuple[LabelledPair, ...]:
    with TemporaryDirectory() as folder, open_scratch_database(file, folder=Path(folder)) as link:
        source = open_source(link, file)
        columns = _match_columns(source.columns, renamed, where)
        frame: pd.DataFrame = link.execute(f"SELECT * FROM {source.query}").df()
    if frame.empty:
        raise ConfigError(f"{where}: has no rows; a file of labelled pairs has a row per pair.")
    frame = pd.DataFrame({ours: frame[theirs] for ours, theirs in columns.items()})
    rows = [
        {str(key): "" if pd.isna(value) else str(value) for key, value in row.items()}
        for row in frame.to_dict("records")
    ]
    problems = list(_find_problems(rows, columns))
    if problems:
        first = "".join(f"\n  {problem}" for problem in problems[:_MOST_ROWS])
        left = len(problems) - _MOST_ROWS
        more = f"\n  … and {left} more" if left > 0 else ""
        raise ConfigError(
            f"{where}: {len(problems)} of {len(rows)} rows cannot be used, so no pair was "
            f"judged.{first}{more}"
        )
    return tuple(_to_pair(row, number) for number, row in enumerate(rows, start=1))


def _match_columns(
    present: Sequence[str], renamed: Mapping[str, str], where: str
) -> dict[str, str]:
    """Return the names of the file's columns by ours.

    Raises:
        ConfigError: a needed column is missing, or `renamed` names an unknown one.
    """
    known = (*NEEDED, *OPTIONAL)
    for ours, theirs in renamed.items():
        if ours not in known:
            raise ConfigError(
                f"--column {ours}={theirs}: the first name must be one of {', '.join(known)}."
            )
        if theirs not in present:
            raise ConfigError(f"{where}: no column {theirs!r}; it has: {', '.join(present)}.")
    columns = {ours: renamed.get(ours, ours) for ours in known}
    missing = [columns[ours] for ours in NEEDED if columns[ours] not in present]
    if missing:
        raise ConfigError(
            f"{where}: no column {', '.join(missing)}; it has: {', '.join(present)}. Needed: "
            f"{', '.join(NEEDED)}; may have: {', '.join(OPTIONAL)}. "
            "Columns of other names: --column question=NAME."
        )
    return {ours: theirs for ours, theirs in columns.items() if theirs in present}


def _find_problems(rows: Sequence[Mapping[str, str]], columns: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each row that cannot be used.

    Args:
        rows: by our names of the columns.
        columns: the file's names by ours.
    """
    rows_of_ids: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        problem = _find_problem(row, columns)
        if not problem and "id" in columns:
            first = rows_of_ids.setdefault(row["id"].strip(), number)
            if first != number:
                value = _format_value(row["id"])
                problem = f"{columns['id']}: given {value}, which is also the id of row {first}"
        if problem:
            yield f"row {number}, column {problem}"


def _find_problem(row: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """Return the first problem of a row by itself; empty without one."""
    for ours in ("question", "answer_a", "answer_b", *({"id"} & set(columns))):
        if not row[ours].strip():
            return f"{columns[ours]}: is empty; accepted: a text"
    if _normalise(row["winner"]) not in WINNERS:
        accepted = ", ".join(WINNERS)
        return f"{columns['winner']}: given {_format_value(row['winner'])}; accepted: {accepted}"
    if row.get("language", "").strip() not in ("", *LANGUAGES):
        accepted = ", ".join(LANGUAGES)
        value = _format_value(row["language"])
        return f"{columns['language']}: given {value}; accepted: {accepted}"
    return ""


def _to_pair(row: Mapping[str, str], number: int) -> LabelledPair:
    """Return the pair of a row; its language is guessed where the file has none."""
    text = "\n".join((row["question"], row["answer_a"], row["answer_b"]))
    guessed = "zh" if foreign_share(text, ENGLISH) > 0.5 else "en"
    return LabelledPair(
        item=row["id"].strip() if "id" in row else str(number),
        question=row["question"].strip(),
        first=row["answer_a"].strip(),
        second=row["answer_b"].strip(),
        outcome=WINNERS[_normalise(row["winner"])],
        category=row.get("category", "").strip(),
        language=row.get("language", "").strip() or guessed,
    )


def _normalise(winner: str) -> str:
    return winner.strip().lower()


def _format_value(value: str) -> str:
    return repr(plain(value)[:60]) if value else "nothing"
