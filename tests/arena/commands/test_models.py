"""How the answers of a tournament's models are counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.commands.models import model_answers
from arena.store.database import Store
from tests.servers.openai_server import ServerSettings, serving_in_thread
from tests.support.command_line import arena, done
from tests.support.stored_databases import change


def test_each_answer_is_counted_once_with_its_repairs(own_database: Path) -> None:
    store = Store(own_database)
    change(
        store,
        "INSERT INTO calls SELECT * REPLACE (1 AS attempt, 'fence' AS bent) FROM calls "
        "WHERE path = 'pro/rebuttal/writer/1' AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'unreadable' WHERE path = 'pro/rebuttal/writer/1' "
        "AND attempt = 0 AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'prose, unreadable' WHERE path = 'con/summary/writer/1' "
        "AND model = 'offline/weak'",
        "UPDATE calls SET bent = 'prose, fence', structured = 'schema', "
        "served_model = 'weak-05', fingerprint = 'fp' "
        "WHERE path = 'con/rebuttal/writer/1' AND model = 'offline/weak'",
    )
    rows = {row.model: row for row in model_answers(store, "small")}
    weak = rows["offline/weak"]
    assert (weak.answers, weak.as_sent, weak.bent, weak.repaired, weak.lost) == (12, 6, 2, 2, 2)
    assert weak.calls == 14
    assert weak.kinds == "fence 4, prose 4"
    assert (weak.structured, weak.served, weak.fingerprints) == ("schema", "weak-05", 1)
    assert rows["offline/fair"].as_sent == rows["offline/fair"].answers


def test_the_command_prints_shares(small_database: Path) -> None:
    printed = done("models", "--db", small_database)
    assert "small · answers of the models · simulated models" in printed
    assert "offline/weak" in printed and "100%" in printed


_UNCOUNTED = """
[tournament]
name = "uncounted"
motions = "arena66"
categories = ["fact"]
most_motions = 1
[schedule]
kind = "round_robin"
[limits]
words = 50
[models."openai/*"]
api_base = "{url}"
api_key = "env:ARENA_NO_KEY|none"
usd_per_million = {{ input = 1, output = 1 }}
[[participants]]
name = "first"
debater = "direct"
model = "openai/local"
[[participants]]
name = "second"
debater = "direct"
model = "openai/local"
sampling = {{ temperature = 0.9 }}
[[benches]]
name = "single"
judge = "single"
runs = 1
model = "openai/local"
"""


@pytest.mark.parametrize("usage", ["absent", "present"])
def test_calls_that_were_priced_by_an_estimate_are_counted(tmp_path: Path, usage: str) -> None:
    database, file = tmp_path / "results.duckdb", tmp_path / "uncounted.toml"
    with serving_in_thread(ServerSettings(models=(), usage=usage)) as server:  # type: ignore[arg-type]
        file.write_text(_UNCOUNTED.format(url=server.url))
        played = arena("run", file, "--yes", "--no-report", "--db", database).output
    words = "calls priced by an estimate"
    status = arena("status", "--db", database).output
    content = json.loads(arena("status", "--json", "--db", database).output)
    (row,) = json.loads(done("models", "--db", database, "--format", "json"))["models"]
    assert row["calls"] > 0
    assert row["estimated"] == content["estimated_calls"] == row["calls"] * (usage == "absent")
    for printed in (played, status):
        assert (f"{row['calls']} {words}" in printed) == (usage == "absent")
    assert (words in done("models", "--db", database)) == (usage == "absent")
