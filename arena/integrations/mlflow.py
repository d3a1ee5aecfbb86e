"""MLflow: a run per tournament, with a metric per participant and the report as an artifact."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.errors import ConfigError
from arena.integrations.exporting import Exporting, board_metrics, board_settings, rated_board
from arena.report.overview.content import make_report
from arena.report.overview.page import write_page
from arena.text import counted

# Read when it is imported: it would tell its makers what is used, and ask an address that is away
# for minutes.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")

from mlflow import MlflowClient  # noqa: E402 - see above
from mlflow.entities import Metric, Param  # noqa: E402
from mlflow.exceptions import MlflowException  # noqa: E402

_EXPERIMENT = "debate-arena"
#: Of one request.
_MOST_METRICS = 1000


def export(exporting: Exporting) -> str:
    """Log a run with the board of a tournament to a tracking server or a folder.

    Raises:
        ConfigError: nothing is rated, or the server does not take it.
    """
    rated = rated_board(exporting)
    if "://" not in exporting.target:
        # A folder is asked for; MLflow recommends a database, and refuses folders without this.
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    report = write_page(make_report(exporting.store, exporting.resolved, at=datetime.now(UTC)))
    try:
        client = MlflowClient(exporting.target or None)
        found = client.get_experiment_by_name(_EXPERIMENT)
        experiment = found.experiment_id if found else client.create_experiment(_EXPERIMENT)
        run = client.create_run(experiment, run_name=exporting.resolved.name).info.run_id
        metrics = [Metric(name, value, 0, 0) for name, value in board_metrics(rated).items()]
        for start in range(0, len(metrics), _MOST_METRICS):
            client.log_batch(run, metrics=metrics[start : start + _MOST_METRICS])
        settings = [Param(name, str(value)) for name, value in board_settings(exporting).items()]
        client.log_batch(run, params=settings)
        with TemporaryDirectory() as folder:
            file = Path(folder, "report.html")
            file.write_text(report, encoding="utf-8")
            client.log_artifact(run, str(file))
        client.set_terminated(run)
    except MlflowException as error:
        raise ConfigError(
            f"{exporting.target or 'MLFLOW_TRACKING_URI'}: MLflow does not take the run: "
            f"{str(error).splitlines()[0]} Name a folder, or the address of a tracking server."
        ) from None
    return f"Run {run} with {counted(len(metrics), 'metric')} written to experiment {_EXPERIMENT}."
