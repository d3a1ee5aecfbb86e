"""`arena export --what mlflow`: the run that MLflow reads from a folder."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.command_line import done, refused
from tests.support.tournaments import content, planned

LIBRARY = "mlflow"
pytestmark = pytest.mark.integrations


@pytest.fixture(autouse=True)
def folders_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the export itself allows them; undone at the end of a test."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.mark.parametrize("named", ["argument", "environment"])
def test_a_run_has_the_figures_of_the_board_and_the_report(
    named: str,
    library: ModuleType,
    small_database: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, words = str(tmp_path / "runs"), ("--what", "mlflow", "--db", small_database)
    if named == "environment":
        monkeypatch.setenv("MLFLOW_TRACKING_URI", store)
    done("export", *([store] if named == "argument" else []), *words)
    client = library.MlflowClient(store)
    (run,) = client.search_runs([client.get_experiment_by_name("debate-arena").experiment_id])
    printed = done("leaderboard", "--db", small_database, "--format", "json")
    for row in json.loads(printed)["rows"]:
        figures = [run.data.metrics[f"{name}/{row['participant']}"]
                   for name in ("rating", "lower", "upper")]  # fmt: skip
        assert figures == pytest.approx([row["rating"], row["lower"], row["upper"]], abs=0.01)
    assert run.info.status == "FINISHED"
    assert run.info.run_name == run.data.params["tournament"]
    assert run.data.params["simulated"] == "True"
    (artifact,) = client.list_artifacts(run.info.run_id)
    page = client.download_artifacts(run.info.run_id, artifact.path, str(tmp_path))
    assert Path(page).read_text("utf-8").startswith("<!doctype html>")


def test_what_mlflow_does_not_take_is_told(
    library: ModuleType, small_database: Path, tmp_path: Path
) -> None:
    words = ("--what", "mlflow", "--db", small_database)
    message = refused("export", "nowhere://host", *words)
    assert message.startswith("nowhere://host: MLflow does not take the run: ")
    assert "needs a folder or an address" in refused("export", *words)
    store, _ = planned(tmp_path / "own.duckdb", content("ann", "bob"))
    unrated = refused("export", tmp_path / "runs", "--what", "mlflow", "--db", store.path)
    assert "nothing to export" in unrated and not (tmp_path / "runs").exists()
