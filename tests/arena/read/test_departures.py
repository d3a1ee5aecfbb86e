"""Debates that leave the board with participants who are changed, renamed or removed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.boards.selection import Selection
from arena.config.stored import stored_config
from arena.read.departures import Replacements, find_replacements, read_participants_at
from arena.report.overview.changes import changes_since, state_at
from arena.store.database import Store
from tests.support.command_line import done
from tests.support.tournaments import (
    SMALL,
    changed,
    commit,
    content,
    judged,
    planned,
    played,
    resolved_of,
)


@pytest.mark.parametrize(
    ("before", "now", "sentence", "remedy"),
    [
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2", "c": "3"}, "", ""),
        ({"a": "1"}, {"b": "1"}, "a is called b now.", "To keep them, call b a again."),
        (
            {"a": "1", "b": "2"},
            {"b": "3"},
            "b is set up differently; a is no longer in it.",
            "To keep them, leave b as before and add what is new under another name; put a back.",
        ),
        # Two names of one system: the one that stays is not what the other became.
        (
            {"a": "1", "b": "1"},
            {"a": "1"},
            "b is no longer in it.",
            "To keep them, put b back.",
        ),
    ],
)
def test_what_became_of_participants(
    before: dict[str, str], now: dict[str, str], sentence: str, remedy: str
) -> None:
    replaced = find_replacements(before, now)
    assert (replaced.sentence, replaced.remedy) == (sentence, remedy)
    assert find_replacements(before, before) == Replacements(renamed={}, changed=(), removed=())


def test_twins_that_are_both_renamed_become_one_name_each() -> None:
    replaced = find_replacements({"a1": "x", "a2": "x"}, {"b1": "x", "b2": "x"})
    assert replaced.renamed == {"a1": "b1", "a2": "b2"}
    replaced = find_replacements({"a1": "x", "a2": "x"}, {"b": "x"})
    assert replaced.renamed == {"a1": "b"} and replaced.removed == ("a2",)


def test_debates_that_leave_are_named_with_their_price_before_they_do(
    own_database: Path, tmp_path: Path
) -> None:
    def price(connection: object) -> None:
        connection.execute("UPDATE debates SET cost_usd = 0.5")  # type: ignore[attr-defined]
        connection.execute("UPDATE ballots SET cost_usd = 0.25")  # type: ignore[attr-defined]

    Store(own_database).write(price)
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    assert "count no longer" not in done("run", file, "--dry-run", "--db", own_database)
    file.write_text(SMALL.replace('name = "weak"', 'name = "poor"'), "utf-8")
    printed = done("run", file, "--dry-run", "--db", own_database)
    assert (
        "  4 debates that were played for 3.0000 USD, judging included, will count no longer: weak "
        "is called poor now.\n  To keep them, call poor weak again.\n"
    ) in printed
    in_waves = SMALL.replace("matchups_per_pair = 1", 'kind = "swiss"\nrounds = 2')
    file.write_text(in_waves.replace('"offline/fair"', '"offline/good"'), "utf-8")
    printed = done("plan", file, "--db", own_database)
    assert printed.startswith(
        "4 debates that were played for 3.0000 USD, judging included, will count no longer: fair "
        "is set up differently.\n"
    )
    leaving = json.loads(done("plan", file, "--db", own_database, "--format", "json"))["leaving"]
    assert (leaving["debates"], leaving["usd"]) == (4, pytest.approx(3.0))
    assert leaving["replaced"]["changed"] == ["fair"]


def test_a_state_at_a_date_is_that_of_the_participants_of_then(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    commit(store, *map(played, plan.debates))
    commit(store, *map(judged, plan.debates))
    first = played(plan.debates[0]).finished_at
    for number in range(3):
        config = content()
        for place in range(3):
            temperature = ("participants", place, "sampling", "temperature")
            config = changed(config, temperature, 0.5 + number / 4)
        # Each is changed, and plays anew, a day later.
        store, plan = planned(store.path, config)
        at = first + timedelta(days=number + 1)
        commit(store, *(replace(played(debate), finished_at=at) for debate in plan.debates))
        commit(store, *map(judged, plan.debates))
    resolved = stored_config(store, "small")
    assert resolved.participants == resolved_of(config).participants
    selection = Selection(tournament="small", bench="bench")
    then = state_at(store, resolved, selection, at)
    now = state_at(store, resolved, selection, datetime.now(UTC))
    assert (then.played, now.played, now.finished) == (18, 24, 6)
    assert then.ratings.keys() == now.ratings.keys() == {"ann", "bob", "cyd"}
    sentences = changes_since(then, now, is_date=True).sentences
    assert sentences[0].startswith("6 more debates finished and 6 more ballots taken")
    assert sentences[1].endswith("left the board: ann, bob, cyd are set up differently.")
    assert read_participants_at(store, resolved, first) == resolved.participants, "nobody had"
