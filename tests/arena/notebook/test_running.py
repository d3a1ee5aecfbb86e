"""Tournaments played from Python: in a script, in a running loop, and not without a cap."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import arena
from tests.support.tournaments import SMALL

_ONE_PAIR = SMALL.replace(
    '[[participants]]\nname = "weak"\ndebater = "direct"\nmodel = "offline/weak"\n', ""
)
pytestmark = pytest.mark.usefixtures("no_stored_boards")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pair.toml"
    path.write_text(_ONE_PAIR, encoding="utf-8")
    return path


def test_a_script_plays_and_reads(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played = arena.run(file, db=tmp_path / "own.duckdb")
    assert [row.status for row in played.debates()] == ["finished"] * 2
    assert "2 debates" in capsys.readouterr().out
    again = arena.run(file, db=tmp_path / "own.duckdb", quiet=True)
    assert len(again.ballots()) == 2
    assert capsys.readouterr().out == ""


async def test_a_running_loop_goes_on_meanwhile(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    played = await arena.run_async(file, db=tmp_path / "async.duckdb", quiet=True)
    counting.cancel()
    assert turns > 1
    inside = arena.run(file, db=tmp_path / "inside.duckdb", quiet=True)
    assert capsys.readouterr().out == ""
    assert [row.outcomes for row in inside.debates()] == [row.outcomes for row in played.debates()]


def test_nothing_is_spent_without_a_cap(file: Path, tmp_path: Path) -> None:
    db = tmp_path / "own.duckdb"
    for model, usd, words in (
        ("openai/gpt-4o", None, r"pair.toml: no spending cap.*openai/gpt-4o.*usd="),
        ("offline/fair", -1.0, r"usd=-1.0 is no amount"),
        ("offline/fair", float("nan"), r"usd=nan is no amount"),
        ("offline/nobody", 5.0, r"offline/nobody"),
    ):
        file.write_text(_ONE_PAIR.replace("offline/fair", model), encoding="utf-8")
        with pytest.raises(arena.ConfigError, match=words):
            arena.run(file, db=db, usd=usd, quiet=True)
    with pytest.raises(arena.ConfigError, match="absent.toml"):
        arena.run(tmp_path / "absent.toml", db=db)
    assert not db.exists()
