"""A run on a disk that fills up: one sentence, nothing damaged, and with room it goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.console_script import arena, contents
from tests.support.tournaments import SMALL

#: Bytes of the disk, and of what stands on it already.
_SIZE, _OTHERS = 9 * 2**20, 13 * 2**19
#: More debates than there is room for.
LONG = SMALL.replace("matchups_per_pair = 1", "matchups_per_pair = 2")

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 9 MB of which most is taken by the file `others`."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk of its own: {mounted.stderr.strip()}")
    try:
        (folder / "others").write_bytes(bytes(_OTHERS))
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a run that nothing stops, beside its configuration."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "own.toml").write_text(LONG, "utf-8")
    db = folder / "own.duckdb"
    assert arena("run", folder / "own.toml", "--db", db, "--yes", "--no-report")[0] == 0
    return db


def check_refusal(printed: str, db: Path) -> None:
    (error,) = [line for line in printed.splitlines() if line.startswith("Error: ")]
    assert "the disk is full, or a limit for files is reached" in error
    assert f"Continue with: arena resume small --db {db}" in printed
    assert not [word for word in ("Traceback", "damaged", "restore") if word in printed]


def check_resumes(db: Path, whole: Path) -> None:
    code, printed = arena("verify", "--db", db)
    assert code == 0 and "Everything is consistent." in printed
    assert len(contents(db)["debates"]) == len(contents(whole)["debates"])
    code, printed = arena("resume", "--db", db, "--yes", "--no-report")
    assert code == 0, printed
    assert contents(db) == contents(whole)


def test_a_run_on_a_full_disk_ends_with_its_cause_and_goes_on_with_room(
    disk: Path, whole: Path
) -> None:
    db = disk / "own.duckdb"
    code, printed = arena("run", whole.with_name("own.toml"), "--db", db, "--yes")
    assert code == 2, printed
    check_refusal(printed, db)
    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
    check_resumes(db, whole)


def test_a_run_whose_files_may_not_grow_ends_with_its_cause_and_goes_on(
    tmp_path: Path, whole: Path
) -> None:
    db = tmp_path / "own.duckdb"
    small = whole.stat().st_size // 2
    code, printed = arena(
        "run", whole.with_name("own.toml"), "--db", db, "--yes", largest_file=small
    )
    assert code == 2, printed
    check_refusal(printed, db)
    check_resumes(db, whole)
