"""Commands whose standard streams are closed, full or of an old encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store.database import Store
from tests.support.case_lists import for_every
from tests.support.tournaments import SMALL

_ARENA = Path(sys.executable).with_name("arena")


def run(words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line of a shell; `arena` is the program."""
    return subprocess.run(
        ["bash", "-c", f'arena() {{ "{_ARENA}" "$@"; }}; {words}'],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, **variables},
    )


@for_every(
    (
        (">&-", 0, b""),
        (">/dev/full", 1, b"Error: not everything could be printed: No space left on device."),
    )
)
def test_what_cannot_be_printed_is_one_message_at_most(
    streams: str, code: int, words: bytes, tmp_path: Path
) -> None:
    ended = run(f"arena motions --help {streams}", tmp_path)
    assert (ended.returncode, ended.stderr.strip()) == (code, words)


@pytest.mark.slow
@for_every((">&-", ">&- 2>&-", ">/dev/full 2>/dev/full"))
def test_a_tournament_is_played_though_nothing_can_be_printed(streams: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SMALL, "utf-8")
    ended = run(f"arena run a.toml --yes --db a.duckdb {streams}", tmp_path)
    assert b"Traceback" not in ended.stderr
    rows = Store(tmp_path / "a.duckdb").plain_rows("SELECT DISTINCT status FROM debates")
    assert rows == [{"status": "finished"}]


def test_a_character_that_a_terminal_lacks_is_no_fault(tmp_path: Path) -> None:
    ended = run(
        "arena motions --help; arena nothing-there \u6b63", tmp_path, PYTHONIOENCODING="latin-1"
    )
    assert b"Traceback" not in ended.stderr and b"Error: No such command" in ended.stderr
