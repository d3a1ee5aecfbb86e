"""Battle logs made by hand, written in any form."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from arena.battles.staging_table import ReadingOptions, Staged, stage

Row = Mapping[str, Any]

#: Five battles of three participants with all that a log may say; two of them are one group.
WHOLE: tuple[Row, ...] = tuple(
    {
        "model_a": a, "model_b": b, "winner": winner, "judge": judge, "category": category,
        "motion": motion, "language": language, "score_a": one, "score_b": other,
        "weight": weight, "timestamp": at, "group": group,
    }
    for a, b, winner, judge, category, motion, language, one, other, weight, at, group in (
        ("ann", "bob", "model_a", "eve", "coding", "p1", "en", 7.5, 3, 0.5, "2025-01-01", "g1"),
        ("bob", "ann", "model_b", "fay", "coding", "p1", "en", 2, 8, 0.25, "2025-01-02", "g1"),
        ("bob", "cyd", "model_a", "eve", "math", "p2", "zh", 6, 5, 1, "2025-01-03", "g2"),
        ("cyd", "ann", "tie", "fay", "math", "p2", "zh", 5, 5, 2, "2025-01-04", "g3"),
        ("cyd", "bob", "tie (bothbad)", "eve", "math", "p3", "en", 1, 1, 1, "2025-01-05", "g4"),
    )
)  # fmt: skip

#: The least that a log says.
PLAIN: tuple[Row, ...] = tuple(
    {key: row[key] for key in ("model_a", "model_b", "winner")} for row in WHOLE
)


def write_log(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows in the form that the file's name says."""
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
        return path
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix in (".jsonl", ".ndjson"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
    elif plain.suffix == ".json":
        text = json.dumps(list(rows))
    else:
        text = _table(rows, {".tsv": "\t"}.get(plain.suffix, ","))
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read_log(path: Path, text: str | bytes = "", **options: Any) -> tuple[Staged, list[Any]]:  # noqa: ANN401
    """Read a log, after writing its text if one is given: its rows as first, second, outcome."""
    if text:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    staged = stage(path, ReadingOptions(**options), into=path.parent)
    rows = pd.read_parquet(staged.path).sort_values("row")
    return staged, rows[["first", "second", "outcome"]].to_numpy().tolist()


def _table(rows: Sequence[Row], delimiter: str) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
