"""`arena export --what wandb`: the offline run, read by the library's own reader."""

from __future__ import annotations

import json
import struct
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.command_line import done, refused

LIBRARY = "wandb"
pytestmark = pytest.mark.integrations


def read_run(folder: Path) -> list[Any]:
    """Return the records of the only run in a folder: a log of LevelDB after a head of 7 bytes."""
    (file,) = (folder / "wandb").glob("offline-run-*/*.wandb")
    data, place, block, parts = file.read_bytes(), 7, 2**15, b""
    assert data.startswith(b":W&B")
    record, records = import_module("wandb.proto.wandb_internal_pb2").Record, []
    while place < len(data):
        if block - place % block < 7:
            place += block - place % block
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        parts += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # whole, or the last part
            records.append(record.FromString(parts))
            parts = b""
    return records


def test_an_offline_run_has_the_figures_of_the_board(
    library: ModuleType, small_database: Path, tmp_path: Path
) -> None:
    printed = done("export", tmp_path, "--what", "wandb", "--db", small_database)
    assert printed.startswith("Run with ") and f"wandb sync {tmp_path}" in printed
    records = read_run(tmp_path)
    run = next(record.run for record in records if record.WhichOneof("record_type") == "run")
    config = {item.key: json.loads(item.value_json) for item in run.config.update}
    assert (run.project, run.display_name) == ("debate-arena", config["tournament"])
    assert config["simulated"] is True
    summary = {
        item.key or "/".join(item.nested_key): json.loads(item.value_json)
        for record in records
        if record.WhichOneof("record_type") == "summary"
        for item in record.summary.update
    }
    shown = done("leaderboard", "--db", small_database, "--format", "json")
    for row in json.loads(shown)["rows"]:
        figures = [summary[f"{name}/{row['participant']}"] for name in ("rating", "lower", "upper")]
        assert figures == pytest.approx([row["rating"], row["lower"], row["upper"]], abs=0.01)
    (table,) = tmp_path.rglob("*.table.json")
    assert len(json.loads(table.read_text("utf-8"))["data"]) == len(json.loads(shown)["rows"])
    assert not [*tmp_path.rglob("requirements.txt"), *tmp_path.rglob("wandb-metadata.json")]


def test_a_folder_must_exist(library: ModuleType, small_database: Path, tmp_path: Path) -> None:
    words = ("--what", "wandb", "--db", small_database)
    assert "is no folder" in refused("export", tmp_path / "no", *words)
    assert not [*tmp_path.iterdir()]
