"""A run that nobody watches for three days, because a day's cap lets it play no more each day."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.console import progress
from arena.tournament import run
from tests.support.command_line import arena
from tests.support.console_script import ask
from tests.support.simulated_night import Night, utc
from tests.support.tournaments import SMALL


@pytest.mark.slow
@pytest.mark.usefixtures("no_stored_boards")
def test_a_run_waits_for_the_next_day_when_the_cap_of_one_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night = Night(utc("23 19:00"), set_back=(utc("30 00:00"), timedelta(0)))
    night.install(monkeypatch)
    monkeypatch.setattr(progress, "TICK_SECONDS", 600.0)
    monkeypatch.setattr(run, "BOARD_SECONDS", 7200.0)
    file, db = tmp_path / "days.toml", tmp_path / "days.duckdb"
    file.write_text(f"{SMALL}\n[limits]\ntokens_per_day = 100_000\n", "utf-8")
    result = arena("run", file, "--yes", "--log", "--db", db)
    assert result.exit_code == 0, result.output
    log = [json.loads(line) for line in Path(f"{db}.log").read_text("utf-8").splitlines()]
    waits = [event for event in log if "the work goes on then" in event.get("text", "")]
    assert waits and all("The next day begins on" in event["text"] for event in waits)
    days = {datetime.fromisoformat(e["at"]).date() for e in log if e["event"] == "ballot"}
    assert len(days) == len(waits) + 1
    assert ask(db, "SELECT status, count(*) FROM debates GROUP BY ALL") == [("finished", 6)]
    assert ask(db, "SELECT count(*) FROM ballots WHERE status = 'valid'") == [(6,)]
    (tokens,) = ask(db, "SELECT sum(input_tokens + output_tokens) FROM calls")[0]
    assert int(str(tokens)) > 100_000
