"""A file of labelled pairs: a question, two answers, and which of them people prefer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from arena.battles.source import open_source
from arena.config.shipped import example_named
from arena.debates.speech_checks import foreign_share
from arena.errors import ConfigError
from arena.languages import ENGLISH, LANGUAGES
from arena.store.database import scratch
from arena.text import plain
from ratings import CON_WINS, PRO_WINS, TIE

#: Columns that a file must have, and those that it may have.
NEEDED = ("question", "answer_a", "answer_b", "winner")
OPTIONAL = ("id", "category", "language")
#: What the column `winner` may say, as the outcome of the first answer.
WINNERS: Mapping[str, float] = {
    "a": PRO_WINS, "b": CON_WINS, "tie": TIE,
    "answer_a": PRO_WINS, "answer_b": CON_WINS,
    "model_a": PRO_WINS, "model_b": CON_WINS, "tie (bothbad)": TIE,
}  # fmt: skip

_EXAMPLES = files("judges") / "examples"
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One labelled pair.

    Attributes:
        item: its id; the number of its row where the file has none.
        outcome: the first answer's, as people see it: 1, ½ or 0.
        language: of the prompts that it is judged with.
    """

    item: str
    question: str
    first: str
    second: str
    outcome: float
    category: str
    language: str


def example_pairs() -> list[str]:
    """The names of the shipped files."""
    return sorted(
        one.name.removesuffix(".jsonl")
        for one in _EXAMPLES.iterdir()
        if one.name.endswith(".jsonl")
    )


def read_labelled(file: Path, renamed: Mapping[str, str]) -> tuple[Labelled, ...]:
    """The pairs of a file, or of a shipped example by its name.

    Args:
        file: CSV, JSON lines or Parquet.
        renamed: columns of the file by our names, where they differ.

    Raises:
        ConfigError: it cannot be read, has no rows, lacks a column, or a row cannot be used; the
            message names rows and columns.
    """
    if name := example_named(file, example_pairs()):
        with as_file(_EXAMPLES / f"{name}.jsonl") as shipped:
            return _read(shipped, renamed, where=str(file))
    return _read(file, renamed, where=str(file))


def _read(file: Path, renamed: Mapping[str, str], *, where: str) -> tuple[Labelled, ...]:
    with TemporaryDirectory() as folder, scratch(file, folder=Path(folder)) as link:
        source = open_source(link, file)
        place = _columns(source.columns, renamed, where)
        found: pd.DataFrame = link.execute(f"SELECT * FROM {source.query}").df()
    if found.empty:
        raise ConfigError(f"{where}: has no rows; a file of labelled pairs has a row per pair.")
    frame = pd.DataFrame({ours: found[theirs] for ours, theirs in place.items()})
    rows = [
        {str(key): "" if pd.isna(value) else str(value) for key, value in row.items()}
        for row in frame.to_dict("records")
    ]
    problems = list(_problems(rows, place))
    if problems:
        shown = "".join(f"\n  {one}" for one in problems[:_SHOWN])
        more = f"\n  … and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise ConfigError(
            f"{where}: {len(problems)} of {len(rows)} rows cannot be used, so nothing is judged."
            f"{shown}{more}"
        )
    return tuple(_pair(row, number) for number, row in enumerate(rows, start=1))


def _columns(found: Sequence[str], renamed: Mapping[str, str], where: str) -> dict[str, str]:
    """Columns of the file by our names."""
    known = (*NEEDED, *OPTIONAL)
    for ours, theirs in renamed.items():
        if ours not in known:
            raise ConfigError(f"--column {ours}={theirs}: accepted names: {', '.join(known)}.")
        if theirs not in found:
            raise ConfigError(f"{where}: no column {theirs!r}; it has: {', '.join(found)}.")
    place = {ours: renamed.get(ours, ours) for ours in known}
    missing = [place[ours] for ours in NEEDED if place[ours] not in found]
    if missing:
        raise ConfigError(
            f"{where}: no column {', '.join(missing)}; it has: {', '.join(found)}. Needed: "
            f"{', '.join(NEEDED)}; may have: {', '.join(OPTIONAL)}. "
            "Columns of other names: --column question=NAME."
        )
    return {ours: theirs for ours, theirs in place.items() if theirs in found}


def _problems(rows: Sequence[Mapping[str, str]], place: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with each row that cannot be used."""
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        fault = _fault(row, place)
        if not fault and "id" in place:
            first = seen.setdefault(row["id"].strip(), number)
            if first != number:
                given = _short(row["id"])
                fault = f"{place['id']}: given {given}, which row {first} has already"
        if fault:
            yield f"row {number}, column {fault}"


def _fault(row: Mapping[str, str], place: Mapping[str, str]) -> str:
    for ours in ("question", "answer_a", "answer_b", *({"id"} & set(place))):
        if not row[ours].strip():
            return f"{place[ours]}: is empty; accepted: a text"
    if _word(row["winner"]) not in WINNERS:
        accepted = ", ".join(WINNERS)
        return f"{place['winner']}: given {_short(row['winner'])}; accepted: {accepted}"
    if row.get("language", "").strip() not in ("", *LANGUAGES):
        accepted = ", ".join(LANGUAGES)
        return f"{place['language']}: given {_short(row['language'])}; accepted: {accepted}"
    return ""


def _pair(row: Mapping[str, str], number: int) -> Labelled:
    text = "\n".join((row["question"], row["answer_a"], row["answer_b"]))
    spoken = "zh" if foreign_share(text, ENGLISH) > 0.5 else "en"
    return Labelled(
        item=row["id"].strip() if "id" in row else str(number),
        question=row["question"].strip(),
        first=row["answer_a"].strip(),
        second=row["answer_b"].strip(),
        outcome=WINNERS[_word(row["winner"])],
        category=row.get("category", "").strip(),
        language=row.get("language", "").strip() or spoken,
    )


def _word(given: str) -> str:
    return given.strip().lower()


def _short(given: str) -> str:
    return repr(plain(given)[:60]) if given else "nothing"
