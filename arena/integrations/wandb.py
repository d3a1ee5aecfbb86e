"""Weights & Biases: an offline run per tournament, which `wandb sync` sends when it is wanted."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

from arena.errors import ConfigError
from arena.integrations.exporting import Exporting, board_metrics, board_settings, rated_board
from arena.text import counted

# Read when it is imported: it would report its own errors to its makers.
os.environ.setdefault("WANDB_ERROR_REPORTING", "false")

import wandb  # noqa: E402 - see above

#: Columns of the board's table.
_COLUMNS = ("rank", "participant", "rating", "lower", "upper", "debates", "wins", "ties", "losses")


def export(exporting: Exporting) -> str:
    """Write a run with the board of a tournament into a folder; nothing is sent.

    Raises:
        ConfigError: nothing is rated, or the folder does not exist.
    """
    rated = rated_board(exporting)
    folder = Path(exporting.target)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is no folder. Name one that exists; a run is added to it.")
    run = wandb.init(
        project="debate-arena",
        name=exporting.resolved.name,
        mode="offline",
        dir=folder,
        config=board_settings(exporting),
        # Only the results: nothing of the machine, the program or its packages.
        settings=wandb.Settings(
            silent=True,
            console="off",
            disable_git=True,
            disable_code=True,
            x_disable_meta=True,
            x_disable_stats=True,
            x_save_requirements=False,
        ),
    )
    metrics = board_metrics(rated)
    run.summary.update(metrics)
    rows = [[asdict(row)[name] for name in _COLUMNS] for row in rated.rows if row.is_rated]
    run.log({"leaderboard": wandb.Table(columns=list(_COLUMNS), data=rows)})
    place = Path(run.dir).parent
    run.finish()
    return f"Run with {counted(len(metrics), 'metric')} written to {place}: wandb sync {place}"
