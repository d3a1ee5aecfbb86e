"""Twelve hours in a second: a window, an absence, a quota that is used up, a clock that is set."""

from __future__ import annotations

import asyncio
import html
import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.console import paid, progress
from arena.console.notices import Notifier
from arena.errors import InfrastructureFault, ProviderRejected
from arena.llm.request import Backend, Completion, Request
from arena.llm.traffic import circuit_breaker
from arena.report.overview import files
from arena.report.overview.files import write_report_after_run
from arena.tournament import run
from arena.tournament.models import Models
from tests.support.command_line import arena, done
from tests.support.console_script import ask
from tests.support.simulated_night import Night, utc

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
#: The log: no winners named at first, then away from 02:14 to 03:40,
#: set back by an hour at 04:10, no credit left at 05:00.
_PAGE = """\
19:00 start
19:00 wait until Mon 23 Nov 22:00
22:33 debate finished x 2
22:46 ballot failed
22:46 line a ballot of bench failed: UnparseableReply: offline/strong returned no valid Card, even \
after a repair request: it contains no complete JSON object. (debate 7f3a7858)
22:46 ballot failed
23:20 debate finished x 2
23:26 ballot valid x 2
00:00 debate finished x 2
00:06 ballot valid x 2
00:40 debate finished x 2
00:46 ballot valid x 2
01:20 debate finished x 2
01:26 ballot valid x 2
02:00 debate finished x 2
02:06 ballot valid x 2
02:20 line offline cannot be reached since 02:20:00: its calls wait, next try 02:20:05. offline: \
connection refused.
02:30 notice night: offline has been away for 10 min 30 s; its calls wait.
03:46 line offline answers again, after 1:26:55.
03:47 notice night: offline answers again.
03:20 debate finished x 2
03:26 ballot valid x 2
03:46 debate finished
03:53 ballot valid
04:00 debate finished
04:06 ballot valid
04:13 debate finished
04:20 ballot valid
04:40 debate finished
04:46 ballot valid
04:53 debate finished
05:00 ballot valid
05:06 line offline/weak: the quota is used up. What needs this model stays planned. Add credit \
at the provider, then continue with: arena resume night --db DATABASE --yes
05:20 debate finished
05:26 ballot valid
06:13 debate finished x 2
06:20 ballot valid x 2
06:20 end the time to stop, Tue 24 Nov 07:00, is near, and a debate takes 47 min; offline/weak: \
there is no credit left.
06:20 notice night: stopped early: the time to stop, Tue 24 Nov 07:00, is near, and a debate \
takes 47 min; offline/weak: there is no credit left. 22 of 42 debates, 20 of 42 ballots (2 \
failed). It took 9 h 20 min, 164 calls with 26,565 tokens in their answers, and 0.0000 USD. \
Continue with: arena resume night --db DATABASE --yes
06:20 report night.duckdb.report.html"""
#: Seconds that an answer takes.
_CALL = 400.0


class _Provider:
    """The simulated models, as slow as large ones, away for a part of the night.

    The judge names no winner at first.
    """

    def __init__(self, night: Night, models: Backend) -> None:
        self._night, self._models = night, models

    async def complete(self, request: Request) -> Completion:
        """Answer after some minutes, if somebody is there."""
        if utc("24 02:14") <= self._night.true_now() < utc("24 03:40"):
            raise InfrastructureFault("offline: connection refused.", kind="unreachable")
        await asyncio.sleep(_CALL)
        if request.model == "offline/strong" and self._night.true_now() < utc("23 23:00"):
            return replace(await self._models.complete(request), text="Both were good.")
        if self._night.now() >= utc("24 05:00") and request.model == "offline/weak":
            raise ProviderRejected(f"{request.model}: the quota is used up.", remedy="quota")
        return await self._models.complete(request)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is theirs
        return getattr(self._models, name)


class _Collected(Notifier):
    """Sends nothing: the log has every message."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1/x", "text")

    def tell(self, text: str) -> None:
        """Do nothing."""


@pytest.fixture
def zone() -> Iterator[None]:
    """Set the machine's zone, in which messages name times, to UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.slow
@pytest.mark.usefixtures("zone")
def test_a_night_of_twelve_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    night = Night(utc("23 19:00"), set_back=(utc("24 04:10"), timedelta(hours=1)))
    night.install(monkeypatch)
    monkeypatch.setattr(progress, "TICK_SECONDS", 30.0)
    monkeypatch.setattr(circuit_breaker, "TRY_SECONDS", (5.0, 300.0))
    monkeypatch.setattr(run, "BOARD_SECONDS", 6 * 3600.0)
    monkeypatch.setattr(paid, "read_notifier", _Collected)
    monkeypatch.setattr(files, "write_report_after_run", write_report_after_run)
    backend = Models.backend
    monkeypatch.setattr(
        Models, "backend", lambda self, model: _Provider(night, backend(self, model))
    )
    file, db = tmp_path / "night.toml", tmp_path / "night.duckdb"
    file.write_text(_FILE, "utf-8")
    result = arena("run", file, "--yes", "--log", "--db", db)
    log = [json.loads(line) for line in Path(f"{db}.log").read_text("utf-8").splitlines()]
    page = [line.replace(str(db), "DATABASE") for line in _format_page(log)]
    assert page == _PAGE.splitlines()
    assert result.exit_code == 1  # work is left
    statuses = ask(db, "SELECT status, count(*) FROM debates GROUP BY ALL ORDER BY ALL")
    assert statuses == [("finished", 22), ("planned", 42 - 22)]
    assert ask(db, "SELECT count(*) FROM ballots WHERE status = 'valid'") == [(20,)]
    report = (tmp_path / "night.duckdb.report.html").read_text("utf-8")
    _check_report(_read_text(report), db)


def _check_report(text: str, db: Path) -> None:
    """Check that a report has the board, what is done and left, and what failed, with the cause."""
    board = json.loads(done("leaderboard", "--format", "json", "--db", db))
    assert {row["participant"] for row in board["rows"]} == {"a", "b", "c"}
    for place, row in enumerate(board["rows"], start=1):
        ends = f"{row['lower']:.0f} to {row['upper']:.0f}"
        assert f"| {place} | {row['participant']} | {row['rating']:.0f} | {ends} |" in text
    ((reason, failed),) = ask(
        db, "SELECT reason, count(*) FROM ballots WHERE status = 'failed' GROUP BY ALL"
    )
    assert "22 of 42 | debates finished" in text and f"| Failed ballots | {failed} |" in text
    assert "| Debates not begun | 20 |" in text
    assert str(reason) in text
    assert "The last run ended on Tue 24 Nov 06:20: the time to stop, Tue 24 Nov 07:00, is" in text


def _read_text(page: str) -> str:
    """The texts of a page, a bar between those of two elements."""
    body = re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.DOTALL)
    texts = (html.unescape(text).strip() for text in re.split(r"<[^>]+>", body))
    return f"| {' | '.join(text for text in texts if text)} |".replace("\xa0", " ")


def _format_page(log: list[dict[str, Any]]) -> list[str]:
    """The lines of the log; a line that comes again at once counts its times."""
    groups = itertools.groupby(_format_event(event) for event in log)
    counted = ((line, len(list(same))) for line, same in groups)
    return [line if times == 1 else f"{line} x {times}" for line, times in counted]


def _format_event(event: dict[str, Any]) -> str:
    """A line of the page: the time, and what happened."""
    detail = event.get("text") or event.get("status") or event.get("reason", "")
    return f"{event['at'][11:16]} {event['event']} {detail}".strip()
