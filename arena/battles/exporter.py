"""Files that other programs read: the battles and leaderboards of a tournament."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from arena.battles.columns import Shape
from arena.battles.source import sql_text
from arena.boards.board import Board
from arena.config.resolved import ResolvedConfig
from arena.config.stored import JUDGES
from arena.errors import ConfigError
from arena.store.battles import NO_LANGUAGE, NO_MOTION
from arena.store.scratch import open_scratch_database
from arena.text import FORMULA, NUMBER

#: The options of DuckDB's COPY, by the suffix of the file.
FORMATS = {
    ".csv": "FORMAT csv, HEADER",
    ".jsonl": "FORMAT json",
    ".parquet": "FORMAT parquet",
}

#: The battles in a folder that `arena export --what dataset` wrote.
DATASET_BATTLES = Path("data", "battles.parquet")


def battle_table(compared: pd.DataFrame, shape: Shape, resolved: ResolvedConfig) -> pd.DataFrame:
    """Return the battles of a selection, in a shape that `arena import` and other programs read.

    Args:
        compared: the frame that `compared_debates` returns.
        resolved: the tournament. The seed of its bootstrap goes along, so that the same medians are
            computed from the battles.
    """
    imported = pd.Series(resolved.imported, index=compared.index)
    is_judged_often = compared["debate_id"].duplicated().any()
    words = {outcome: word for word, outcome in [*shape.outcomes.items()][::-1]}
    has_voter = (imported | (compared["voter"] != "")) & (compared["bench"] != JUDGES)
    judge = compared["voter"].where(has_voter, compared["bench"])
    return pd.DataFrame(
        {
            shape.first: compared["pro"],
            shape.second: compared["con"],
            "winner": compared["outcome"].map(words),
            "judge": _without(judge, ""),
            "category": _without(compared["category"], ""),
            "motion": _without(compared["motion"], NO_MOTION),
            "language": _without(compared["language"], NO_LANGUAGE),
            "score_a": compared["pro_mark"].where(imported, compared["pro_score"]),
            "score_b": compared["con_mark"].where(imported, compared["con_score"]),
            "weight": compared["weight"],
            "timestamp": compared["finished_at"],
            **({"debate": compared["debate_id"]} if is_judged_often else {}),
            "group": compared["matchup_id"],
            "simulated": resolved.simulated,
            "seed": resolved.config.tournament.seed,
        }
    )


#: Columns of a leaderboard that somebody who is not rated has no figure in.
_PLACES = ("rank", "rank_low", "rank_high", "tie_group")
_FIGURES = ("rating", "median", "lower", "upper", "comparison_lower", "comparison_upper")


def board_table(board: Board) -> pd.DataFrame:
    """Return a leaderboard: a row per participant, unrounded; without figures where not rated."""
    table = pd.DataFrame([asdict(row) for row in board.rows]).drop(columns=["note", "unrated"])
    places = {name: table[name].astype("Int64") for name in _PLACES}
    figures = {name: table[name].astype(float).mask(table["debates"] == 0) for name in _FIGURES}
    return table.assign(**places, **figures)


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table in the format that the suffix of the file names.

    Raises:
        ConfigError: the suffix names no format, or the file cannot be written.
    """
    with TemporaryDirectory() as folder, open_scratch_database(path, folder=Path(folder)) as link:
        link.register("exported", table)
        is_csv = path.suffix.lower() == ".csv"
        columns = ", ".join(
            f'{_exported(str(name), kind, is_csv=is_csv)} AS "{name}"'
            for name, kind in table.dtypes.items()
        )
        form = FORMATS.get(path.suffix.lower())
        if form is None:
            raise ConfigError(f"{path}: its name must end in one of {', '.join(FORMATS)}.")
        target = f"{sql_text(str(path))} ({form})"
        link.execute(f"COPY (SELECT {columns} FROM exported) TO {target}")


@contextmanager
def replace_file(path: Path, *, force: bool) -> Iterator[Path]:
    """Write a file completely or not at all.

    Yields:
        A temporary file in the same folder; it replaces the file when the block ends without an
        error.

    Raises:
        ConfigError: the file exists and may not be replaced, or cannot be written.
    """
    if path.exists() and not force:
        raise ConfigError(f"{path}: already exists. Use --force to replace it.")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: the folder {path.parent} does not exist.")
    partial = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror}).") from None
    finally:
        partial.unlink(missing_ok=True)


def _exported(name: str, kind: Any, *, is_csv: bool) -> str:  # noqa: ANN401 - a type of numpy's
    """Return the SQL of a column: no NaN, and in CSV nothing that is taken for a formula."""
    if kind.kind == "f":
        return f'CASE WHEN isnan("{name}") THEN NULL ELSE "{name}" END'
    if not is_csv or kind.kind in "iubM":
        return f'"{name}"'
    text = f'CAST("{name}" AS TEXT)'
    is_formula = f"regexp_matches({text}, {sql_text(f'^{FORMULA}')})"
    is_number = f"regexp_full_match({text}, {sql_text(NUMBER)})"
    guarded = f"chr(39) || {text}"  # an apostrophe
    return f"CASE WHEN {is_formula} AND NOT {is_number} THEN {guarded} ELSE {text} END"


def _without(column: pd.Series, unknown: str) -> pd.Series:
    """Return a column with nulls in the place of the word for what is not known."""
    return column.where(column != unknown, None)
