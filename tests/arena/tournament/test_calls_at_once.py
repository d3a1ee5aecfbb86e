"""How many calls go out at once: printed, the next run's beginning, and no board's matter."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from arena.llm.traffic import rate_limiter
from arena.llm.traffic.rate_limits import AdaptiveLimit
from arena.store.database import Store
from tests.servers.openai_server import OpenAIServer, ServerSettings, serving_in_thread
from tests.support.command_line import done
from tests.support.tournaments import SMALL

pytestmark = [pytest.mark.usefixtures("no_stored_boards"), pytest.mark.slow]

MODEL = "openai/local-model"
PRINTED = re.compile(r"Calls at once that were found to suit, for the next run: (.*)\.")


def tournament(folder: Path, server: OpenAIServer, *, most: int, matchups: int = 1) -> Path:
    """Three debaters and a bench on one server, which takes so many calls at once."""
    text = re.sub(r'model = "offline/\w+"', f'model = "{MODEL}"', SMALL)
    for number, name in enumerate(("strong", "fair", "weak")):
        text = text.replace(
            f'name = "{name}"\n', f'name = "{name}"\nsampling = {{ temperature = 0.{number} }}\n'
        )
    text = text.replace("matchups_per_pair = 1", f"matchups_per_pair = {matchups}")
    file = folder / "at-once.toml"
    file.write_text(
        f'{text}[models."{MODEL}"]\napi_base = "{server.url}"\nconcurrency = {most}\n'
        "usd_per_million = { input = 0, output = 0 }\n",
        encoding="utf-8",
    )
    return file


def results(db: Path) -> list[dict[str, Any]]:
    """All that a board is made from, and the board."""
    store = Store(db)
    tables = [
        "SELECT debate_id, status FROM debates",
        "SELECT debate_id, side, stage, text, trace FROM speeches",
        "SELECT b.debate_id, b.bench, b.run, b.status, s.* FROM ballots b JOIN ballot_scores s "
        "USING (ballot_id)",
    ]
    rows = [row for table in tables for row in store.rows(f"{table} ORDER BY ALL")]
    board = json.loads(done("leaderboard", "--db", db, "--format", "json"))
    return [*rows, {"board": board}]


def test_what_suited_is_printed_and_is_where_the_next_run_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[tuple[int, int]] = []

    class Watched(AdaptiveLimit):
        def __init__(self, most: int, *, start: int) -> None:
            if most in (24, 3):  # the file's; the rehearsal before the run has limits of its own
                starts.append((most, start))
            super().__init__(most, start=start)

    monkeypatch.setattr(rate_limiter, "AdaptiveLimit", Watched)
    db = tmp_path / "once.duckdb"
    with serving_in_thread(ServerSettings(delay_seconds=0.01)) as server:
        first = done("run", tournament(tmp_path, server, most=24), "--yes", "--db", db)
        assert starts == [(24, 4)]
        assert PRINTED.findall(first) == [f"{MODEL} 24"], "quick answers open the limit"
        rows = Store(db).rows("SELECT model, address, calls FROM call_limits")
        assert rows == [{"model": MODEL, "address": server.url, "calls": 24}]
        more = tournament(tmp_path, server, most=24, matchups=2)
        second = done("run", more, "--yes", "--db", db)
        assert starts[1:] == [(24, 24)], "where the first run ended"
        assert PRINTED.findall(second) == [f"{MODEL} 24"]
        lower = tournament(tmp_path, server, most=3, matchups=3)
        assert PRINTED.findall(done("run", lower, "--yes", "--db", db)) == [f"{MODEL} 3"]
        assert starts[2:] == [(3, 24)], "what the file says comes first"


def test_boards_are_the_same_at_any_number_of_calls_at_once(tmp_path: Path) -> None:
    """By a judge of one call: what is compared is how many debates are under way."""
    boards, busiest = [], []
    with serving_in_thread(ServerSettings(delay_seconds=0.02)) as server:
        for most in (1, 8, 64):
            server.ledger.requests.clear()
            db = tmp_path / f"{most}.duckdb"
            file = tournament(tmp_path, server, most=most, matchups=2)
            file.write_text(file.read_text("utf-8").replace('"debatrix"', '"single"'), "utf-8")
            done("run", file, "--yes", "--concurrency", "12", "--db", db)
            boards.append(results(db))
            busiest.append(max(seen.in_flight for seen in server.ledger.requests))
    assert busiest[0] == 1 and busiest[1] <= 8 < busiest[2], "the limits were not kept"
    assert boards[0] == boards[1] == boards[2]
    assert len(boards[0]) > 12 * 7
