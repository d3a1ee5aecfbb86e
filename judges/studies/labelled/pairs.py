"""A file of labelled pairs: a question, two answers, and which of them people prefer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from arena.config.load import find_example
from arena.errors import ConfigError
from arena.records import digest
from arena.text import counted, plain
from judges.studies.labelled.layouts import LAYOUTS, NEEDED, OPTIONAL, find_layout
from judges.studies.labelled.rows import Cells, FileRow, RowEntry, RowFault, majority, read_rows
from ratings import PRO_WINS

_EXAMPLES = files("judges") / "examples"
#: The most rows that a message lists.
MOST_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A question, two answers, and which of them people prefer.

    Attributes:
        item: its id; the number of its first row where the file has none.
        outcome: the first answer's, by the majority of the votes: 1, ½ or 0.
        votes: the first answer's outcomes, one per vote.
        language: code of the prompts that it is judged with.
        cluster: what pairs of the same question have in common.
        background: what a judge is told about the task; empty for nothing.
    """

    item: str
    question: str
    first: str
    second: str
    outcome: float
    votes: tuple[float, ...]
    category: str
    language: str
    cluster: str
    background: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFile:
    """What was read of a file.

    Attributes:
        rows: number of rows, those that were skipped included.
        skipped: a line for each row that could not be used.
        repeats: number of pairs that were left out because an earlier one has the same texts and
            the same votes; they tell nothing new.
    """

    pairs: tuple[LabelledPair, ...]
    layout: str
    rows: int
    skipped: tuple[str, ...] = ()
    repeats: int = 0

    @property
    def votes(self) -> int:
        """The number of votes on all pairs."""
        return sum(len(pair.votes) for pair in self.pairs)


def example_pairs() -> list[str]:
    """Return the names of the shipped files."""
    return sorted(
        file.name.removesuffix(".jsonl")
        for file in _EXAMPLES.iterdir()
        if file.name.endswith(".jsonl")
    )


def read_pairs(file: Path, renamed: Mapping[str, str], *, skip_bad: bool = False) -> PairFile:
    """Read the pairs of a file, or of a shipped example by its name.

    Args:
        file: in any form of `rows` and any of `LAYOUTS`.
        renamed: names of the file's columns by ours, where they differ.
        skip_bad: leave out rows that cannot be used.

    Raises:
        ConfigError: the file cannot be read, has no rows, has the columns of no layout, or a row
            cannot be used (with `skip_bad`, no row can); the message names rows and columns.
    """
    where = str(file)
    if name := find_example(file, example_pairs()):
        with as_file(_EXAMPLES / f"{name}.jsonl") as shipped:
            present, rows = read_rows(shipped)
    else:
        present, rows = read_rows(file)
    if not rows:
        raise ConfigError(f"{where}: has no rows; a file of labelled pairs has a row per pair.")
    columns = _name_columns(present, renamed, where)
    layout = find_layout(list(columns))
    if layout is None:
        raise ConfigError(_format_missing(present, renamed, where))
    groups, problems = _Groups(), []
    for row in rows:
        cells = Cells({ours: row.cells.get(theirs) for ours, theirs in columns.items()}, columns)
        try:
            groups.add(layout.entry(cells), row, cells)
        except RowFault as fault:
            problems.append(f"{row.place}, {fault}")
    if problems and not (skip_bad and groups.pairs):
        remedy = "" if skip_bad else " Mend these rows, or leave them out with --skip-bad."
        raise ConfigError(
            f"{where}: {len(problems)} of {counted(len(rows), 'row')} cannot be used, so no pair "
            f"was judged.{remedy}{format_skipped(problems)}"
        )
    pairs = groups.labelled()
    distinct: dict[tuple[object, ...], LabelledPair] = {}
    for pair in pairs:
        distinct.setdefault(_identify(pair), pair)
    return PairFile(
        pairs=tuple(distinct.values()),
        layout=layout.title,
        rows=len(rows),
        skipped=tuple(problems),
        repeats=len(pairs) - len(distinct),
    )


def format_skipped(lines: Sequence[str]) -> str:
    """Return some rows that cannot be used, a line each, and how many more there are."""
    first = "".join(f"\n  {line}" for line in lines[:MOST_ROWS])
    left = len(lines) - MOST_ROWS
    return first + (f"\n  … and {left} more" if left > 0 else "")


def _identify(pair: LabelledPair) -> tuple[object, ...]:
    """Return what repeats of a pair have in common: its texts and votes, in either order."""
    task = (pair.question, pair.background, pair.language)
    if pair.first <= pair.second:
        return (*task, pair.first, pair.second, *sorted(pair.votes))
    return (*task, pair.second, pair.first, *sorted(PRO_WINS - vote for vote in pair.votes))


def _name_columns(present: Sequence[str], renamed: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the file's names of its columns by ours: in lower case, or as renamed."""
    published = (name for layout in LAYOUTS for name in (*layout.needed, *layout.used))
    known = dict.fromkeys((*NEEDED, *OPTIONAL, *published))
    for ours, theirs in renamed.items():
        if ours not in known:
            raise ConfigError(
                f"--column {ours}={theirs}: the first name must be one of {', '.join(known)}."
            )
        if theirs not in present:
            raise ConfigError(f"{where}: no column {theirs!r}; it has: {', '.join(present)}.")
    return {**{name.strip().lower(): name for name in present}, **renamed}


def _format_missing(present: Sequence[str], renamed: Mapping[str, str], where: str) -> str:
    names = {name.strip().lower() for name in present} | set(renamed)
    missing = [column for column in NEEDED if column not in names]
    published = "; ".join(f"{lay.title}: {', '.join(lay.needed)}" for lay in LAYOUTS[1:])
    return (
        f"{where}: no column {', '.join(missing)}; it has: {', '.join(present)}. Needed: "
        f"{', '.join(NEEDED)}; may have: {', '.join(OPTIONAL)}. Columns of other names: --column "
        f"question=NAME. Published layouts are read as they are ({published})."
    )


@dataclass(slots=True)
class _Groups:
    """The rows by the pair that they are about, in the order of the first row of each."""

    pairs: dict[str, tuple[RowEntry, FileRow, list[float]]] = field(default_factory=dict)

    def add(self, entry: RowEntry, row: FileRow, cells: Cells) -> None:
        """Add a row's votes to its pair, unless an earlier row has other texts for it."""
        texts = digest(entry.question, entry.background, *sorted((entry.first, entry.second)))
        key = f"key {entry.key}" if entry.key else texts
        first, first_row, votes = self.pairs.setdefault(key, (entry, row, []))
        if first is not entry:
            entry = _align(entry, first)
        if (entry.question, entry.first, entry.second) != (
            first.question,
            first.first,
            first.second,
        ):
            if all(entry.names):
                raise RowFault(
                    f"turns out of step: other texts than in {first_row.place}, which has the same "
                    "question, models and turn"
                )
            value, place = repr(plain(entry.key)[:60]), first_row.place
            raise cells.fault(entry.key_column, f"given {value}, which is also the id of {place}")
        votes.extend(entry.votes)

    def labelled(self) -> tuple[LabelledPair, ...]:
        """Return the pairs, each with an item of its own."""
        taken: set[str] = set()
        pairs = []
        for entry, row, votes in self.pairs.values():
            item = entry.item or str(row.number)
            item = f"{item} ({row.place})" if item in taken else item
            taken.add(item)
            pairs.append(
                LabelledPair(
                    item=item,
                    question=entry.question,
                    first=entry.first,
                    second=entry.second,
                    outcome=majority(votes),
                    votes=tuple(votes),
                    category=entry.category,
                    language=entry.language,
                    cluster=entry.cluster or entry.question,
                    background=entry.background,
                )
            )
        return tuple(pairs)


def _align(entry: RowEntry, first: RowEntry) -> RowEntry:
    """Return a row's entry with the answers in the order of the pair's first row."""
    if all(first.names) and first.names[0] != first.names[1]:
        return entry.exchanged() if entry.names == first.names[::-1] else entry
    is_exchanged = (entry.first, entry.second) == (first.second, first.first)
    return entry.exchanged() if is_exchanged and first.first != first.second else entry
