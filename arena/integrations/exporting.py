"""What exports to other tools share: what is exported, how their modules are loaded, folders."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol, cast

from arena.boards.board import Board, board
from arena.boards.selection import Selection
from arena.boards.vote_rules import majority_benches, vote_rules
from arena.config.resolved import ResolvedConfig
from arena.errors import ConfigError
from arena.read.debates import DebateRow, read_debates
from arena.read.selected import Narrowing
from arena.records import ENDED
from arena.report.leaderboard import format_summary
from arena.store.database import Store

#: Debates that are read at once, so that memory does not grow with the tournament.
_BATCH: Final = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporting:
    """A tournament that is exported.

    Attributes:
        selection: of the board; debates have the ballots of all benches.
        target: a file, a folder or an address, as the user gave it; '' for none.
        force: whether files that exist may be replaced.
    """

    store: Store
    resolved: ResolvedConfig
    selection: Selection
    target: str
    force: bool = False

    def debates(self) -> list[DebateRow]:
        """Read the ended debates, with their results by the selected bench."""
        by_majority = self.selection.bench in majority_benches(vote_rules(self.resolved.benches))
        ended = Narrowing(statuses=ENDED)
        return read_debates(self.store, self.selection, ended, by_majority=by_majority)

    def batches(self) -> Iterator[list[DebateRow]]:
        """Yield the ended debates, a few hundred at a time."""
        debates = self.debates()
        for start in range(0, len(debates), _BATCH):
            yield debates[start : start + _BATCH]


class _Module(Protocol):
    def export(self, exporting: Exporting) -> str:
        """Write a tournament for a tool, and return what was written where."""


#: What each kind of export writes to.
TARGETS: Final = {
    "dataset": "a folder",
    "inspect": "a file (.eval, .json)",
    "otel": "an address",
    "every-eval-ever": "a folder",
    "mlflow": "a folder or an address",
    "wandb": "a folder",
}
#: The extra of this package that has the library of an export; the others need none.
_EXTRAS: Final = {"inspect": "inspect", "otel": "otel", "mlflow": "mlflow", "wandb": "wandb"}
#: Variables that the libraries read where nothing is named to write to.
_VARIABLES: Final = {
    "otel": ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
    "mlflow": ("MLFLOW_TRACKING_URI",),
}


def load_integration(what: str, target: str) -> _Module:
    """Import the module of an export, and so its library.

    Raises:
        ConfigError: the library is not installed, or nothing is named to write to.
    """
    variables = _VARIABLES.get(what, ())
    if not target and not any(map(os.environ.get, variables)):
        otherwise = f", or set {variables[0]}" if variables else ""
        raise ConfigError(
            f"--what {what} needs {TARGETS[what]}: arena export NAME --what {what}{otherwise}"
        )
    try:
        return cast(
            "_Module", importlib.import_module(f"arena.integrations.{what.replace('-', '_')}")
        )
    except ModuleNotFoundError as error:
        if what not in _EXTRAS or (error.name or "").startswith("arena"):
            raise
        raise ConfigError(
            f"--what {what} needs a package that is not installed ({error.name}). Install it:\n\n"
            f"  pip install 'debate-arena[{_EXTRAS[what]}]'"
        ) from None


def rated_board(exporting: Exporting) -> Board:
    """Compute the board of a selection.

    Raises:
        ConfigError: nothing is rated yet.
    """
    rated = board(exporting.store, exporting.resolved, exporting.selection)
    if not rated.comparisons:
        raise ConfigError(f"There is nothing to export: {format_summary(rated)}")
    return rated


def board_metrics(rated: Board) -> dict[str, float]:
    """Return the figures of a board by names that trackers accept: `rating/NAME` and so on."""
    metrics = {}
    for row in rated.rows:
        name = re.sub(r"[^\w. -]", "_", row.participant)
        for figure in ("rating", "lower", "upper") if row.is_rated else ():
            key = f"{figure}/{name}"
            # Two names may differ in other characters alone.
            while key in metrics:
                key += "_"
            metrics[key] = float(getattr(row, figure))
    return metrics


def board_settings(exporting: Exporting) -> dict[str, str | int | bool]:
    """Return what a board is of, as the parameters of a tracked run."""
    selection, resolved = exporting.selection, exporting.resolved
    names = ("tournament", "bench", "dimension", "category", "language")
    return {
        **{name: getattr(selection, name) for name in names},
        "seed": resolved.config.tournament.seed,
        "simulated": resolved.simulated,
        "version": version("debate-arena"),
    }


@contextmanager
def fill_folder(folder: Path, *, force: bool) -> Iterator[Path]:
    """Write the files of a folder completely or not at all.

    Yields:
        An empty folder; its files go into the other one when the block ends without an error.

    Raises:
        ConfigError: the folder holds something and may not be written to, or it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file. Name a folder.")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(
            f"{folder}: is not empty. Name another folder, or use --force to replace the files of "
            "an earlier export in it; all other files stay."
        )
    if not folder.absolute().parent.is_dir():
        raise ConfigError(f"{folder}: the folder {folder.parent} does not exist.")
    try:
        with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.absolute().parent) as name:
            yield Path(name)
            for file in sorted(path for path in Path(name).rglob("*") if path.is_file()):
                place = folder / file.relative_to(name)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written ({error.strerror}).") from None
