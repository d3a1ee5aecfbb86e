"""The state of a tournament as words for its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from arena.console.run_status import ENDS, RunStatus
from arena.store.command_lines import command_line
from arena.text import format_cap
from arena.tournament.figures import Figures, format_seconds


def format_outcome(status: RunStatus) -> str:
    """Say whether somebody works on a tournament, or how it ended."""
    return ENDS.get(status.outcome) or status.last_run.describe()


def format_money(status: RunStatus) -> tuple[str, str]:
    """Return what was spent against the cap, and what it consists of."""
    cap = "" if status.cap is None else f" of {format_cap(status.cap)}"
    more = "No spending cap." if status.cap is None else f"The cap is {format_cap(status.cap)} USD."
    if status.reserved_usd:
        more += (
            f" Up to {status.reserved_usd:.4f} USD more are reserved for answers that were cut "
            "off, whose bill is not known."
        )
    return f"{status.usd:.{3 if 0 < status.usd < 1 else 2}f}{cap}", more


def format_time_left(figures: Figures) -> str:
    """Return how long a run still takes, in a few words."""
    if figures.seconds_left is None:
        return "not known"
    return format_seconds(figures.seconds_left) if figures.seconds_left >= 1 else "almost done"


def format_since(moment: object) -> str:
    """Format when a debate ended: the time of day, UTC, and the date where it is not today's."""
    at = pd.Timestamp(moment)  # type: ignore[arg-type]
    if pd.isna(at):
        return ""
    at = at.tz_convert("UTC")
    today = pd.Timestamp.now(tz="UTC").date()
    return f"{at:%H:%M:%S}" if at.date() == today else f"{at:%Y-%m-%d %H:%M}"


def format_result(row: Mapping[Any, Any]) -> str:
    """Format how a debate ended, by the ballots of one bench.

    >>> format_result({"status": "finished", "pro_score": 2.5, "con_score": 0.5})
    'Pro 2.5 : 0.5'
    >>> format_result({"status": "void", "pro_score": None, "con_score": None})
    'void'
    """
    if row["status"] != "finished":
        return str(row["status"])
    if pd.isna(row["pro_score"]):
        return "not judged yet"
    pro, con = float(row["pro_score"]), float(row["con_score"])
    winner = "Tie" if pro == con else "Pro" if pro > con else "Con"
    return f"{winner} {pro:g} : {con:g}"


def run_command(db: str) -> str:
    """Return the command that goes on with a tournament whose file was changed."""
    return command_line("run", "FILE", db=Path(db))


def resume_command(tournament: str, db: str) -> str:
    """Return the command that goes on with a tournament."""
    return command_line("resume", tournament, "--yes", db=Path(db))
