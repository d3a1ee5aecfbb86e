"""Twelve hours in a second: a window, an absence, a quota that is used up, a clock that is set."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.console import progress
from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.request import Backend, Completion, Request
from arena.llm.traffic import circuit
from arena.tournament import run
from arena.tournament.models import Models
from tests.command_line import arena
from tests.nights import Night, utc

_FILE = """
[tournament]
name = "night"
motions = "arena66"
seed = 7
[schedule]
matchups_per_pair = 7
concurrency = 2
window = "22:00-07:00 UTC"
[limits]
give_up_after = "3h"
[models."openai/*"]
usd_per_million = { input = 0, output = 0 }
concurrency = 4
[[participants]]
name = "a"
debater = "direct"
model = "offline/good"
[[participants]]
name = "b"
debater = "direct"
model = "offline/fair"
[[participants]]
name = "c"
debater = "direct"
model = "offline/weak"
[[benches]]
name = "bench"
judge = "single"
model = "offline/strong"
runs = 1
"""
#: Seconds that an answer takes.
_CALL = 400.0


class _Provider:
    """The simulated models, as slow as large ones, away for a part of the night."""

    def __init__(self, night: Night, models: Backend) -> None:
        self._night, self._models = night, models

    async def complete(self, request: Request) -> Completion:
        """Answer after some minutes, if somebody is there."""
        if utc("24 02:14") <= self._night.true_now() < utc("24 03:40"):
            raise InfrastructureFault("offline: connection refused.", kind="unreachable")
        await asyncio.sleep(_CALL)
        if self._night.now() >= utc("24 05:00") and request.model == "offline/weak":
            raise ProviderRejected(f"{request.model}: the quota is used up.", remedy="quota")
        return await self._models.complete(request)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is theirs
        return getattr(self._models, name)


def test_a_night_of_twelve_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    night = Night(utc("23 19:00"), set_back=(utc("24 04:10"), timedelta(hours=1)))
    night.install(monkeypatch)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(progress, "TICK_SECONDS", 30.0)
    monkeypatch.setattr(circuit, "TRY_SECONDS", (5.0, 300.0))
    monkeypatch.setattr(run, "BOARD_SECONDS", 7200.0)
    backend = Models.backend
    monkeypatch.setattr(
        Models, "backend", lambda self, model: _Provider(night, backend(self, model))
    )
    file, db = tmp_path / "night.toml", tmp_path / "night.duckdb"
    file.write_text(_FILE, "utf-8")
    result = arena("run", file, "--yes", "--log", "--db", db)
    log = [json.loads(line) for line in Path(f"{db}.log").read_text("utf-8").splitlines()]
    page = [_format_event(event) for event in log]
    Path("/tmp/w/s5/page.txt").write_text("\n".join(page) + "\n" + result.output)
    assert 0


def _format_event(event: dict[str, Any]) -> str:
    """A line of the page: the time, and what happened."""
    detail = event.get("text") or event.get("reason") or event.get("status", "")
    return f"{event['at'][11:16]} {event['event']} {detail}".strip()
