"""Tables as files: guarded for spreadsheets, and valid JSON."""

from __future__ import annotations

import json
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pandas as pd

from dashboard import views
from dashboard.tables import file_name, frame_csv, frame_json, table_files

FRAME = pd.DataFrame(
    {
        "name": pd.Series(["=1+1", "ann"], dtype="category"),
        "rank": pd.array([1, None], dtype="Int64"),
        "share": [0.25, np.nan],
        "is_upset": [True, False],
        "@bench Elo": [1000.5, -3.0],
    }
)


def test_no_cell_and_no_heading_of_a_csv_file_is_a_formula() -> None:
    assert frame_csv(FRAME).splitlines() == [
        "name,rank,share,is_upset,'@bench Elo",
        "'=1+1,1,0.25,True,1000.5",
        "ann,,,False,-3.0",
    ]


def test_json_has_an_object_per_row_and_null_for_what_is_unknown() -> None:
    first, second = json.loads(frame_json(FRAME), parse_constant=lambda name: name)
    assert first == {
        "name": "=1+1", "rank": 1, "share": 0.25, "is_upset": True, "@bench Elo": 1000.5,
    }  # fmt: skip
    assert second["rank"] is None and second["share"] is None


def test_files_are_named_after_their_content() -> None:
    files = table_files(FRAME, "my board", "../x")
    assert [name for name, _ in files.values()] == ["my-board-x.csv", "my-board-x.json"]
    assert [make() for _, make in files.values()] == [frame_csv(FRAME), frame_json(FRAME)]
    assert file_name("", ending="csv") == "table.csv"


def test_a_bar_of_per_cent_is_as_long_as_its_share() -> None:
    modules = [
        import_module(f"dashboard.views.{name}") for _, name, _ in iter_modules(views.__path__)
    ]
    columns = [vars(module).get("_COLUMNS", {}) for module in modules]
    configured = [column["type_config"] for each in columns for column in each.values()]
    bars = [kind for kind in configured if kind["type"] == "progress" and "%%" in kind["format"]]
    assert len(bars) > 1
    assert {(bar["min_value"], bar["max_value"]) for bar in bars} == {(0, 100)}
