"""Evaluations of benches on labelled pairs, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from tests.support.command_line import arena

_COLUMNS = ("question", "answer_a", "answer_b", "winner", "id", "category")


def bench(name: str, judge: str, **more: object) -> dict[str, object]:
    """A bench as a file has it, one ballot by a simulated model unless said otherwise."""
    return {"name": name, "judge": judge, "model": "offline/fair", "runs": 1, **more}


def write_pairs(
    place: Path, rows: Iterable[Sequence[str]], *benches: Mapping[str, object], **tables: object
) -> Path:
    """Write rows of labelled pairs, and a file of benches, into a folder; return it."""
    lines = [json.dumps(dict(zip(_COLUMNS, row, strict=False))) for row in rows]
    (place / "own.jsonl").write_text("\n".join(lines), "utf-8")
    content = tomlkit.dumps({**tables, "benches": list(benches)})
    (place / "benches.toml").write_text(content, "utf-8")
    return place


def evaluation(place: Path, *words: str | Path) -> tuple[str | Path, ...]:
    """The command that evaluates the folder's benches, or those that the words name."""
    judges = () if {"--judge", "--benches"} & set(words) else ("--benches", place / "benches.toml")
    files = (place / "own.jsonl", "--db", place / "own.duckdb")
    return ("judges", "evaluate", *files, *judges, "--yes", *words)


def evaluated(place: Path, *words: str | Path, code: int = 0) -> dict[str, Any]:
    """What an evaluation reports."""
    result = arena(*evaluation(place, *words), "--format", "json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found
