"""The console script as a subprocess, against servers and databases of a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import duckdb

ARENA = Path(sys.executable).with_name("arena")


def environment(url: str = "", **more: str) -> dict[str, str]:
    """This environment without keys of providers, and with a server's address."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return kept | {"ARENA_LOCAL_BASE_URL": url, "COLUMNS": "120"} | more


def start(*words: str | Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start `arena` with some words."""
    return subprocess.Popen(
        [ARENA, *map(str, words)],
        env=env or environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def arena(*words: str | Path, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run `arena` to its end: exit code, and all that it printed."""
    with start(*words, env=env) as running:
        printed, _ = running.communicate(timeout=570)
        return running.returncode, printed


def ask(db: Path, query: str) -> list[tuple[object, ...]]:
    """Rows of a query on a database that nobody holds."""
    with duckdb.connect(str(db), read_only=True) as link:
        return link.execute(query).fetchall()


def contents(db: Path) -> dict[str, list[tuple[object, ...]]]:
    """What a tournament decided, without times: the same for the same tournament."""
    return {
        "debates": ask(db, "SELECT debate_id, pro, con, status FROM debates ORDER BY ALL"),
        "speeches": ask(
            db, 'SELECT debate_id, side, stage, text, "references" FROM speeches ORDER BY ALL'
        ),
        "ballots": ask(
            db,
            "SELECT debate_id, bench, run, status, dimension, outcome, pro_mark, comment "
            "FROM ballots JOIN ballot_scores USING (ballot_id) ORDER BY ALL",
        ),
    }
