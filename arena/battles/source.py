"""Files of rows: their columns, and an SQL query that reads them, whatever the format."""

from __future__ import annotations

import csv
import json
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from arena.battles.games import read_games
from arena.battles.text_files import as_utf8, link_to, open_text, read_start
from arena.errors import ConfigError
from arena.store.scratch import QueryError
from arena.text import FORMULA, format_unreadable
from motions.text_files import find_other_content, open_descriptor

#: The most characters of a file's first line.
_HEAD = 2**20

_FORMS: Final = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".pgn": "pgn", ".parquet": "parquet",
}  # fmt: skip
ACCEPTED: Final = (
    "CSV (.csv, .tsv), JSON lines or a JSON array (.jsonl, .ndjson, .json), each also .gz, or "
    "Parquet (.parquet)"
)
_PARQUET: Final = b"PAR1"
#: The first line by which some spreadsheets are told the delimiter.
_SEPARATOR: Final = re.compile(r'"?sep=(.|\\t)"?')
#: Of a CSV row or a JSON object, in bytes.
_LONGEST_ROW: Final = 1 << 24
#: Columns of a file, at most: the time that reading takes grows with the square of their number.
_MOST_COLUMNS: Final = 2000

#: The lines in which the names of columns are looked for, and how many must be known.
_PREAMBLE: Final = 20
_KNOWN: Final = 2
#: The keys under which programs put rows.
_WRAPPERS: Final = ("data", "rows", "records", "results", "battles", "votes", "items",
                    "comparisons", "examples", "judgments")  # fmt: skip

#: The keys of JSON objects, in the order in which they first come.
_KEYS: Final = """
    SELECT key FROM (
        SELECT unnest(keys) AS key, generate_subscripts(keys, 1) AS place, row
        FROM (SELECT json_keys(json) AS keys, row_number() OVER () AS row FROM {objects})
    ) GROUP BY key ORDER BY min((row, place))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that can be queried.

    Attributes:
        link: an open connection.
        columns: the query's name of each column by its head in the file.
        query: the SQL of a table with these columns, all of them text.
    """

    link: Any
    path: Path
    columns: Mapping[str, str]
    query: str

    def count_values(self, *heads: str) -> int:
        """Return the number of different values of some columns, where none of them is missing."""
        columns = [self.columns[head] for head in heads]
        known = " AND ".join(f"{column} IS NOT NULL" for column in columns)
        return self._count(f"SELECT DISTINCT {', '.join(columns)} FROM {self.query} WHERE {known}")

    def count_rows(self, head: str) -> int:
        """Return the number of rows that have a value in a column."""
        return self._count(f"FROM {self.query} WHERE {self.columns[head]} IS NOT NULL")

    def has(self, condition: str) -> bool:
        """Return whether an SQL condition holds of any row."""
        query = f"SELECT 1 FROM {self.query} WHERE {condition} LIMIT 1"
        return bool(self.link.execute(query).fetchall())

    def values(self, text: str, *, where: str = "TRUE", most: int | None = None) -> list[str]:
        """Return the different values of an SQL text.

        Args:
            where: the SQL condition of rows.
            most: of them that are returned; None for all.
        """
        query = f"SELECT DISTINCT {text} FROM {self.query} WHERE {where}"
        limit = "" if most is None else f" LIMIT {most}"
        return [str(value) for (value,) in self.link.execute(query + limit).fetchall()]

    def compute(self, cells: Mapping[str, str]) -> Source:
        """Return the same with further names in its query, by their SQL."""
        named = ", ".join(f"{sql} AS {name}" for name, sql in cells.items())
        return replace(self, query=f"(SELECT *, {named} FROM {self.query})")

    def _count(self, query: str) -> int:
        return int(self.link.execute(f"SELECT count(*) FROM ({query})").fetchall()[0][0])


def open_source(
    link: Any,  # noqa: ANN401 - an open connection
    path: Path,
    *,
    folder: Path,
    encoding: str = "",
    remedy: str = "",
    heads: frozenset[str] = frozenset(),
) -> Source:
    """Find the format and the columns of a file.

    Args:
        link: an open connection.
        path: the file.
        folder: takes copies, of text that is not UTF-8 and of games.
        encoding: that of the text; empty to find it.
        remedy: what else than saving the file as UTF-8 helps, for messages.
        heads: keys of heads; lines of CSV before the first that has some of them are no rows.

    Raises:
        ConfigError: the file is missing, empty, or in no format that can be read.
    """
    if path.is_dir():
        raise ConfigError(f"{path}: is a directory. Name a file in it.")
    if not path.exists():
        raise ConfigError(f"{path}: no such file.")
    try:
        os.close(open_descriptor(path))
    except OSError as error:
        raise ConfigError(format_unreadable(path, error)) from None
    if path.stat().st_size == 0:
        raise ConfigError(f"{path}: is empty.")
    form = _true_form(path)
    if form == "parquet":
        if encoding:
            raise ConfigError(f"--encoding {encoding}: {path} is no text. Leave the option out.")
        return _open_parquet(link, path, parquet_table(path, folder=folder))
    text = as_utf8(path, folder=folder, encoding=encoding, remedy=remedy)
    if form == "pgn":
        text = read_games(text, name=path, into=folder / "games.csv")
    if form == "json":
        return _open_json(link, text, path)
    return _open_csv(link, text, path, heads=heads)


def read_values(
    link: Any,  # noqa: ANN401 - an open connection
    path: Path,
    *,
    folder: Path,
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return the columns and the rows of a file; in Parquet lists and structures stay such.

    The arguments and errors are those of `open_source`.
    """
    source = open_source(link, path, folder=folder)
    is_parquet = form_of(path) == "parquet"
    table = parquet_table(path, folder=folder) if is_parquet else source.query
    return tuple(source.columns), link.execute(f"SELECT * FROM {table}").fetchall()


def _true_form(path: Path) -> str:
    """Return the format of a file by its content where that is plain, else by its suffix.

    Raises:
        ConfigError: it is what can hold no rows, or neither content nor suffix tells.
    """
    start = read_start(path)
    other = find_other_content(start)
    if other:
        raise ConfigError(f"{path}: cannot be read: {other}.")
    if start.startswith(_PARQUET):
        with path.open("rb") as file:
            if not file.read(len(_PARQUET)) == _PARQUET:
                raise ConfigError(f"{path}: is packed Parquet. Unpack it with gunzip.")
        return "parquet"
    is_json = re.match(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"', start)
    form = form_of(path)
    return "json" if is_json and form == "csv" else form


def form_of(path: Path) -> str:
    """Return the format of a file by its suffix: csv, json, pgn or parquet.

    Raises:
        ConfigError: the suffix is none that is accepted.
    """
    suffixes = path.suffixes[:-1] if path.suffix == ".gz" else path.suffixes
    form = _FORMS.get(suffixes[-1].lower() if suffixes else "")
    if form is None or (path.suffix == ".gz" and form == "parquet"):
        raise ConfigError(
            f"{path}: the ending of its name is unknown. Accepted: {ACCEPTED}. Save a spreadsheet "
            "as CSV."
        )
    return form


def is_json_array(path: Path) -> bool:
    """Return whether a JSON file is one array, and not an object per line.

    Raises:
        ConfigError: the file cannot be read, or begins as neither does.
    """
    try:
        with open_text(path) as file:
            start = file.read(_HEAD).lstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(format_unreadable(path, error)) from None
    if not start.startswith(("[", "{")):
        raise ConfigError(
            f"{path}: is neither an array of objects nor an object per line, which are accepted."
        )
    return start.startswith("[")


def sql_text(text: str) -> str:
    """Return a text as a quoted SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _make_source(link: Any, path: Path, heads: Sequence[str], table: str) -> Source:  # noqa: ANN401
    """Make a source of a table whose columns have any names; those of the source are `c0`, `c1`.

    Raises:
        ConfigError: two columns have the same name.
    """
    cleaned = [
        head.strip() or f"column {number} (without a name)"
        for number, head in enumerate(heads, start=1)
    ]
    twice = next((head for head in cleaned if cleaned.count(head) > 1), None)
    if twice is not None:
        raise ConfigError(f"{path}: two columns are named {twice!r}. Rename or remove one of them.")
    columns = {head: f"c{number}" for number, head in enumerate(cleaned)}
    texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in columns.values())
    query = f"(SELECT {texts} FROM {table} AS read({', '.join(columns.values())}))"
    return Source(link=link, path=path, columns=columns, query=query)


def parquet_table(path: Path, *, folder: Path) -> str:
    """Return the SQL of the table in a Parquet file, of which its path decides nothing.

    Args:
        path: the file. Folders as `winner=model_a` would be columns, and `*` other files, too.
        folder: takes a link to the file.
    """
    link = link_to(path, folder / "table.parquet")
    return f"read_parquet({sql_text(str(link))}, hive_partitioning = false)"


def _open_parquet(link: Any, path: Path, table: str) -> Source:  # noqa: ANN401 - open connection
    described = link.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    # Lists and structures as JSON, as they are in the other forms.
    texts = ", ".join(
        f"to_json(#{number})" if re.search(r"\]$|^STRUCT|^MAP", str(kind)) else f"#{number}"
        for number, (_, kind, *_rest) in enumerate(described, start=1)
    )
    heads = [str(head) for head, *_ in described]
    return _make_source(link, path, heads, f"(SELECT {texts} FROM {table})")


def _open_json(link: Any, text: Path, path: Path) -> Source:  # noqa: ANN401 - an open connection
    spread = "unstructured" if _is_spread(text) else "newline_delimited"
    form = "array" if is_json_array(text) else spread
    objects = (
        f"read_json_objects({sql_text(str(text))}, format = '{form}', "
        f"maximum_object_size = {_LONGEST_ROW})"
    )
    try:
        heads = [str(key) for (key,) in link.execute(_KEYS.format(objects=objects)).fetchall()]
        first = link.execute(f"SELECT json FROM {objects} LIMIT 2").fetchall()
        cells = json.loads(first[0][0]) if len(first) == 1 else None
    except (QueryError, ValueError, RecursionError):
        _check_json(text, path)
        raise
    rows = _find_rows(cells)
    if rows:
        inner = text.with_name("inner.json")
        inner.write_text(json.dumps(rows), encoding="utf-8")
        return _open_json(link, inner, path)
    if (
        cells
        and isinstance(cells, dict)
        and all(isinstance(x, dict | list) for x in cells.values())
    ):
        raise ConfigError(
            f"{path}: is one object that holds all rows. Accepted: an array of objects, or an "
            "object per line, as pandas writes with to_json(orient='records', lines=True)."
        )
    keys = (head.replace("~", "~0").replace("/", "~1") for head in heads)
    pointers = ", ".join(sql_text(f"/{key}") for key in keys)
    cells = ", ".join(f"cells[{number}]" for number in range(1, len(heads) + 1))
    table = f"(SELECT json_extract_string(json, [{pointers}]) AS cells FROM {objects})"
    return _make_source(link, path, heads, f"(SELECT {cells} FROM {table})")


def _is_spread(text: Path) -> bool:
    """Return whether objects are written over several lines."""
    with open_text(text) as file:
        pieces = iter(partial(file.readline, _HEAD), "")
        return next((line.strip() for line in pieces if line.strip()), "") == "{"


def _find_rows(value: object) -> list[Any]:
    """Return the rows that an object holds under a name for rows, if it is none itself."""
    if not isinstance(value, dict) or {"winner", "model", "model_a"} & set(value):
        return []
    lists = [value[key] for key in _WRAPPERS if isinstance(value.get(key), list) and value[key]]
    rows = lists[0] if len(lists) == 1 else []
    return rows if all(isinstance(row, dict) for row in rows) else []


def head_key(head: str) -> str:
    """Return what a head is compared by.

    >>> head_key("Model A "), head_key("winner_tie (bothbad)"), head_key("“judge”")
    ('modela', 'winnertiebothbad', 'judge')
    """
    folded = unicodedata.normalize("NFKC", head).casefold()
    return "".join(character for character in folded if character.isalnum())


def _check_json(text: Path, path: Path) -> None:
    """Check that Python can read JSON, which says where it cannot."""
    with open_text(text) as file:
        is_whole = is_json_array(text) or _is_spread(text)
        pieces = [file.read()] if is_whole else iter(file.readline, "")
        for number, piece in enumerate(pieces, start=1):
            try:
                value = json.loads(piece) if piece.strip() else None
            except (json.JSONDecodeError, RecursionError) as error:
                line = number - 1 + getattr(error, "lineno", 1)
                last = not is_whole and not file.read(1)
                cut = (
                    " It is the last line: if the file is cut off, remove that line, or wait until "
                    "the file is written."
                )
                raise ConfigError(
                    f"{path}: cannot be read: line {line} is no JSON ({error}). Accepted: an array "
                    f"of objects, or an object per line.{cut * last}"
                ) from None
            half = re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False))
            if half:
                raise ConfigError(
                    f"{path}: cannot be read: line {number} holds {ascii(half[0])[1:-1]}, half of "
                    "a character without the other half. Remove it from the file."
                )


def _open_csv(link: Any, text: Path, path: Path, *, heads: frozenset[str]) -> Source:  # noqa: ANN401
    before = _count_preamble(text, heads) if heads else 0
    delimiter, columns, skipped = _read_head(text, path, before)
    kinds = ", ".join(f"c{number}: 'VARCHAR'" for number in range(len(columns)))
    table = (
        f"read_csv({sql_text(str(text))}, header = true, auto_detect = false, "
        f"delim = {sql_text(delimiter)}, quote = '\"', escape = '\"', columns = {{{kinds}}}, "
        f"skip = {skipped}, nullstr = '', max_line_size = {_LONGEST_ROW})"
    )
    cells = ", ".join(_unguarded(f"c{number}") for number in range(len(columns)))
    return _make_source(link, path, columns, f"(SELECT {cells} FROM {table})")


def _unguarded(name: str) -> str:
    """Return the SQL of a cell without the apostrophe that keeps it from being a formula."""
    guarded = sql_text(f"^'{FORMULA}")
    return f"CASE WHEN regexp_matches({name}, {guarded}) THEN substr({name}, 2) ELSE {name} END"


def _count_preamble(text: Path, heads: frozenset[str]) -> int:
    """Return the number of lines before the names of columns: titles and comments.

    The first line names them, but where it has none that is known, and another has several.
    """
    first = 0
    with open_text(text) as file:
        for number, line in enumerate(islice(iter(partial(file.readline, _HEAD), ""), _PREAMBLE)):
            cells = re.split("[,;\t|]", line)
            if len(heads.intersection(map(head_key, cells))) >= _KNOWN:
                return number
            if line.strip(",;|\t\n\r ") and not line.startswith("#"):
                first = first or len(cells)
                if len(cells) <= first and first > _KNOWN:
                    return 0
    return 0


def _read_head(text: Path, path: Path, before: int) -> tuple[str, list[str], int]:
    """Return the delimiter, the column names, and the number of lines before them."""
    with open_text(text) as file:
        pieces = iter(partial(file.readline, _HEAD), "")
        lines = islice(enumerate(piece.rstrip("\r\n") for piece in pieces), before, None)
        skipped, line = next(((n, line) for n, line in lines if line.strip(",;|\t ")), (0, ""))
        named = _SEPARATOR.fullmatch(line)
        if named:
            skipped, line = next(lines, (skipped, ""))
    found = named[1].replace("\\t", "\t") if named else max(",;\t|", key=line.count)
    try:
        heads = next(csv.reader([line], delimiter=found), [])
    except (csv.Error, TypeError):
        raise ConfigError(f"{path}: its first line holds no names of columns.") from None
    if len(heads) > _MOST_COLUMNS:
        raise ConfigError(
            f"{path}: its first line names {len(heads)} columns, and at most {_MOST_COLUMNS} are "
            "read. Is it a line of names? Accepted: names of columns, separated by , ; tab or |."
        )
    return found, heads, skipped
