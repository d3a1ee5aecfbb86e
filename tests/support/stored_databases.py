"""Databases as other processes use them, and the least that can be written into one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.store.database import Store, insert


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python, once it has said its first line."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in ("ready", "held")
    return process


#: Cuts the debates of the last matchup off, into a tournament that began later.
_CUT = (
    "INSERT INTO tournaments SELECT * REPLACE ('later' AS tournament, created_at + INTERVAL 1 DAY "
    'AS created_at, json_merge_patch(config, \'{"tournament": {"name": "later"}}\') AS config) '
    "FROM tournaments WHERE tournament = 'small'",
    "INSERT INTO participants SELECT * REPLACE ('later' AS tournament) FROM participants",
    "UPDATE debates SET tournament = 'later' "
    "WHERE matchup_id = (SELECT max(matchup_id) FROM debates)",
)


def cut_in_two(store: Store) -> None:
    """Make two tournaments of `small`: the debates of its last matchup are those of `later`."""

    def cut(link: Any) -> None:  # noqa: ANN401 - a connection
        for statement in _CUT:
            link.execute(statement)

    store.write(cut)


@contextmanager
def holding(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    with started(code, path) as process:
        try:
            yield process
        finally:
            process.kill()


def exchange(unit: str) -> dict[str, Any]:
    return {"unit": unit, "part": 1, "requests_and_answers": b"{}"}


def write_exchanges(store: Store, *units: str) -> None:
    store.write(lambda link: insert(link, "exchanges", [exchange(one) for one in units]))


def count(store: Store) -> int:
    return int(store.read("SELECT count(*) AS n FROM exchanges")["n"][0])


def set_version(store: Store, version: int) -> None:
    row = {
        "tournament": "t",
        "config": {"a": [1, "ä"]},
        "config_hash": "",
        "seed": 1,
        "schema_version": version,
        "code_version": "0",
        "created_at": "2025-01-01T00:00:00Z",
    }
    store.write(lambda link: insert(link, "tournaments", [row]))


def change(store: Store, *statements: str) -> None:
    """Change stored rows by SQL, in one transaction."""

    def run(connection: Any) -> None:  # noqa: ANN401 - a DuckDB connection
        for statement in statements:
            connection.execute(statement)

    store.write(run)
