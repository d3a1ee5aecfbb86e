"""`arena list`: the stored tournaments."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.llm.journal import Journal
from arena.records import digest
from arena.store.database import Store
from arena.store.spending import availability_prefix
from arena.text import UP_TO
from arena.tournament.plan import make_plan, store_plan
from tests.support.command_line import arena, done, refused
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


def cells(message: str) -> list[list[str]]:
    return [line.split() for line in message.splitlines()]


def listed_in(store: Store) -> dict[str, str]:
    """The only tournament of a database, by heads; blocks of columns stand below each other."""
    blocks = done("list", "--db", store.path).split("\n\n")
    cut = [[re.split(r"  +", line.strip()) for line in block.splitlines()] for block in blocks]
    head, row = ([cell for block in cut for cell in block[line]] for line in (0, 1))
    return dict(zip(head, row, strict=True))


def test_a_tournament_is_listed_with_its_counts(small_database: Path) -> None:
    head, row = cells(done("list", "--db", small_database))
    assert head == [
        *("tournament", "created", "participants", "debates", "finished", "forfeits", "void"),
        *("ballots", "failed", "USD"),
    ]
    assert row[0] == "small"
    assert row[3:] == ["3", "6", "6", "0", "0", "6", "0", "0.0000"]


def test_what_is_lost_and_open_and_paid_is_counted(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    done_one, lost, void, *_ = plan.debates
    commit(
        store,
        played(done_one, costs=[("pro/a", 0.5)]),
        played(lost, "forfeit", forfeited="pro"),
        played(void, "void", costs=[("pro/a", 9.0)]),
        judged(done_one, status="failed"),
    )
    planned(store.path, content("ann", "bob", name="newer"))
    _, newer, older = cells(done("list", "--db", store.path))
    assert (newer[0], newer[3:]) == ("newer", ["2", "2", *["0"] * 5, "0.0000", "0.0000"])
    assert (older[0], older[3:]) == ("small", ["3", "6", *"11101", "0.7500", "0.2500"])


def test_it_counts_what_the_status_counts(tmp_path: Path) -> None:
    """A participant's model was corrected in the file after its debates were void."""
    store, plan = planned(tmp_path / "own.duckdb")
    first = meeting(plan, "ann", "bob")
    commit(store, played(first), judged(first), played(meeting(plan, "bob", "ann"), "void"))
    config = changed(content(), ["participants", 0, "model"], "offline/strong")
    corrected = make_plan(resolved_of(config), store)
    store_plan(corrected, store)
    commit(store, played(corrected.added[0]), judged(corrected.added[0]))
    listed = listed_in(store)
    status = json.loads(arena("status", "--json", "--db", store.path).output)
    assert listed["not counted"] == str(status["debates_of_others"]) == "4"
    assert listed["debates"] == str(sum(status["debates"].values())) == "6"
    assert (listed["participants"], listed["finished"], listed["void"]) == ("3", "1", "0")
    assert listed["ballots"] == str(status["ballots"]["valid"]) == "1"


def test_a_tournament_that_this_version_cannot_read_is_listed_without_counts(
    tmp_path: Path,
) -> None:
    store, _ = planned(tmp_path / "own.duckdb")

    def change(link: Any) -> None:  # noqa: ANN401 - an open connection
        link.execute(
            "UPDATE tournaments SET config = replace(config::TEXT, 'participants', 'players')"
        )

    store.write(change)
    row = cells(done("list", "--db", store.path))[1]
    assert (row[0], row[3:5], row[-1]) == ("small", ["?", "?"], "0.0000")


def test_there_is_nothing_to_list_without_a_database(tmp_path: Path) -> None:
    message = refused("list", "--db", tmp_path / "own.duckdb")
    assert message.startswith(f"{tmp_path / 'own.duckdb'}: no such database.")
    assert list(tmp_path.iterdir()) == []


def test_what_unfinished_debates_and_ballots_have_cost_is_counted(tmp_path: Path) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    judged_one, unjudged, open_one, *_ = plan.debates
    commit(store, played(judged_one), judged(judged_one), played(unjudged))
    journal = Journal(store.journal_folder)
    for unit, usd in (
        (open_one.debate_id, 0.125),
        (digest(unjudged.debate_id, "bench", 0), 0.0625),
        (judged_one.debate_id, 4.0),  # stored: a kill left its journal behind
        (digest(judged_one.debate_id, "bench", 0), 8.0),
        ("somebody", 16.0),
    ):
        journal.open(unit).note("call", "pro/a", 0, usd=usd)
    listed = listed_in(store)
    assert list(listed)[-3:] == ["USD", "judges", "unfinished"]
    assert list(listed.values())[-3:] == ["0.4375", "0.2500", "0.1875"]


def test_measured_and_reserved_are_apart_and_what_scouts_cost_is_not_unfinished(
    tmp_path: Path,
) -> None:
    store, plan = planned(tmp_path / "own.duckdb")
    first, open_one, *_ = plan.debates
    record = played(first, costs=[("pro/a", 3.0)])
    calls = tuple(replace(call, reserved_usd=2.5) for call in record.unit.calls)
    commit(store, replace(record, unit=replace(record.unit, calls=calls)), judged(first))
    journal = Journal(store.journal_folder)
    journal.open(f"{availability_prefix('small')}x").note("call", "greeting", 0, usd=0.0625)
    head, row, *_ = cells(done("list", "--db", store.path))
    assert head[-4:] == ["USD", "judges", "up", "to"]
    # 0.5 of the debate, 0.25 of its ballot, the scout
    assert row[-3:] == ["0.8125", "0.2500", "3.3125"]
    journal.open(open_one.debate_id).note("call", "pro/a", 0, usd=0.125)
    journal.open(open_one.debate_id).note("start", "con/a", 0, usd=4.0)
    shown = done("list", "--db", store.path).split()
    assert {"up", "unfinished", "0.9375", "7.4375", "0.1250"} <= set(shown)
    for surface in ("list", "leaderboard"):
        assert UP_TO in " ".join(done(surface, "--db", store.path).split())
    done("report", "--db", store.path)
    page = Path(f"{store.path}.report.html").read_text("utf-8").replace("\xa0", " ")
    assert "0.94 USD" in page and "spent (up to 7.44)" in page  # the tile
    assert "Cost so far: 0.9375 USD (up to 7.4375)." in page
    assert "judges 0.2500 USD, unfinished debates and ballots 0.1250 USD, trying the judges" in page
