"""`arena export --what every-eval-ever`: the fields of its schema, version 0.3.0."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import done, refused
from tests.support.tournaments import content, planned

#: Of the schema: the required fields of each object, and the further ones that it knows.
FIELDS = {
    "": (
        {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
         "eval_library", "evaluation_results"},
        {"evaluation_timestamp", "detailed_evaluation_results"},
    ),
    "source_metadata": (
        {"source_type", "source_organization_name", "evaluator_relationship"},
        {"source_name", "source_organization_url", "additional_details"},
    ),
    "eval_library": ({"name", "version"}, {"additional_details"}),
    "model_info": (
        {"name", "id", "additional_details"},
        {"developer", "inference_platform", "inference_engine"},
    ),
    "evaluation_results": (
        {"evaluation_name", "source_data", "metric_config", "score_details"},
        {"evaluation_result_id", "evaluation_timestamp", "generation_config"},
    ),
    "source_data": ({"dataset_name", "source_type"}, {"additional_details"}),
    "metric_config": (
        {"lower_is_better", "score_type", "min_score", "max_score"},
        {"evaluation_description", "metric_id", "metric_name", "metric_kind", "metric_unit",
         "metric_parameters", "llm_scoring", "additional_details"},
    ),
    "score_details": ({"score"}, {"details", "uncertainty"}),
    "uncertainty": (
        set(),
        {"standard_error", "confidence_interval", "standard_deviation", "num_samples"},
    ),
    "confidence_interval": ({"lower", "upper"}, {"confidence_level", "method"}),
}  # fmt: skip
_PLACE = re.compile(
    r"data/debate-arena/[\w.-]+/[\w.-]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
    r"[0-9a-f]{12}\.json"
)


def check_fields(record: Any, name: str = "") -> int:  # noqa: ANN401 - JSON
    """Check all objects that the schema describes; returns their number."""
    if isinstance(record, list):
        return sum(check_fields(one, name) for one in record)
    if not isinstance(record, dict):
        return 0
    if name in ("details", "additional_details"):
        assert all(isinstance(value, str) for value in record.values())
    if name in FIELDS:
        required, known = FIELDS[name]
        assert required <= set(record) <= required | known, name
    return (name in FIELDS) + sum(check_fields(value, key) for key, value in record.items())


@pytest.fixture(scope="module")
def records(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("eee") / "eee"
    done("export", folder, "--what", "every-eval-ever", "--db", small_database)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert all(_PLACE.fullmatch(path.relative_to(folder).as_posix()) for path in files)
    read = [json.loads(path.read_text("utf-8")) for path in files]
    return {record["model_info"]["name"]: record for record in read}


def test_every_object_has_the_fields_of_the_schema(records: dict[str, Any]) -> None:
    for record in records.values():
        assert check_fields(record) == 4 + 2 * 5 + 1
        assert record["source_metadata"]["source_type"] == "evaluation_run"
        assert record["source_metadata"]["evaluator_relationship"] == "other"
        assert record["model_info"]["additional_details"]["simulated"] == "true"


def test_the_figures_are_those_of_the_board(records: dict[str, Any], small_database: Path) -> None:
    printed = done("leaderboard", "--db", small_database, "--format", "json")
    board = {row["participant"]: row for row in json.loads(printed)["rows"]}
    assert set(records) == set(board)
    for name, record in records.items():
        elo, share = (result["score_details"] for result in record["evaluation_results"])
        interval = elo["uncertainty"]["confidence_interval"]
        row, figures = board[name], (elo["score"], interval["lower"], interval["upper"])
        expected = row["rating"], row["lower"], row["upper"]
        assert figures == pytest.approx(expected, abs=0.01)
        assert math.isclose(share["score"], row["win_rate"], abs_tol=0.001)


def test_a_second_export_has_the_same_files(small_database: Path, tmp_path: Path) -> None:
    words = ("--what", "every-eval-ever", "--db", small_database)
    done("export", tmp_path / "eee", *words)
    files = sorted((tmp_path / "eee").rglob("*"))
    done("export", tmp_path / "eee", *words, "--force")
    assert sorted((tmp_path / "eee").rglob("*")) == files
    assert "is not empty" in refused("export", tmp_path / "eee", *words)


def test_without_a_rating_nothing_is_written(tmp_path: Path) -> None:
    store, _ = planned(tmp_path / "own.duckdb", content("ann", "bob"))
    words = ("--what", "every-eval-ever", "--db", store.path)
    assert "nothing to export" in refused("export", tmp_path / "eee", *words)
    assert not (tmp_path / "eee").exists()
