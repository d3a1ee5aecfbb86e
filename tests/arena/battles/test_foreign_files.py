"""Files as other programs leave them: each is read, or refused in a sentence with the remedy."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.battles.layouts import NEIGHBOURS
from arena.battles.text_files import is_cut_off
from arena.errors import ConfigError
from tests.support.battle_logs import PLAIN, Row, read_log, write_log

_ROWS = [[row["model_a"], row["model_b"]] for row in PLAIN]
_GAMES = [{"score": "A>B"}, {"score": "B>>A"}]


@pytest.mark.parametrize(
    "before",
    [
        "# run 12\n# seed 3\n", "Results, of May\n", "Results\n\n", "# a,b,c\n\n", "\ufeff# x\n",
        "run,12\nseed,3\n",
    ],
)  # fmt: skip
def test_lines_before_the_head_are_no_rows(tmp_path: Path, before: str) -> None:
    text = before + write_log(tmp_path / "a.csv", PLAIN).read_text()
    assert [row[:2] for row in read_log(tmp_path / "b.csv", text)[1]] == _ROWS
    assert [row[:2] for row in read_log(tmp_path / "b.csv", text.replace(",", ";"))[1]] == _ROWS


def test_a_row_that_looks_like_a_head_is_none(tmp_path: Path) -> None:
    text = "p,q,r\nwhite,black,white\nann,bob,ann\n"
    renamed = {"model_a": "p", "model_b": "q", "winner": "r"}
    assert len(read_log(tmp_path / "a.csv", text, renamed=renamed)[1]) == 2


@pytest.mark.parametrize("key", ["data", "rows", "results", "battles"])
def test_rows_one_level_down_are_read(tmp_path: Path, key: str) -> None:
    text = json.dumps({"version": 2, key: list(PLAIN), "by": {"x": [1]}}, indent=1)
    for name in ("a.json", "a.jsonl"):
        assert [row[:2] for row in read_log(tmp_path / name, text)[1]] == _ROWS


@pytest.mark.parametrize("needs", [needs for needs, _ in NEIGHBOURS])
def test_results_without_comparisons_are_told_apart(tmp_path: Path, needs: tuple[str]) -> None:
    for cell in ("x", {"a": 1}, [{"b": 1}]):
        text = json.dumps([dict.fromkeys((*needs, "more"), cell)] * 2)
        with pytest.raises(ConfigError, match=r"holds no comparisons of two.*a row for each"):
            read_log(tmp_path / "a.json", text)


def test_a_baseline_is_told(tmp_path: Path) -> None:
    row = {"question_id": "q", "model": "m", "judge": "gpt", "games": _GAMES}
    path = tmp_path / "a.jsonl"
    with pytest.raises(ConfigError, match="Say it: --baseline NAME"):
        read_log(path, json.dumps(row))
    assert read_log(path, baseline="b")[1] == [["b", "m", 1.0], ["m", "b", 0.0]]
    with pytest.raises(ConfigError, match="Leave the option out"):
        read_log(path, json.dumps({**row, "baseline": "c"}), baseline="b")


def _read(path: Path, row: Row, **options: Any) -> Mapping[Hashable, Any]:  # noqa: ANN401
    staged, _ = read_log(write_log(path, [{**PLAIN[0], **row}]), **options)
    return pd.read_parquet(staged.path).iloc[0].to_dict()


@pytest.mark.parametrize("missing", [float("nan"), None, "NaN", "N/A", "null"])
def test_a_missing_score_or_time_is_none(tmp_path: Path, missing: object) -> None:
    row = {"score_a": missing, "score_b": 1.5, "timestamp": missing}
    read = _read(tmp_path / "a.jsonl", row)
    assert pd.isna(read["score_a"]) and read["score_b"] == 1.5 and pd.isna(read["finished_at"])


def test_decimal_commas_are_read_where_they_are_told(tmp_path: Path) -> None:
    row = {"score_a": "7,5", "score_b": "1.000,25", "weight": "1,5"}
    with pytest.raises(ConfigError, match="--decimal-comma"):
        _read(tmp_path / "a.csv", row)
    read = _read(tmp_path / "a.csv", row, decimal_comma=True)
    assert (read["score_a"], read["score_b"], read["weight"]) == (7.5, 1000.25, 1.5)


@pytest.mark.parametrize(
    ("text", "dates", "expected"),
    [
        ("2023-11-13 02:05:00 PM", None, "2023-11-13 14:05:00"),
        ("2023-11-13 12:05 am", None, "2023-11-13 00:05:00"),
        ("2023-11-13 14:05:00,123", None, "2023-11-13 14:05:00.123"),
        ("03/04/2024 10:00", "mdy", "2024-03-04 10:00:00"),
        ("03/04/2024 10:00", "dmy", "2024-04-03 10:00:00"),
        ("13.11.2023", "dmy", "2023-11-13"),
        ("3/4/2024 2:05 PM", "dmy", "2024-04-03 14:05:00"),
    ],
)
def test_dates_of_places_are_read(
    tmp_path: Path, text: str, dates: str | None, expected: str
) -> None:
    read = _read(tmp_path / "a.csv", {"timestamp": text}, dates=dates)
    assert read["finished_at"] == pd.Timestamp(expected, tz="UTC")
    if dates:
        with pytest.raises(ConfigError, match="--dates dmy or --dates mdy"):
            _read(tmp_path / "a.csv", {"timestamp": text})


def test_a_last_line_that_is_cut_off_is_told(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.csv", PLAIN)
    assert not is_cut_off(path)
    path.write_text(path.read_text().rstrip())
    assert is_cut_off(path)
    text = write_log(tmp_path / "a.jsonl", PLAIN).read_text()
    with pytest.raises(ConfigError, match="the last line: if the file is cut off, remove that"):
        read_log(tmp_path / "a.jsonl", text[:-9])
