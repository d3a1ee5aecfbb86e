"""Databases that earlier versions of the program wrote, kept as packed statements of SQL.

Each was played by that version with simulated models, up to a cap of tokens: some of its debates
are left to play. `python -m tests.support.older_databases FILE NAME` keeps a database.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

_FOLDER = Path(__file__).parents[1] / "arena" / "store" / "older"
_TABLES = "SELECT table_name, sql FROM duckdb_tables() WHERE NOT internal ORDER BY table_name"


def restore(name: str, path: Path) -> Path:
    """Write a kept database to a file."""
    script = gzip.decompress((_FOLDER / f"{name}.sql.gz").read_bytes()).decode()
    with duckdb.connect(path) as link:
        link.execute("SET TimeZone = 'UTC'")
        link.execute(f"BEGIN; {script} COMMIT;")
    return path


def _statements(file: str) -> Iterator[str]:
    with duckdb.connect(file, read_only=True) as link:
        link.execute("SET TimeZone = 'UTC'")
        for table, statement in link.execute(_TABLES).fetchall():
            yield statement
            columns = [row[0] for row in link.execute(f"DESCRIBE {table}").fetchall()]
            texts = ", ".join(f'CAST("{name}" AS TEXT)' for name in columns)
            for row in link.execute(f"SELECT {texts} FROM {table} ORDER BY ALL").fetchall():
                yield f"INSERT INTO {table} VALUES ({', '.join(map(_literal, row))});"


def _literal(text: str | None) -> str:
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    _FOLDER.mkdir(exist_ok=True)
    written = "\n".join(_statements(sys.argv[1])).encode()
    packed = gzip.compress(written, compresslevel=9, mtime=0)
    (_FOLDER / f"{sys.argv[2]}.sql.gz").write_bytes(packed)
