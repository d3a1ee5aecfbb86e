"""Fixtures that several test modules share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.command_line import done
from tests.handmade import SMALL

# A test is not wrong because the machine is busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of one small tournament, played offline; for reading only."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    done("run", folder / "small.toml", "--yes", "--db", folder / "small.duckdb")
    return folder / "small.duckdb"


@pytest.fixture
def own_database(small_database: Path, tmp_path: Path) -> Path:
    """A copy of the played database that a test may change."""
    return Path(shutil.copy(small_database, tmp_path / "own.duckdb"))
