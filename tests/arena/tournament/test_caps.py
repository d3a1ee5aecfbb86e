"""Caps as purses, and the days of caps per day: when they begin, and what was spent by then."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.config.load import parse_config
from arena.errors import BudgetReached, StoreError
from arena.llm.budget import Cost, Purse
from arena.records import Debate
from arena.store.database import Store
from arena.tournament import caps
from arena.tournament.caps import SpendingDays, days_file, has_further_caps, open_budget
from arena.tournament.plan import TournamentPlan
from tests.support.case_lists import for_every
from tests.support.refused_configs import refusal
from tests.support.tournaments import (
    changed,
    commit,
    content,
    judged,
    meeting,
    planned,
    played,
    resolved_of,
)


def capped() -> dict[str, Any]:
    """A configuration with a cap of every kind."""
    limits = {"usd": 5.0, "tokens": 900, "usd_per_day": 3.0, "tokens_per_day": 500}
    config = changed(content(), ["limits"], limits)
    config = changed(config, ["participants", 0, "usd"], 2.0)
    return changed(config, ["participants", 1, "tokens"], 400)


def purses(store: Store, plan: TournamentPlan) -> dict[tuple[str, str, bool], Purse]:
    budget = open_budget(store, plan.resolved, usd=5.0)
    return {(one.participant, one.measure, one.is_daily): one for one in budget.limited}


def write_journal(store: Store, unit: str, *lines: dict[str, object]) -> None:
    store.journal_folder.mkdir(exist_ok=True)
    text = "".join(json.dumps({"attempt": 0, **line}) + "\n" for line in lines)
    (store.journal_folder / f"{unit}.jsonl").write_text(text, "utf-8")


def play(store: Store, debate: Debate) -> None:
    record = played(debate, costs=[("pro/a", 0.5), ("con/a", 0.25)])
    commit(store, record, judged(debate))


def test_ids_and_stored_configurations_do_not_know_of_caps_that_are_not_set() -> None:
    plain, config = resolved_of(content()), resolved_of(capped())
    ids = [participant.participant_id for participant in plain.participants]
    assert [participant.participant_id for participant in config.participants] == ids
    stored = plain.config.model_dump(mode="json")
    assert set(stored["limits"]) == {"usd", "words", "timeout_seconds", "retries"}
    assert "usd" not in stored["participants"][0] and "tokens" not in stored["participants"][0]
    again = parse_config(config.config.model_dump(mode="json"), where="stored")
    assert again == config.config and has_further_caps(again)
    assert not has_further_caps(plain.config)


@pytest.mark.parametrize("key", ["usd", "usd_per_day", "tokens", "tokens_per_day"])
def test_a_cap_of_nothing_is_refused(key: str) -> None:
    for value in (0, -1, "much"):
        assert key in refusal(changed(content(), ["limits", key], value))
    if "day" not in key:
        assert key in refusal(changed(content(), ["participants", 0, key], 0))


def test_a_participant_pays_for_its_own_calls_and_nobody_for_the_judges(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    play(store, meeting(plan, "ann", "bob"))
    spent = purses(store, plan)
    assert spent["", "usd", False].spent == 0.5 + 0.25 + 0.25
    assert spent["ann", "usd", False].spent == 0.5
    assert spent["bob", "tokens", False].spent > 0
    total = spent["", "tokens", False].spent
    assert total == 2 * spent["bob", "tokens", False].spent  # two calls of as many tokens
    assert spent["", "usd", True].spent == 0  # all of it before the first day that is known


def test_what_a_kill_left_reserved_counts_for_all_whose_purse_it_was(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    purses(store, plan)
    write_journal(
        store,
        meeting(plan, "bob", "ann").debate_id,
        {"event": "start", "path": "pro/a", "usd": 0.5, "tokens": 300},
        {"event": "start", "path": "con/a", "usd": 1.5, "tokens": 50},
        {"event": "call", "path": "con/b", "usd": 0.25,
         "completion": {"usage": {"input_tokens": 5, "output_tokens": 2}}},
    )  # fmt: skip
    spent = {key: purse.spent for key, purse in purses(store, plan).items()}
    assert spent == {
        ("", "usd", False): 2.25,
        ("", "tokens", False): 357,
        ("", "usd", True): 2.25,
        ("", "tokens", True): 357,
        ("ann", "usd", False): 1.75,
        ("bob", "tokens", False): 300,
    }


def test_a_cap_that_is_reached_says_which_commands_raise_it(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    budget = open_budget(store, plan.resolved, usd=5.0, db=" --db x.duckdb")
    file = "in the file and run that (arena run FILE --db x.duckdb); finished work is kept."
    ways = {
        ("", "usd", False): "To go on, raise it (arena resume small --usd AMOUNT --db x.duckdb), "
        f"or raise `[limits] usd` {file}",
        ("", "tokens", False): f"Raise `[limits] tokens` {file}",
        ("", "usd", True): f"Run it again on the next day, or raise `[limits] usd_per_day` {file}",
        ("ann", "usd", False): f"Raise its `usd` {file}",
    }
    for purse in budget.limited:
        if way := ways.pop((purse.participant, purse.measure, purse.is_daily), ""):
            with pytest.raises(BudgetReached) as reached:
                purse.refuse("more is needed", 0.5)
            assert str(reached.value).endswith(f"more is needed. {way}")
    assert not ways


def test_a_reader_leaves_no_trace(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "x.duckdb", capped())
    before = sorted(tmp_path.iterdir())
    open_budget(store, plan.resolved, usd=None, writes=False)
    assert sorted(tmp_path.iterdir()) == before


class _Clock:
    """A wall clock that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = utc("2026-11-20 11:00")
        monkeypatch.setattr(caps, "_now", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Clock]:
    """The machine stands in Berlin: UTC+1, in summer UTC+2."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield _Clock(monkeypatch)
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def open_days(folder: Path, window: str | None = None, *, writes: bool = True) -> SpendingDays:
    return SpendingDays(folder / "x.duckdb", "weekend", window=window, writes=writes)


@for_every(
    (
        (None, "2026-11-20 11:00", "2026-11-19 23:00", "2026-11-20 23:00"),
        (None, "2026-11-20 23:00", "2026-11-20 23:00", "2026-11-21 23:00"),
        ("22:00-07:00", "2026-11-20 03:00", "2026-11-19 21:00", "2026-11-20 21:00"),
        ("22:00-07:00 UTC", "2026-11-20 21:59", "2026-11-19 22:00", "2026-11-20 22:00"),
        # 25 hours, and 23: summer time ends, and begins.
        (None, "2026-10-25 12:00", "2026-10-24 22:00", "2026-10-25 23:00"),
        (None, "2026-03-29 12:00", "2026-03-28 23:00", "2026-03-29 22:00"),
        # 02:30 is skipped, and is the moment of the change; in autumn, the first counts.
        ("02:30-07:00", "2026-03-29 12:00", "2026-03-29 01:00", "2026-03-30 00:30"),
        ("02:30-07:00", "2026-10-25 12:00", "2026-10-25 00:30", "2026-10-26 01:30"),
    )
)
def test_a_day_begins_at_midnight_or_with_the_window(
    window: str | None, now: str, begins: str, ends: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        patch.setattr(caps, "_now", lambda: utc(now))
        calendar = open_days(Path("/nonexistent"), window, writes=False)
        assert calendar.turn(Cost()) == Cost()
        assert (calendar.begins, calendar.next()) == (utc(begins), utc(ends))
    time.tzset()


def test_what_was_spent_by_then_is_kept_for_the_runs_of_a_day(
    tmp_path: Path, clock: _Clock
) -> None:
    assert open_days(tmp_path).turn(Cost(1.0, 10)) == Cost(1.0, 10)
    calendar = open_days(tmp_path)
    assert calendar.turn(Cost(1.5, 15)) == Cost(1.0, 10)  # the next run of the day
    assert calendar.turn(Cost(1.75, 20)) is None
    clock.now += timedelta(days=1)
    assert calendar.turn(Cost(2.0, 30)) == Cost(2.0, 30)
    assert open_days(tmp_path).turn(Cost(2.5, 40)) == Cost(2.0, 30)  # killed since, or not


def test_a_clock_that_is_set_back_gives_no_new_money(tmp_path: Path, clock: _Clock) -> None:
    calendar = open_days(tmp_path)
    calendar.turn(Cost(1.0))
    clock.now = utc("2026-11-20 23:10")
    assert calendar.turn(Cost(3.0)) == Cost(3.0)
    clock.now -= timedelta(hours=1)
    assert calendar.turn(Cost(4.0)) == Cost(1.0)  # the day before: all of both counts
    clock.now += timedelta(hours=1)
    assert calendar.turn(Cost(4.5)) == Cost(3.0)


@for_every((("Europe/Berlin", "UTC"), ("UTC", "Europe/Berlin"), ("Asia/Tokyo", "America/Denver")))
def test_programs_in_two_zones_share_the_cap_of_a_day(
    first: str, second: str, tmp_path: Path
) -> None:
    """Each plays every 3 hours until the cap of 10 is reached, for 8 days."""
    spent = 0.0
    with pytest.MonkeyPatch.context() as patch:
        for hour in range(0, 8 * 24, 3):
            for zone, late in ((first, 0), (second, 1)):
                patch.setenv("TZ", zone)
                time.tzset()
                now = utc("2026-11-20 00:00") + timedelta(hours=hour + late)
                patch.setattr(caps, "_now", lambda now=now: now)
                marked = open_days(tmp_path).turn(Cost(spent))
                assert marked is not None
                spent = max(spent, marked.usd + 10)
    time.tzset()
    assert spent <= 10 * (8 + 1)


def test_a_reader_writes_nothing(tmp_path: Path, clock: _Clock) -> None:
    assert open_days(tmp_path, writes=False).turn(Cost(1.0)) == Cost(1.0)
    assert list(tmp_path.iterdir()) == []


def test_of_a_database_that_was_replaced_nothing_is_owed(tmp_path: Path, clock: _Clock) -> None:
    open_days(tmp_path).turn(Cost(7.0, 70))
    assert open_days(tmp_path).turn(Cost(0.5, 5)) == Cost(0.5, 5)
    assert open_days(tmp_path).turn(Cost(2.0, 20)) == Cost(0.5, 5)


def test_a_month_is_remembered_of_each_tournament(tmp_path: Path, clock: _Clock) -> None:
    calendar = open_days(tmp_path)
    SpendingDays(tmp_path / "x.duckdb", "other", window=None).turn(Cost(1.0))
    for number in range(40):
        calendar.turn(Cost(number))
        clock.now += timedelta(days=1)
    content = json.loads(days_file(tmp_path / "x.duckdb").read_text("utf-8"))
    assert {name: len(marks) for name, marks in content.items()} == {"other": 1, "weekend": 31}


@for_every((b"", b"[]", b'{"weekend": {"2026": [1]}}', b'{"weekend": {"2026": {"eur": 1}}}'))
def test_a_damaged_file_is_named_with_what_to_do(content: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(StoreError, match="Delete it to"):
        patch.setattr("arena.tournament.caps.read_file", lambda *_, **__: content)
        open_days(Path("/nonexistent")).turn(Cost())


def test_a_file_that_cannot_be_written_is_one_message(tmp_path: Path, clock: _Clock) -> None:
    (tmp_path / "x.duckdb.days.json.new").mkdir()
    with pytest.raises(StoreError, match="caps per day need it"):
        open_days(tmp_path).turn(Cost())
