"""Battle logs checked: what is read from them, and what they are refused for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.battles.staging_table import ReadingOptions, stage
from arena.errors import ConfigError
from arena.store.battles import NO_LANGUAGE, NO_MOTION
from tests.support.battle_logs import PLAIN, WHOLE, write_log

FORMS = ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl", "a.ndjson.gz", "a.parquet"]


def staged(path: Path, **renamed: str) -> pd.DataFrame:
    return pd.read_parquet(stage(path, ReadingOptions(renamed=renamed), into=path.parent).path)


def refusal(path: Path, **renamed: str) -> str:
    with pytest.raises(ConfigError) as caught:
        stage(path, ReadingOptions(renamed=renamed), into=path.parent)
    return str(caught.value)


def changed(number: int, **values: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """The whole log with other values in a row (from 1)."""
    rows = [dict(row) for row in WHOLE]
    rows[number - 1].update(values)
    return rows


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(tmp_path: Path, name: str) -> None:
    battles = staged(write_log(tmp_path / name, WHOLE))
    assert battles["row"].tolist() == [1, 2, 3, 4, 5]
    assert battles["first"].tolist() == ["ann", "bob", "bob", "cyd", "cyd"]
    assert battles["second"].tolist() == ["bob", "ann", "cyd", "ann", "bob"]
    assert battles["outcome"].tolist() == [1, 0, 1, 0.5, 0.5]
    assert battles["weight"].tolist() == [0.5, 0.25, 1, 2, 1]
    assert battles["score_a"].tolist() == [7.5, 2, 6, 5, 1]
    assert battles["judge"].tolist() == ["eve", "fay", "eve", "fay", "eve"]
    assert battles["category"].tolist() == ["coding", "coding", "math", "math", "math"]
    assert battles["motion"].tolist() == ["p1", "p1", "p2", "p2", "p3"]
    assert battles["language"].tolist() == ["en", "en", "zh", "zh", "en"]
    assert battles["cluster"].tolist() == ["g1", "g1", "g2", "g3", "g4"]
    assert battles["finished_at"].dt.day.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", FORMS)
def test_the_other_shape_says_the_same(tmp_path: Path, name: str) -> None:
    words = {"model_a": "left", "model_b": "right", "tie": "tie", "tie (bothbad)": "tie"}
    rows = [
        {"left": row["model_a"], "right": row["model_b"], "winner": words[row["winner"]]}
        for row in WHOLE
    ]
    one, other = staged(write_log(tmp_path / name, rows)), staged(write_log(tmp_path / name, PLAIN))
    pd.testing.assert_frame_equal(one, other)


def test_what_a_log_does_not_say_is_not_made_up(tmp_path: Path) -> None:
    battles = staged(write_log(tmp_path / "a.csv", PLAIN))
    assert set(battles["weight"]) == {1.0}
    assert (set(battles["judge"]), set(battles["category"])) == ({""}, {""})
    assert (set(battles["motion"]), set(battles["language"])) == ({NO_MOTION}, {NO_LANGUAGE})
    for name in ("score_a", "score_b", "finished_at", "cluster"):
        assert battles[name].isna().all()


def test_optional_cells_may_be_empty(tmp_path: Path) -> None:
    rows = changed(2, judge="", category="", motion="", score_a="", timestamp="", group="")
    found = staged(write_log(tmp_path / "a.csv", rows)).iloc[1]
    assert (found["judge"], found["category"], found["motion"]) == ("", "", NO_MOTION)
    assert found[["score_a", "finished_at", "cluster"]].isna().all()


def test_a_time_may_be_in_seconds_or_with_a_zone(tmp_path: Path) -> None:
    times = ["1735689600", "1735689600.5", "2025-01-01T01:00:00+01:00", "2025-01-01 00:00", ""]
    rows = [{**row, "timestamp": at} for row, at in zip(PLAIN, times, strict=True)]
    found = staged(write_log(tmp_path / "a.csv", rows))["finished_at"]
    seconds = [at.timestamp() for at in found[:4]]
    assert seconds == [1735689600, 1735689600.5, 1735689600, 1735689600]


def test_columns_of_other_names_can_be_told(tmp_path: Path) -> None:
    rows = [{"x": row["model_a"], "y": row["model_b"], "who": row["winner"]} for row in WHOLE]
    path = write_log(tmp_path / "a.csv", rows)
    battles = staged(path, model_a="x", model_b="y", winner="who")
    assert battles["second"].tolist() == ["bob", "ann", "cyd", "ann", "bob"]
    assert "no column 'z'; it has: x, y, who" in refusal(path, model_a="z")
    assert "--column wit=x: the first name must be one of model_a, model_b" in refusal(
        path, wit="x"
    )


def test_names_are_kept_as_they_are_written(tmp_path: Path) -> None:
    names = ['a, "b"', "模型 (1)", "c  d", "1e5", "NULL"]
    rows = [
        {**row, "model_a": name, "model_b": "bob"} for row, name in zip(PLAIN, names, strict=True)
    ]
    for form in ("a.csv", "a.jsonl", "a.parquet"):
        assert staged(write_log(tmp_path / form, rows))["first"].tolist() == names


def test_a_semicolon_and_a_byte_order_mark_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffmodel_a;model_b;winner\r\nann;bob;tie\r\n".encode())
    assert staged(path)["second"].tolist() == ["bob"]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "outcome": (
        {"winner": "left"},
        "column winner: given 'left'; accepted: model_a, model_b, tie, tie (bothbad)",
    ),
    "no outcome": ({"winner": ""}, "column winner: given nothing; accepted: model_a"),
    "no name": ({"model_a": " "}, "column model_a: given nothing; accepted: a name of 1 to 200"),
    "control": ({"model_a": "a\x1b[1m"}, "column model_a: given 'a\x1b[1m'; accepted: a name"),
    **{
        f"weight {given}": (
            {"weight": given},
            f"column weight: given {shown}; accepted: a number from 0.000001 to",
        )
        for given, shown in (
            *((text, f"'{text}'") for text in ("nan", "inf", "-1", "0", "1e300", "1e-9")),
            ("", "nothing"),
        )
    },
    "score": ({"score_b": "good"}, "column score_b: given 'good'; accepted: a number, or nothing"),
    "score inf": (
        {"score_a": "inf"},
        "column score_a: given 'inf'; accepted: a number, or nothing",
    ),
    "time": (
        {"timestamp": "monday"},
        "column timestamp: given 'monday'; accepted: a date and time",
    ),
    "all": ({"category": "all"}, "column category: given 'all'; 'all' is reserved: it selects all"),
}


@pytest.mark.parametrize("kind", sorted(BAD))
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, kind: str) -> None:
    values, said = BAD[kind]
    path = write_log(tmp_path / "a.csv", changed(3, **values))
    message = refusal(path)
    assert message.startswith(f"{path}: 1 of 5 rows cannot be used, so nothing was imported (the")
    assert f"\n  row 3, {said}" in message


def test_spaces_around_a_value_are_no_part_of_it(tmp_path: Path) -> None:
    spaced = [{key: f" {value} " for key, value in row.items()} for row in PLAIN]
    one, other = (
        staged(write_log(tmp_path / name, rows))
        for name, rows in (("a.csv", spaced), ("b.csv", PLAIN))
    )
    pd.testing.assert_frame_equal(one, other)


def test_the_first_bad_rows_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    rows = [{**row, "winner": f"w{n}"} for n, row in enumerate(WHOLE * 2, start=1)]
    message = refusal(write_log(tmp_path / "a.jsonl", rows))
    assert "10 of 10 rows" in message and "… and 5 more" in message
    assert [f"row {n}, " in message for n in (1, 5, 6)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("model_a,model_b,winner\n", "has no rows"),
        ("model_a,model_b\nann,bob\n", "neither shape (no column `winner`)"),
        ("model_a,winner\nann,tie\n", "neither shape; its columns: model_a, winner"),
        ("model_a,model_b,left,right,winner\na,b,c,d,tie\n", "both shapes at once"),
        ("model_a,model_a,winner\na,b,tie\n", "two columns are named 'model_a'"),
        (
            "model_a,model_b,winner\nann,bob,tie\nann,bob\n",
            "line 3 has 2 fields, but the first line has 3; nothing was read.",
        ),
    ],
)
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    assert message in refusal(path)


def test_files_of_no_known_form_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "a.csv")
    assert "is a directory. Name a file in it" in refusal(tmp_path)
    path = tmp_path / "a.xlsx"
    path.write_text("x", encoding="utf-8")
    assert "the ending of its name is unknown. Accepted: CSV (.csv, .tsv), JSON lines" in refusal(
        path
    )
    for name in ("a.parquet", "a.jsonl"):
        (tmp_path / name).write_text("{broken", encoding="utf-8")
        assert "cannot be read" in refusal(tmp_path / name)
    (tmp_path / "a.csv").write_bytes("model_a,model_b,winner\nä,b,tie\n".encode("latin-1"))
    assert "cannot be read" in refusal(tmp_path / "a.csv")


def test_rows_are_numbered_in_the_file_s_order(tmp_path: Path) -> None:
    many = 60_000
    lines = "".join(f"m{n},n{n},tie\n" for n in range(many))
    path = tmp_path / "a.csv"
    path.write_text(f"model_a,model_b,winner\n{lines}", encoding="utf-8")
    result = staged(path).sort_values("row")
    assert result["first"].tolist() == [f"m{n}" for n in range(many)]
